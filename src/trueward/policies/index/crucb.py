"""crUCB: the contamination-robust upper confidence bound, with any estimator."""

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

TABULATED = 1_000_000  # rounds with a tabulated sqrt(ln t); for more, the table costs more than it saves


class UCBState(NamedTuple):
    """The estimate of each arm and its width; the index is estimate + width * sqrt(ln t)."""

    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    width: Annotated[Floats, per_arm(0.0)]  # unit_width / sqrt(pulls) + bias
    sqrt_log_t: Annotated[Floats, single(scratch)]  # of the current round
    unit_width: Annotated[Floats, per_arm(given)]  # sigma D sqrt(c)
    bias: Annotated[Floats, per_arm(given)]  # sigma B sqrt(6), or 0
    memory: State  # of the estimator
    sqrt_log_table: Floats  # (rounds,) sqrt(ln t), empty if the horizon is unknown


def new_ucb_state(setting: Setting, memory: State, unit_width: float | Floats, bias: float | Floats = 0.0) -> UCBState:
    """Return the state before the first pull."""
    widths, biases = (np.full(setting.n_arms, factor, dtype=np.float64) for factor in (unit_width, bias))
    table = tabulate_sqrt_log(min(setting.horizon or 0, TABULATED))
    return new(UCBState, setting, memory=memory, unit_width=widths, bias=biases, sqrt_log_table=table)


@functools.lru_cache(maxsize=8)
def tabulate_sqrt_log(rounds: int) -> Floats:
    """Return sqrt(ln t) for t = 0, …, rounds (0 for t = 0), shared by all games: it is half the cost of a decision."""
    table = np.array([0.0, *(math.sqrt(math.log(t)) for t in range(1, rounds + 1))])
    table.flags.writeable = False
    return table


@prepare.register(UCBState)
def prepare_sqrt_log_t(state: UCBState, ask: Ask) -> None:
    """Look up sqrt(ln t), or compute it beyond the table, once for all arms."""
    known = ask.t < state.sqrt_log_table.size
    state.sqrt_log_t[0] = state.sqrt_log_table[ask.t] if known else math.sqrt(math.log(ask.t))


@score.register(UCBState)
def upper_confidence_bound(state: UCBState, ask: Ask, arm: int) -> float:
    """Return estimate + width * sqrt(ln t); pending rewards count as pulls in the width."""
    width = state.width[arm]
    if ask.pending[arm] > 0:
        if state.pulls[arm] == 0:
            return forced_exploration_score(ask, arm)
        width = state.unit_width[arm] / math.sqrt(state.pulls[arm] + ask.pending[arm]) + state.bias[arm]
    return float(state.estimate[arm] + state.sqrt_log_t[0] * width)


@update.register(UCBState)
def update_estimate_and_width(state: UCBState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the reward to the arm's estimate; one more pull makes its width smaller."""
    arm = seen.arm
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, seen.reward, rng)
    state.width[arm] = state.unit_width[arm] / math.sqrt(state.pulls[arm]) + state.bias[arm]


@dataclass(frozen=True)
class CrUCB(IndexPolicy):
    """crUCB: an upper confidence bound around a robust estimate of the mean.

        play argmax_a  f(x_a) + sigma D sqrt(c ln t / N_a),    D = 1 / (1 - 2 alpha) for the trimmed and the shorth mean

    With the trimmed mean it is tUCB, with the shorth mean sUCB, with the median RUCB-MAB (rho = c sigma^2), and with
    the plain mean UCB.

    It withstands what its estimator withstands; the theorems cover an adversary that contaminates at most a fraction
    alpha of each arm's rewards at every moment. It does not withstand a burst at the beginning.

    Parameters
    ----------
    estimator : Estimator
        The estimator f of an arm's mean, with its factor D (`inflation`).
    sigma : float or sequence of float
        Sub-Gaussian parameter of the rewards, such as their standard deviation: one number, or one per arm.
    c : float
        Factor of ln t. The source uses 4; its proof as printed needs 6 (docs/reading-the-paper.md).
    bias_term : bool
        Whether to add sigma_a B sqrt(6 ln t), the largest bias due to contamination. The source omits this term because
        it is the same for all arms. It is required if sigma differs by arm, because then it is not.

    Notes
    -----
    Guarantee: for epsilon <= alpha <= gap / (4 (gap + 4 sigma sqrt(6 ln T))), with the trimmed mean and
    rounding="floor" (not its default), the regret is at most 8 sigma sqrt(K T ln T) + 26 times the sum of the gaps, or,
    with c = 6, at most 9.8 sigma sqrt(K T ln T) + 15 times that sum. The source prints 8 and 15; `trueward.theory` has
    these bounds and all the others.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> tucb = tw.CrUCB(tw.TrimmedMean(alpha=0.1), sigma=1.2649)
    >>> state = tucb.start(n_arms=1)
    >>> for _ in range(20):
    ...     update(state, make_observation(0, 8.0, n_arms=1), np.random.default_rng(0))
    >>> round(float(tucb.indices(state, make_ask(100, 1))[0]), 6)  # 8 + 1.517414
    9.517414

    References
    ----------
    Niss & Tewari (2020), Algorithm 4, Theorems 3 and 4. Kapoor, Patel & Kar (2019) for the median.
    """

    estimator: Estimator
    _: KW_ONLY
    sigma: Annotated[float | Sequence[float], at_least(0)]
    c: Positive = 4.0
    bias_term: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if np.unique(self.sigma).size > 1 and not self.bias_term:
            raise ParameterError("bias_term must be True when sigma differs by arm, got False")

    def state(self, setting: Setting) -> UCBState:
        if np.ndim(self.sigma) > 0 and np.size(self.sigma) != setting.n_arms:
            raise ParameterError(
                f"sigma must be one number, or one for each of {setting.n_arms} arms, got {self.sigma!r}"
            )
        sigma = np.asarray(self.sigma, dtype=np.float64)
        return new_ucb_state(
            setting,
            self.estimator.memory(setting),
            sigma * (self.estimator.inflation * math.sqrt(self.c)),
            sigma * ((self.estimator.bias if self.bias_term else 0.0) * math.sqrt(6.0)),
        )
