"""Explored UCB: a robust index, and no arm left behind: each is pulled at least m ln t times.

    if some N_a < m ln t: play the arm pulled least;   else play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a)

With the median, the default, it is med-E-UCB. An index policy can lock itself out of the best arm when that arm's
first few rewards are contaminated: a robust estimate of three rewards is not robust. Forced exploration gives the
estimate a sample large enough to recover. It withstands what its estimator withstands, at random times; a burst at
the beginning, which fills all the first samples, it does not.

>>> from trueward.engine.protocol import make_ask, make_observation
>>> policy = ExploredUCB(sigma=1.0)
>>> state = policy.start(2)
>>> for arm, reward in [(0, 9.0)] * 5 + [(1, 0.0)] * 2:
...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
>>> policy.probabilities(state, make_ask(8, 2)).tolist()  # ln 8 = 2.08 > 2 pulls
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
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, scratch, single
from trueward.estimators.estimator import Estimator
from trueward.estimators.median import Median
from trueward.parameters import NotNegative, Positive, at_least
from trueward.policies.index.crucb import CrUCB, IndexState
from trueward.policies.index.index_policy import IndexPolicy, prepare, score


class ExploredState(NamedTuple):
    """An index, and how much to explore."""

    inner: IndexState
    too_few: Annotated[Ints, single(scratch)]  # the fewest looks, if an arm with them must be explored now; else -1
    exploration: float


@prepare.register(ExploredState)
def find_too_few(state: ExploredState, ask: Ask) -> None:
    """Find the fewest looks, asks under way among them, and whether they are too few."""
    prepare(state.inner, ask)
    least = state.inner.pulls[0] + ask.pending[0]
    for arm in range(1, ask.p.size):
        least = min(least, state.inner.pulls[arm] + ask.pending[arm])
    state.too_few[0] = least if least < state.exploration * math.log(ask.t) else -1


@score.register(ExploredState)
def explore_first(state: ExploredState, ask: Ask, arm: int) -> float:
    """Return the upper confidence bound of an arm; infinite for one that must be explored now."""
    looks = state.inner.pulls[arm] + ask.pending[arm]
    return math.inf if looks == state.too_few[0] else score(state.inner, ask, arm)


@update.register(ExploredState)
def narrow_inner(state: ExploredState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's index."""
    update(state.inner, seen, rng)


@dataclass(frozen=True, kw_only=True)
class ExploredUCB(IndexPolicy):
    """Pulls each arm at least exploration * ln t times, and else plays the highest index of crUCB."""

    estimator: Estimator = field(default_factory=Median)
    sigma: Annotated[float | Sequence[float], at_least(0)]
    c: Positive = 4.0
    bias_term: bool = False
    exploration: NotNegative = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        self._inner()

    def _inner(self) -> CrUCB:
        return CrUCB(self.estimator, sigma=self.sigma, c=self.c, bias_term=self.bias_term)

    def state(self, setting: Setting) -> ExploredState:
        return new(ExploredState, setting, inner=self._inner().state(setting), exploration=float(self.exploration))

    def estimates(self, state: ExploredState) -> Floats:
        return super().estimates(state.inner)
