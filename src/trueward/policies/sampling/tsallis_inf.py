"""1/2-Tsallis-INF: optimal in both worlds, stochastic and adversarial, without tuning.

    p_a = 4 / (eta_t (L_a - x))^2,    x < min L  the root of  sum p = 1
    IW: eta_t = 2 / sqrt(t),  L_A += loss / p_A
    RV: eta_t = 4 / sqrt(t),  L_a += 1{a = A} (loss - B_a) / p_a + B_a,   B_a = 1/2 where p_a >= eta_t^2, else 0

RV (reduced variance) is the better one and the default. Its guarantee is about the rewards *seen*: the regret against
the true ones grows with the amount of contamination.

Guarantee: in the rewards seen, IW has a regret of at most 4 sqrt(K T) + 1 if they are adversarial; both have one of
order ln T / gap per arm if they are stochastic.

Reference: Zimmert & Seldin (2021), Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits, Theorem 1.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.policies.declared_range import DeclaredRange, gain_of
from trueward.policies.sampling.sampling_policy import RangedPolicy, credit_sleepers, distribute

PRECISION = 1e-12
MOST_STEPS = 100  # at most 12 have been seen, for K = 1000


class TsallisState(NamedTuple):
    """Estimated losses."""

    losses: Annotated[Floats, per_arm(0.0)]
    rewards: Annotated[Ints, single(0)]  # how many were seen
    scale: DeclaredRange
    reduced_variance: bool


@kernel
def learning_rate(reduced_variance: bool, t: int) -> float:
    """Return eta_t."""
    return (4.0 if reduced_variance else 2.0) / math.sqrt(t)


@kernel
def tsallis_weights(losses: Floats, eta: float, p: Floats) -> None:
    """Fill p with the weights of the losses, by Newton's method.

    With z = min L - x, sum p - 1 is convex and decreasing in z. At z = 2 / eta the best arm alone has weight 1, so the
    sum is at least 1, and from there the steps grow z towards the root and cannot pass it.
    """
    lowest = losses.min()
    z = 2.0 / eta
    for _ in range(MOST_STEPS):
        total = 0.0
        slope = 0.0
        for arm in range(losses.size):
            root = 2.0 / (eta * (losses[arm] - lowest + z))
            p[arm] = root * root
            total += p[arm]
            slope += p[arm] * root
        step = (total - 1.0) / (eta * slope)
        if total - 1.0 < PRECISION or z + step == z:
            break
        z += step
    for arm in range(losses.size):
        p[arm] /= total


@distribute.register(TsallisState)
def weigh_losses(state: TsallisState, ask: Ask) -> None:
    """Weigh the losses."""
    tsallis_weights(state.losses, learning_rate(state.reduced_variance, ask.t), ask.p)


@update.register(TsallisState)
def add_losses(state: TsallisState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the estimated losses of all arms."""
    state.rewards[0] += 1
    loss = 1.0 - gain_of(state.scale, seen)
    credit_sleepers(state.losses, seen, loss)
    if not state.reduced_variance:
        state.losses[seen.arm] += loss / seen.p[seen.arm]
        return
    eta = learning_rate(True, seen.t)
    for arm in range(seen.p.size):
        baseline = 0.5 if seen.p[arm] >= eta * eta else 0.0
        state.losses[arm] += baseline
        if arm == seen.arm:
            state.losses[arm] += (loss - baseline) / seen.p[arm]


@dataclass(frozen=True, kw_only=True)
class TsallisINF(RangedPolicy):
    """1/2-Tsallis-INF, with the reduced-variance ("rv") or the importance-weighted ("iw") loss estimates."""

    estimates_by: Literal["rv", "iw"] = "rv"

    def state(self, setting: Setting) -> TsallisState:
        return new(TsallisState, setting, scale=self.declared, reduced_variance=self.estimates_by == "rv")

    def estimates(self, state: TsallisState) -> Floats:
        """Return the mean that the estimated losses give each arm; it may leave the range."""
        return np.asarray(state.scale.high - state.scale.width * state.losses / (state.rewards[0] or math.nan))
