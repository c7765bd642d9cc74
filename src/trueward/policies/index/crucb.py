"""crUCB: the contamination-robust upper confidence bound, with any estimator.

    play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a),    D = 1/(1 - 2 alpha) for the trimmed and the shorth mean

With the trimmed mean it is tUCB, with the shorth mean sUCB, with the median RUCB-MAB (rho = c sigma^2), with the plain
mean UCB. Withstands what its estimator withstands; the paper's theorems cover an adversary that contaminates at most
alpha of each arm's rewards at every moment. Does not withstand a burst at the beginning.

>>> from trueward.engine.protocol import make_ask, make_observation
>>> from trueward.estimators import TrimmedMean
>>> tucb = CrUCB(TrimmedMean(alpha=0.1), sigma=1.2649)
>>> state = tucb.start(1)
>>> for _ in range(20):
...     update(state, make_observation(0, 8.0, n_arms=1), np.random.default_rng(0))
>>> round(float(tucb.indices(state, make_ask(100, 1))[0]), 6)  # 8 + 1.517414
9.517414

`c=4` is the paper's; its proof as printed needs 6 (docs/reading-the-paper.md). Where sigma differs by arm, the term
sigma_a B sqrt(6 ln t), which the paper leaves out because it is the same for all arms, no longer is: `bias_term=True`.

Guarantee: for epsilon <= alpha <= gap / (4 (gap + 4 sigma sqrt(6 ln T))), with the trimmed mean and rounding="floor"
(not its default), a regret of at most 8 sigma sqrt(K T ln T) + 26 times the sum of gaps, or with c = 6 of at most
9.8 sigma sqrt(K T ln T) + 15 times that sum. The paper prints 8 and 15; trueward.theory has this and all the others.

Reference: Niss & Tewari (2020), Algorithm 4, Theorems 3 and 4; Kapoor, Patel & Kar (2019) for the median.
"""

import functools
import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting, given, new, per_arm, scratch, single
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator
from trueward.parameters import Positive, at_least
from trueward.policies.index.index_policy import IndexPolicy, prepare, score
from trueward.policies.selection import forced_exploration_score

TABULATED = 1_000_000  # rounds for which sqrt(ln t) is looked up: beyond, the table costs more than it saves


class IndexState(NamedTuple):
    """Estimates and widths; the index is estimate + width * sqrt(ln t). How it is played: base.py."""

    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    width: Annotated[Floats, per_arm(0.0)]  # unit_width / sqrt(pulls) + shift
    root: Annotated[Floats, single(scratch)]  # sqrt(ln t) in the round under way
    unit_width: Annotated[Floats, per_arm(given)]  # sigma D sqrt(c)
    shift: Annotated[Floats, per_arm(given)]  # sigma B sqrt(6), or 0
    memory: State
    roots: Floats  # (rounds,) sqrt(ln t) by round, as far as the horizon is known


def index_state(setting: Setting, memory: State, unit_width: float | Floats, shift: float | Floats = 0.0) -> IndexState:
    """Return the state before the first pull."""
    widths, shifts = (np.full(setting.n_arms, factor, dtype=np.float64) for factor in (unit_width, shift))
    roots = _roots(min(setting.horizon or 0, TABULATED))
    return new(IndexState, setting, memory=memory, unit_width=widths, shift=shifts, roots=roots)


@functools.lru_cache(maxsize=8)
def _roots(rounds: int) -> Floats:
    """Return sqrt(ln t) for so many rounds, the same for all games: it costs half a decision."""
    roots = np.array([0.0, *(math.sqrt(math.log(t)) for t in range(1, rounds + 1))])
    roots.flags.writeable = False
    return roots


@prepare.register(IndexState)
def take_root(state: IndexState, ask: Ask) -> None:
    """Look sqrt(ln t) up, once for all arms."""
    state.root[0] = state.roots[ask.t] if ask.t < state.roots.size else math.sqrt(math.log(ask.t))


@score.register(IndexState)
def upper_bound(state: IndexState, ask: Ask, arm: int) -> float:
    """Return the upper confidence bound of an arm."""
    width = state.width[arm]
    if ask.pending[arm] > 0:
        if state.pulls[arm] == 0:
            return forced_exploration_score(ask, arm)
        width = state.unit_width[arm] / math.sqrt(state.pulls[arm] + ask.pending[arm]) + state.shift[arm]
    return float(state.estimate[arm] + state.root[0] * width)


@update.register(IndexState)
def narrow(state: IndexState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate, and narrow its width."""
    arm = seen.arm
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, seen.reward, rng)
    state.width[arm] = state.unit_width[arm] / math.sqrt(state.pulls[arm]) + state.shift[arm]


@dataclass(frozen=True)
class CrUCB(IndexPolicy):
    """Plays the highest f(x_a) + sigma D sqrt(c ln t / N_a); sigma is one number, or one per arm."""

    estimator: Estimator
    _: KW_ONLY
    sigma: Annotated[float | Sequence[float], at_least(0)]
    c: Positive = 4.0
    bias_term: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.unique(self.sigma).size > 1 and not self.bias_term:
            raise ParameterError("bias_term must be True when sigma differs by arm, got False")

    def state(self, setting: Setting) -> IndexState:
        if np.ndim(self.sigma) > 0 and np.size(self.sigma) != setting.n_arms:
            raise ParameterError(
                f"sigma must be one number, or one for each of {setting.n_arms} arms, got {self.sigma!r}"
            )
        sigma = np.asarray(self.sigma, dtype=np.float64)
        return index_state(
            setting,
            self.estimator.memory(setting),
            sigma * (self.estimator.inflation * math.sqrt(self.c)),
            sigma * ((self.estimator.bias if self.bias_term else 0.0) * math.sqrt(6.0)),
        )
