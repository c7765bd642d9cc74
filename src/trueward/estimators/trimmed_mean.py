"""The alpha-trimmed mean, and what it shares with the median, its limit."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.engine.kernel import Floats, ceil_edge, floor_edge, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new
from trueward.estimators.estimator import Estimator, has_countable_scale
from trueward.estimators.samples.blocked_sample import BlockedSample, new_blocked_sample
from trueward.estimators.samples.exact_sum import ExactSum, rounded_sum
from trueward.estimators.samples.histogram import Histogram, count_rating, new_histogram
from trueward.estimators.samples.range_sum import insert_and_add, move_range
from trueward.parameters import BelowHalf, check_sample


class Trimming(NamedTuple):
    """Which order statistics are kept."""

    alpha: float  # the fraction trimmed from each end; 1/2 leaves the median
    floor: bool  # round alpha n down, not up
    literal: bool  # as in the pseudo-code of Niss & Tewari (2020)
    upper: bool  # for the median of an even number of rewards: keep only the upper of the two in the middle


@kernel
def kept_ranks(trimming: Trimming, n: int) -> tuple[int, int]:
    """Return (start, stop): of n sorted rewards x, x[start:stop] are kept."""
    cut = floor_edge(trimming.alpha * n) if trimming.floor else ceil_edge(trimming.alpha * n)
    if trimming.literal:
        start, stop = cut - 1, n - cut
        if cut == 0 or start >= stop:  # x_(0), or nothing left: the paper does not say what then, so keep everything
            start, stop = 0, n
    else:
        start = min(cut, (n - 1) // 2)
        stop = n - start
        start = n // 2 if trimming.upper else start
    return start, stop


class CountedTrimmedMean(NamedTuple):
    """For rewards on a small scale: how often each value occurred."""

    histogram: Histogram
    trimming: Trimming


@insert.register(CountedTrimmedMean)
def insert_counted_trimmed_mean(memory: CountedTrimmedMean, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Weight each value by how many of its ranks are kept."""
    start, stop = kept_ranks(memory.trimming, count_rating(memory.histogram, arm, reward))
    total = 0.0
    below = 0
    for j in range(memory.histogram.counts.shape[1]):
        up_to = below + memory.histogram.counts[arm, j]
        kept = min(stop, up_to) - max(start, below)
        if kept > 0:
            total += memory.histogram.values[j] * kept
        below = up_to
    return total / (stop - start)


class OrderedTrimmedMean(NamedTuple):
    """For any rewards: all of them in order, with cursors on the first and the last kept one, and the sum in between.

    One more reward moves each end of the kept ranks by one rank at most, so that one or two rewards enter or leave the
    sum: an update costs O(log n).
    """

    sample: BlockedSample
    kept_sum: ExactSum
    trimming: Trimming


@insert.register(OrderedTrimmedMean)
def insert_ordered_trimmed_mean(memory: OrderedTrimmedMean, arm: int, reward: float, rng: np.random.Generator) -> float:
    start, stop = kept_ranks(memory.trimming, insert_and_add(memory.sample, memory.kept_sum, arm, reward))
    move_range(memory.sample, memory.kept_sum, arm, start, stop)
    return rounded_sum(memory.kept_sum, arm) / (stop - start)


@dataclass(frozen=True)
class TrimmingEstimator(Estimator):
    """The mean of the order statistics that a trimming rule keeps: the trimmed mean or the median."""

    @property
    @abstractmethod
    def trimming(self) -> Trimming:
        """The rule for which order statistics are kept."""

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the mean of the kept order statistics along an axis."""
        ordered = np.sort(check_sample(x, axis), axis=-1)
        start, stop = kept_ranks(self.trimming, ordered.shape[-1])
        return np.asarray(ordered[..., start:stop].mean(axis=-1))

    def memory(self, setting: Setting) -> CountedTrimmedMean | OrderedTrimmedMean:
        if has_countable_scale(setting):
            return CountedTrimmedMean(new_histogram(setting), self.trimming)
        return OrderedTrimmedMean(new_blocked_sample(setting), new(ExactSum, setting), self.trimming)

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for the kept rewards; among equal rewards at the edge, the earliest are trimmed."""
        ranks = _ranks(x)
        start, stop = kept_ranks(self.trimming, ranks.size)
        return np.where((start <= ranks) & (ranks < stop), 1.0 / (stop - start), 0.0)


def _ranks(x: ArrayLike) -> NDArray[np.intp]:
    """Return the rank of each observation, counted from 0; among equal ones, the earliest has the lowest rank."""
    return np.argsort(np.argsort(check_sample(x, -1), kind="stable"))


@dataclass(frozen=True)
class TrimmedMean(TrimmingEstimator):
    """The alpha-trimmed mean: drop a fraction alpha of the rewards at each end, and average the rest.

        x_(1) <= … <= x_(n) are the sorted rewards;    cut = min(ceil(alpha n), floor((n - 1) / 2))
        mean of x_(cut+1), …, x_(n-cut)

    It withstands a fraction alpha of arbitrary rewards in every sample. It does not withstand more, and it does not
    detect contamination that hides among the true rewards.

    Parameters
    ----------
    alpha : float
        Fraction to trim at each end, in [0, 1/2).
    rounding : {"ceil", "floor"}, optional
        How alpha n is rounded. "ceil", the default, is that of Niss & Tewari (2020); "floor" is what the paper's proof
        needs and what SciPy's `trim_mean` does.
    literal : bool, optional
        Follow the paper's pseudo-code to the letter: it keeps x_(cut), …, x_(n-cut) and so fails to trim one of
        the smallest rewards. Default: False.

    Notes
    -----
    Guarantee: in round t, with n sigma-sub-Gaussian rewards, of which at most a fraction alpha is contaminated, the
    error is at most sigma / (1 - 2 alpha) (sqrt(4 ln t / n) + 4 alpha sqrt(6 ln t)) with probability 1 - 4 / t^2.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.TrimmedMean(0.1)([0, 7, 8, 8, 8, 9, 9, 9, 10, 1e18]))
    8.5

    References
    ----------
    Niss & Tewari (2020), Algorithm 2 and Theorem 1. Corrections: docs/reading-the-paper.md.
    """

    alpha: BelowHalf
    _: KW_ONLY
    rounding: Literal["ceil", "floor"] = "ceil"
    literal: bool = False

    @property
    def trimming(self) -> Trimming:
        return Trimming(float(self.alpha), self.rounding == "floor", self.literal, upper=False)

    def why_down_weighted(self, x: ArrayLike) -> list[str]:
        """Return at which end each trimmed reward lies."""
        ranks = _ranks(x)
        n = ranks.size
        start, stop = kept_ranks(self.trimming, n)
        low = f"trimmed: among the lowest {start} of {n} (alpha = {self.alpha:g})"
        high = f"trimmed: among the highest {n - stop} of {n} (alpha = {self.alpha:g})"
        return [low if rank < start else high if rank >= stop else "" for rank in ranks]

    @property
    def inflation(self) -> float:
        """1 / (1 - 2 alpha), Theorem 1."""
        return 1.0 / (1.0 - 2.0 * self.alpha)

    @property
    def bias(self) -> float:
        """4 alpha / (1 - 2 alpha), Theorem 1."""
        return 4.0 * self.alpha * self.inflation


def trimmed_mean(
    x: ArrayLike,
    alpha: float,
    *,
    axis: int = -1,
    rounding: Literal["ceil", "floor"] = "ceil",
    literal: bool = False,
) -> Floats:
    """Return the alpha-trimmed mean of an array along an axis; see `TrimmedMean`.

    Parameters
    ----------
    x : array_like
        Rewards.
    alpha : float
        Fraction to trim at each end, in [0, 1/2).
    axis : int, optional
        Axis along which to average. Default: the last one.
    rounding : {"ceil", "floor"}, optional
        How alpha n is rounded. Default: "ceil".
    literal : bool, optional
        Follow the pseudo-code of Niss & Tewari (2020) to the letter. Default: False.

    Examples
    --------
    >>> import trueward as tw
    >>> tw.trimmed_mean([[1, 2, 3, 100], [5, 5, 6, 6]], alpha=0.25)
    array([2.5, 5.5])

    References
    ----------
    Niss & Tewari (2020), Algorithm 2.
    """
    return TrimmedMean(alpha, rounding=rounding, literal=literal)(x, axis=axis)
