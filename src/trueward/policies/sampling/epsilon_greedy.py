"""Epsilon-greedy: mostly the arm that looks best, and any arm with a small probability.

    p_a = epsilon_t / K + (1 - epsilon_t) 1{a looks best},    epsilon_t = min(1, c K / t)  or fixed

What contamination it withstands is what its estimator withstands (the plain mean: none). An arm not yet pulled looks
best, until it has been looked at (`forced_exploration_score`).

Guarantee: with rewards in [0, 1] and c >= 5 / gap^2, without contamination, a regret of order c K ln T.

Reference: Auer, Cesa-Bianchi & Fischer (2002), section 2; the schedule c K / t as in Jun et al. (2018).
"""

import math
from dataclasses import dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State, kernel
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting, new, per_arm
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator
from trueward.estimators.mean import Mean
from trueward.parameters import NotNegative, Share
from trueward.policies.sampling.sampling_policy import SamplingPolicy, distribute
from trueward.policies.selection import TIE_TOLERANCE, forced_exploration_score


class GreedyState(NamedTuple):
    """What each arm looks like, and how much to explore."""

    memory: State
    estimate: Annotated[Floats, per_arm(math.inf)]
    c: float  # negative: explore with the fixed probability
    epsilon: float


@kernel
def looks(state: GreedyState, ask: Ask, arm: int) -> float:
    """Return how good an arm looks: its estimate, or whether it is to be tried first."""
    estimate = float(state.estimate[arm])
    return estimate if estimate < math.inf else forced_exploration_score(ask, arm)


@distribute.register(GreedyState)
def favour_the_best(state: GreedyState, ask: Ask) -> None:
    """Give the best arms what exploration leaves."""
    n_arms = ask.p.size
    explore = min(1.0, state.c * n_arms / ask.t) if state.c >= 0.0 else state.epsilon
    top, ties = -math.inf, 0
    for arm in range(n_arms):
        top = max(top, looks(state, ask, arm))
    for arm in range(n_arms):
        ties += looks(state, ask, arm) >= top - TIE_TOLERANCE
    for arm in range(n_arms):
        ask.p[arm] = explore / n_arms
        if looks(state, ask, arm) >= top - TIE_TOLERANCE:
            ask.p[arm] += (1.0 - explore) / ties


@update.register(GreedyState)
def estimate_anew(state: GreedyState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate."""
    state.estimate[seen.arm] = insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(SamplingPolicy):
    """Explores with probability min(1, c K / t), or with a fixed epsilon; else plays the arm that looks best."""

    c: NotNegative | None = None
    epsilon: Share | None = None
    estimator: Estimator = field(default_factory=Mean)

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.c is None) == (self.epsilon is None):
            raise ParameterError(
                f"exactly one of c and epsilon must be given, got c={self.c!r}, epsilon={self.epsilon!r}"
            )

    def state(self, setting: Setting) -> GreedyState:
        c = -1.0 if self.c is None else float(self.c)
        return new(GreedyState, setting, memory=self.estimator.memory(setting), c=c, epsilon=float(self.epsilon or 0))

    def estimates(self, state: GreedyState) -> Floats:
        return np.where(np.isfinite(state.estimate), state.estimate, np.nan)
