"""crUCB: the contamination-robust upper confidence bound, with any estimator.

    play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a),    D = 1/(1 - 2 alpha) for the trimmed and the shorth mean

With the trimmed mean it is tUCB, with the shorth mean sUCB, with the median RUCB-MAB (rho = c sigma^2), with the plain
mean UCB. Withstands what its estimator withstands; the paper's theorems cover an adversary that contaminates at most
alpha of each arm's rewards at every moment. Does not withstand a burst at the beginning.

>>> from trueward.estimators import TrimmedMean
>>> tucb = CrUCB(TrimmedMean(alpha=0.1), sigma=1.2649)
>>> state = tucb.start(1, horizon=None, capacity=20)
>>> for _ in range(20):
...     update(state, 1, 0, 8.0, np.random.default_rng(0))
>>> round(float(tucb.indices(state, 100)[0]), 6)  # 8 + 1.517414
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
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, insert, kernel, reset, update
from trueward.errors import ParameterError
from trueward.estimators import Estimator
from trueward.estimators.memories import remember
from trueward.policies.base import Policy
from trueward.policies.choosing import TIE, best_of, ties_of


class IndexState(NamedTuple):
    """Estimates and widths; the index is estimate + width * sqrt(ln t)."""

    memory: State
    pulls: Ints  # (arms,)
    estimate: Floats  # (arms,) infinite for an arm not yet pulled
    width: Floats  # (arms,) scale / sqrt(pulls) + shift
    scale: Floats  # (arms,) sigma D sqrt(c)
    shift: Floats  # (arms,) sigma B sqrt(6), or 0
    upper: Floats  # (arms,) the index of the round under way
    roots: Floats  # (1, rounds) sqrt(ln t) by round, as far as the horizon is known


def index_state(memory: State, scale: Floats, shift: Floats, horizon: int | None) -> IndexState:
    """Return the state before the first pull."""
    n_arms = scale.size
    pulls, (width, upper) = np.zeros(n_arms, np.int64), np.zeros((2, n_arms))
    roots = roots_up_to(horizon or 0)
    return IndexState(memory, pulls, np.full(n_arms, math.inf), width, scale, shift, upper, roots)


@functools.cache
def roots_up_to(horizon: int) -> Floats:
    """Return sqrt(ln t) for every round up to the horizon, the same for all games: it costs half a decision."""
    return np.array([[0.0, *(math.sqrt(math.log(t)) for t in range(1, horizon + 1))]])


@kernel
def root_of_log(roots: Floats, t: int) -> float:
    """Return sqrt(ln t)."""
    return float(roots[t]) if t < roots.size else math.sqrt(math.log(t))


@reset.register(IndexState)
def reset_index(state: IndexState) -> None:
    """Forget all rewards."""
    reset(state.memory)
    state.pulls[:] = 0
    state.estimate[:] = math.inf
    state.width[:] = 0.0


@choose.register(IndexState)
def choose_index(state: IndexState, t: int, rng: np.random.Generator) -> int:
    """Play the highest index; only where two come as close as makes no difference, all are written down."""
    root = root_of_log(state.roots[0], t)
    best = 0
    top, second = -math.inf, -math.inf
    for arm in range(state.upper.size):
        upper = state.estimate[arm] + root * state.width[arm]
        if upper > top:
            second = top
            top = upper
            best = arm
        elif upper > second:
            second = upper
    if second >= top - TIE:
        for arm in range(state.upper.size):
            state.upper[arm] = state.estimate[arm] + root * state.width[arm]
        best = best_of(state.upper, rng)
    return best


@update.register(IndexState)
def update_index(state: IndexState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate, and narrow its width."""
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, reward, rng)
    state.width[arm] = state.scale[arm] / math.sqrt(state.pulls[arm]) + state.shift[arm]


class IndexPolicy(Policy):
    """A policy that plays the highest index."""

    def estimates(self, state: IndexState) -> Floats:
        """Return the estimator's means."""
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def indices(self, state: IndexState, t: int) -> Floats:
        """Return the upper confidence bound of each arm."""
        return np.asarray(state.estimate + math.sqrt(math.log(t)) * state.width)

    def probabilities(self, state: IndexState, t: int) -> Floats:
        """Return 1 for the highest index, or equal shares of those that tie."""
        return ties_of(self.indices(state, t))


@dataclass(frozen=True)
class CrUCB(IndexPolicy):
    """Plays the highest f(x_a) + sigma D sqrt(c ln t / N_a); sigma is one number, or one per arm."""

    estimator: Estimator
    _: KW_ONLY
    sigma: float | Sequence[float]
    c: float = 4.0
    bias_term: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.estimator, Estimator):
            raise ParameterError(f"estimator must be an Estimator such as TrimmedMean(0.1), got {self.estimator!r}")
        checks.array("sigma", np.atleast_1d(self.sigma), at_least=0)
        checks.number("c", self.c, above=0)
        if np.ndim(self.sigma) > 0 and not self.bias_term:
            raise ParameterError("bias_term must be True when sigma differs by arm, got False")

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> IndexState:
        """Return a fresh state."""
        if np.ndim(self.sigma) > 0 and np.size(self.sigma) != n_arms:
            raise ParameterError(f"sigma must be one number, or one for each of {n_arms} arms, got {self.sigma!r}")
        sigma = np.full(n_arms, self.sigma, dtype=np.float64)
        bias = self.estimator.bias if self.bias_term else 0.0
        return index_state(
            remember(self.estimator, n_arms, capacity),
            sigma * (self.estimator.inflation * math.sqrt(self.c)),
            sigma * (bias * math.sqrt(6.0)),
            horizon,
        )
