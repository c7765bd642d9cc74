"""1/2-Tsallis-INF: optimal for stochastic and for adversarial rewards, without tuning."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.policies.declared_range import DeclaredRange, gain_of
from trueward.policies.sampling.sampling_policy import RangedPolicy, credit_unavailable_arms, distribute

PRECISION = 1e-12
MAX_STEPS = 100  # at most 12 have been observed, for K = 1000


class TsallisState(NamedTuple):
    """Sums of estimated losses."""

    losses: Annotated[Floats, per_arm(0.0)]
    rewards: Annotated[Ints, single(0)]  # number of rewards seen
    scale: DeclaredRange
    reduced_variance: bool


@kernel
def learning_rate(reduced_variance: bool, t: int) -> float:
    return (4.0 if reduced_variance else 2.0) / math.sqrt(t)


@kernel
def tsallis_weights(losses: Floats, eta: float, p: Floats) -> None:
    """Fill p with the weights of the losses, by Newton's method.

    With z = min L - x, sum p - 1 is convex and decreasing in z. At z = 2 / eta the best arm alone has weight 1, so the
    sum is at least 1. From there every step increases z towards the root and cannot overshoot it.
    """
    lowest = losses.min()
    z = 2.0 / eta
    for _ in range(MAX_STEPS):
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
    tsallis_weights(state.losses, learning_rate(state.reduced_variance, ask.t), ask.p)


@update.register(TsallisState)
def add_losses(state: TsallisState, seen: Observation, rng: np.random.Generator) -> None:
    state.rewards[0] += 1
    loss = 1.0 - gain_of(state.scale, seen)
    credit_unavailable_arms(state.losses, seen, loss)
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
    """1/2-Tsallis-INF: optimal for stochastic and for adversarial rewards, without tuning.

        p_a = 4 / (eta_t (L_a - x))^2,    x < min L  the root of  sum p = 1
        IW: eta_t = 2 / sqrt(t),  L_A += loss / p_A
        RV: eta_t = 4 / sqrt(t),  L_a += 1{a = A} (loss - B_a) / p_a + B_a,   B_a = 1/2 where p_a >= eta_t^2, else 0

    The guarantee is about the observed rewards: the regret against the true rewards grows with the amount of
    contamination.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    loss_estimator : {"rv", "iw"}
        The reduced-variance estimator, which is the better one and the default, or the importance-weighted one.

    Notes
    -----
    Guarantee: for the observed rewards, IW has a regret of at most 4 sqrt(K T) + 1 if they are adversarial. Both have a
    regret of order ln T / gap per arm if they are stochastic.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = TsallisINF((0, 10))
    >>> state = policy.start(2)
    >>> state.losses[:] = 10.0, 20.0
    >>> policy.probabilities(state, make_ask(100, 2)).round(3).tolist()
    [0.893, 0.107]

    References
    ----------
    Zimmert & Seldin (2021), Tsallis-INF: an optimal algorithm for stochastic and adversarial bandits, Theorem 1.
    """

    loss_estimator: Literal["rv", "iw"] = "rv"

    def state(self, setting: Setting) -> TsallisState:
        return new(TsallisState, setting, scale=self.declared_range, reduced_variance=self.loss_estimator == "rv")

    def estimates(self, state: TsallisState) -> Floats:
        """Return the mean reward according to the estimated losses; it may lie outside the range."""
        return np.asarray(state.scale.high - state.scale.width * state.losses / (state.rewards[0] or math.nan))
