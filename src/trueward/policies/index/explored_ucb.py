"""Explored UCB: a robust index with forced exploration."""

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
from trueward.policies.index.crucb import CrUCB, UCBState
from trueward.policies.index.index_policy import IndexPolicy, prepare, score


class ExploredUCBState(NamedTuple):
    """The state of crUCB, and the amount of exploration."""

    inner: UCBState
    explored_pulls: Annotated[Ints, single(scratch)]  # arms with this many pulls are explored now; -1 for none
    exploration: float


@prepare.register(ExploredUCBState)
def find_fewest_pulls(state: ExploredUCBState, ask: Ask) -> None:
    """Compare the fewest pulls of an arm, pending ones included, with exploration * ln t."""
    prepare(state.inner, ask)
    fewest = state.inner.pulls[0] + ask.pending[0]
    for arm in range(1, ask.p.size):
        fewest = min(fewest, state.inner.pulls[arm] + ask.pending[arm])
    state.explored_pulls[0] = fewest if fewest < state.exploration * math.log(ask.t) else -1


@score.register(ExploredUCBState)
def explored_upper_bound(state: ExploredUCBState, ask: Ask, arm: int) -> float:
    """Return the index of crUCB, or inf for an arm that must be explored now."""
    pulls = state.inner.pulls[arm] + ask.pending[arm]
    return math.inf if pulls == state.explored_pulls[0] else score(state.inner, ask, arm)


@update.register(ExploredUCBState)
def update_inner(state: ExploredUCBState, seen: Observation, rng: np.random.Generator) -> None:
    """Update the state of crUCB."""
    update(state.inner, seen, rng)


@dataclass(frozen=True, kw_only=True)
class ExploredUCB(IndexPolicy):
    """Explored UCB: crUCB with forced exploration, so that each arm is pulled at least m ln t times.

        if some N_a < m ln t: play the arm with the fewest pulls
        else:                 play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a)

    With the median, the default, it is med-E-UCB. An index policy can stop playing the best arm for good if that arm's
    first few rewards are contaminated, because a robust estimate of three rewards is not robust. Forced exploration
    gives the estimate a sample that is large enough to recover.

    It withstands what its estimator withstands, at random times. It does not withstand a burst at the beginning, which
    fills all the first samples.

    Parameters
    ----------
    estimator : Estimator
        The estimator f of an arm's mean.
    sigma : float or sequence of float
        Sub-Gaussian parameter of the rewards: one number, or one per arm.
    c : float
        Factor of ln t, as in `CrUCB`.
    bias_term : bool
        Whether to add the largest bias due to contamination, as in `CrUCB`.
    exploration : float
        The factor m of forced exploration.

    Notes
    -----
    Guarantee: for the median and m large enough, the regret is of order ln T if each reward is contaminated with a
    probability below a bound that depends on the medians of the arms.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.ExploredUCB(sigma=1.0)
    >>> state = policy.start(n_arms=2)
    >>> for arm, reward in [(0, 9.0)] * 5 + [(1, 0.0)] * 2:
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> policy.probabilities(state, make_ask(8, 2)).tolist()  # ln 8 = 2.08 > 2 pulls
    [0.0, 1.0]

    References
    ----------
    Guan, Ji, Bucci, Hu, Palombo, Liston & Liang (2020), Robust stochastic bandit algorithms under probabilistic
    unbounded adversarial attack. The default m = 1 is ours, as are sigma and c, which are those of crUCB.
    """

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

    def state(self, setting: Setting) -> ExploredUCBState:
        return new(ExploredUCBState, setting, inner=self._inner().state(setting), exploration=float(self.exploration))

    def estimates(self, state: ExploredUCBState) -> Floats:
        return super().estimates(state.inner)
