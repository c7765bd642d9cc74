"""Explored UCB: a robust index, and no arm left behind: each is pulled at least m ln t times.

    if some N_a < m ln t: play the arm pulled least;   else play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a)

With the median, the default, it is med-E-UCB. An index policy can lock itself out of the best arm when that arm's
first few rewards are contaminated: a robust estimate of three rewards is not robust. Forced exploration gives the
estimate a sample large enough to recover. It withstands what its estimator withstands, at random times; a burst at
the beginning, which fills all the first samples, it does not.

>>> policy = ExploredUCB(sigma=1.0)
>>> state = policy.start(2, horizon=None, capacity=20)
>>> for arm, reward in [(0, 9.0)] * 5 + [(1, 0.0)] * 2:
...     update(state, 1, arm, reward, np.random.default_rng(0))
>>> policy.probabilities(state, 8).tolist()  # ln 8 = 2.08 > 2 pulls
[0.0, 1.0]

`exploration` is m; 1 is ours, as are sigma and c, which are those of crUCB.

Guarantee: for the median, with m large enough, a regret of order ln T under contamination of each reward with a
probability below a bound that depends on the arms' medians.

Reference: Guan, Ji, Bucci, Hu, Palombo, Liston & Liang (2020), Robust stochastic bandit algorithms under
probabilistic unbounded adversarial attack.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, choose, reset, update
from trueward.estimators import Estimator, Median
from trueward.policies.choosing import best_of
from trueward.policies.index.crucb import CrUCB, IndexPolicy, IndexState


class ExploredState(NamedTuple):
    """An index, and how much to explore."""

    inner: IndexState
    exploration: float


@reset.register(ExploredState)
def reset_explored(state: ExploredState) -> None:
    """Forget all rewards."""
    reset(state.inner)


@choose.register(ExploredState)
def choose_explored(state: ExploredState, t: int, rng: np.random.Generator) -> int:
    """Play an arm that was pulled least, if that is too seldom; else the highest index."""
    pulls = state.inner.pulls
    least = pulls[0]
    for arm in range(1, pulls.size):
        least = min(least, pulls[arm])
    if least >= state.exploration * math.log(t):
        return choose(state.inner, t, rng)
    for arm in range(pulls.size):
        state.inner.upper[arm] = -float(pulls[arm])
    return best_of(state.inner.upper, rng)


@update.register(ExploredState)
def update_explored(state: ExploredState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Take the reward into the arm's index."""
    update(state.inner, t, arm, reward, rng)


@dataclass(frozen=True, kw_only=True)
class ExploredUCB(IndexPolicy):
    """Pulls each arm at least exploration * ln t times, and else plays the highest index of crUCB."""

    estimator: Estimator = field(default_factory=Median)
    sigma: float | Sequence[float]
    c: float = 4.0
    bias_term: bool = False
    exploration: float = 1.0

    def __post_init__(self) -> None:
        checks.number("exploration", self.exploration, at_least=0)
        self._inner()

    def _inner(self) -> CrUCB:
        return CrUCB(self.estimator, sigma=self.sigma, c=self.c, bias_term=self.bias_term)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> ExploredState:
        """Return a fresh state."""
        inner = self._inner().start(n_arms, horizon=horizon, capacity=capacity)
        return ExploredState(inner, float(self.exploration))

    def estimates(self, state: ExploredState) -> Floats:  # type: ignore[override] # the state around an index
        """Return the estimator's means."""
        return super().estimates(state.inner)

    def indices(self, state: ExploredState, t: int) -> Floats:  # type: ignore[override] # the state around an index
        """Return the upper confidence bound of each arm; infinite for those that must be explored now."""
        pulls = state.inner.pulls
        must = (pulls == pulls.min()) & (pulls < self.exploration * math.log(t))
        return np.where(must, math.inf, super().indices(state.inner, t))
