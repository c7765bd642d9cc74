"""Epsilon-greedy: mostly the arm that looks best, and any arm with a small probability.

    p_a = epsilon_t / K + (1 - epsilon_t) 1{a looks best},    epsilon_t = min(1, c K / t)  or fixed

What contamination it withstands is what its estimator withstands (the plain mean: none). An arm not yet pulled looks
best.

Guarantee: with rewards in [0, 1] and c >= 5 / gap^2, without contamination, a regret of order c K ln T.

Reference: Auer, Cesa-Bianchi & Fischer (2002), section 2; the schedule c K / t as in Jun et al. (2018).
"""

import math
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, State, choose, insert, reset, update
from trueward.errors import ParameterError
from trueward.estimators import Estimator, Mean
from trueward.estimators.memories import remember
from trueward.policies.base import SamplingPolicy, distribute
from trueward.policies.choosing import TIE, draw_from


class GreedyState(NamedTuple):
    """What each arm looks like, and how much to explore."""

    memory: State
    estimate: Floats  # (arms,) infinite for an arm not yet pulled
    p: Floats  # (arms,)
    c: float  # negative: explore with the fixed probability
    epsilon: float


@reset.register(GreedyState)
def reset_greedy(state: GreedyState) -> None:
    """Forget all rewards."""
    reset(state.memory)
    state.estimate[:] = math.inf


@distribute.register(GreedyState)
def distribute_greedy(state: GreedyState, t: int) -> None:
    """Give the best arms what exploration leaves."""
    n_arms = state.p.size
    explore = min(1.0, state.c * n_arms / t) if state.c >= 0.0 else state.epsilon
    top = state.estimate[0]
    for arm in range(1, n_arms):
        top = max(top, state.estimate[arm])
    top -= TIE
    ties = 0
    for arm in range(n_arms):
        ties += state.estimate[arm] >= top
    for arm in range(n_arms):
        state.p[arm] = explore / n_arms
        if state.estimate[arm] >= top:
            state.p[arm] += (1.0 - explore) / ties


@choose.register(GreedyState)
def choose_greedy(state: GreedyState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(GreedyState)
def update_greedy(state: GreedyState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate."""
    state.estimate[arm] = insert(state.memory, arm, reward, rng)


@dataclass(frozen=True, kw_only=True)
class EpsilonGreedy(SamplingPolicy):
    """Explores with probability min(1, c K / t), or with a fixed epsilon; else plays the arm that looks best."""

    c: float | None = None
    epsilon: float | None = None
    estimator: Estimator = field(default_factory=Mean)

    def __post_init__(self) -> None:
        if (self.c is None) == (self.epsilon is None):
            raise ParameterError(
                f"exactly one of c and epsilon must be given, got c={self.c!r}, epsilon={self.epsilon!r}"
            )
        if self.c is not None:
            checks.number("c", self.c, at_least=0)
        if self.epsilon is not None:
            checks.number("epsilon", self.epsilon, at_least=0, at_most=1)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> GreedyState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        return GreedyState(
            remember(self.estimator, n_arms, capacity),
            np.full(n_arms, math.inf),
            np.full(n_arms, 1.0 / n_arms),
            -1.0 if self.c is None else float(self.c),
            0.0 if self.epsilon is None else float(self.epsilon),
        )

    def estimates(self, state: GreedyState) -> Floats:
        """Return the estimator's means."""
        return np.where(np.isfinite(state.estimate), state.estimate, np.nan)
