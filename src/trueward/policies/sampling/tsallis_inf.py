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
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, kernel, reset, update
from trueward.policies.base import SamplingPolicy, credit_sleepers, distribute
from trueward.policies.choosing import draw_from
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, declared_range, gain_of

PRECISION = 1e-12
MOST_STEPS = 100  # at most 12 have been seen, for K = 1000


class TsallisState(NamedTuple):
    """Estimated losses."""

    losses: Floats  # (arms,)
    p: Floats  # (arms,)
    rewards: Ints  # (1,) how many were seen
    scale: DeclaredRange
    reduced_variance: bool


@reset.register(TsallisState)
def reset_tsallis(state: TsallisState) -> None:
    """Forget all rewards."""
    state.losses[:] = 0.0
    state.rewards[0] = 0


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
    lowest = losses[0]
    for arm in range(1, losses.size):
        lowest = min(lowest, losses[arm])
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
def distribute_tsallis(state: TsallisState, t: int) -> None:
    """Weigh the losses."""
    tsallis_weights(state.losses, learning_rate(state.reduced_variance, t), state.p)


@choose.register(TsallisState)
def choose_tsallis(state: TsallisState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(TsallisState)
def update_tsallis(state: TsallisState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Add the estimated losses of all arms."""
    state.rewards[0] += 1
    loss = 1.0 - gain_of(state.scale, t, arm, reward)
    credit_sleepers(state.losses, state.p, loss)
    if not state.reduced_variance:
        state.losses[arm] += loss / state.p[arm]
        return
    eta = learning_rate(True, t)
    for other in range(state.p.size):
        baseline = 0.5 if state.p[other] >= eta * eta else 0.0
        state.losses[other] += baseline
        if other == arm:
            state.losses[other] += (loss - baseline) / state.p[other]


@dataclass(frozen=True)
class TsallisINF(SamplingPolicy):
    """1/2-Tsallis-INF, with the reduced-variance ("rv") or the importance-weighted ("iw") loss estimates."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    estimates_by: Literal["rv", "iw"] = "rv"
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        checks.one_of("estimates_by", self.estimates_by, ("rv", "iw"))

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> TsallisState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        return TsallisState(
            np.zeros(n_arms),
            np.full(n_arms, 1.0 / n_arms),
            np.zeros(1, np.int64),
            declared_range(self.range, self.outside),
            self.estimates_by == "rv",
        )

    def estimates(self, state: TsallisState) -> Floats:
        """Return the mean that the estimated losses give each arm; it may leave the range."""
        if state.rewards[0] == 0:
            return np.full(state.losses.size, np.nan)
        width = state.scale.high - state.scale.low
        return np.asarray(state.scale.high - width * state.losses / state.rewards[0])
