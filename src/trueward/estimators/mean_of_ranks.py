"""The family of estimators that are the mean of what is left when both ends are cut: trimmed means, and the median.

    cut = min(round(alpha n), floor((n - 1) / 2));    mean of x_(cut+1), …, x_(n-cut)

Of counted ratings, each value counts as often as it occurs among the kept ranks. Of any rewards, the mean is kept in
O(log n): cursors stand at both ends of the kept ranks, with an exact sum of what lies between. With a reward more, each
end moves by one rank or not at all, so that one or two rewards enter or leave the sum.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.engine.kernel import Floats, ceil_edge, floor_edge, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new
from trueward.estimators.estimator import Estimator, countable
from trueward.estimators.samples.blocked_sample import (
    BlockedSample,
    begin,
    blocked_sample,
    place_between,
    step_down,
    step_up,
    under,
)
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded
from trueward.estimators.samples.histogram import Histogram, histogram, tally
from trueward.parameters import check_sample


class Kept(NamedTuple):
    """Which ranks are kept."""

    alpha: float  # cut from each end; with 1/2 the middle is left, one reward or two
    floor: bool  # round the number of those that are cut down, not up
    literal: bool  # as the paper's pseudo-code has it
    upper: bool  # of two in the middle, only the upper


@kernel
def kept_ranks(rule: Kept, n: int) -> tuple[int, int]:
    """Return (start, stop): the kept order statistics of n rewards are x[start:stop], counted from 0."""
    cut = floor_edge(rule.alpha * n) if rule.floor else ceil_edge(rule.alpha * n)
    if rule.literal:
        start, stop = cut - 1, n - cut
        if cut == 0 or start >= stop:  # x_(0), or nothing left: the paper is silent, take all
            start, stop = 0, n
    else:
        start = min(cut, (n - 1) // 2)
        stop = n - start
        start = n // 2 if rule.upper else start
    return start, stop


class CountedRanks(NamedTuple):
    """The counts, and which ranks to keep."""

    counted: Histogram
    rule: Kept


class OrderedRanks(NamedTuple):
    """The rewards in order, cursors on the first and the last kept one, and the sum from one to the other."""

    sample: BlockedSample
    kept: ExactSum
    rule: Kept


@insert.register(CountedRanks)
def insert_counted(memory: CountedRanks, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the mean of the kept ranks."""
    start, stop = kept_ranks(memory.rule, tally(memory.counted, arm, reward))
    total = 0.0
    below = 0
    for j in range(memory.counted.counts.shape[1]):
        upto = below + memory.counted.counts[arm, j]
        kept = min(stop, upto) - max(start, below)
        if kept > 0:
            total += memory.counted.values[j] * kept
        below = upto
    return total / (stop - start)


@kernel
def place_and_add(sample: BlockedSample, kept: ExactSum, arm: int, reward: float) -> int:
    """Insert a reward, add it to the sum if it lies among the kept, and return the new number of rewards."""
    if sample.sizes[arm] == 0:
        begin(sample, arm, reward)
        add_exactly(kept, arm, reward)
    elif place_between(sample, arm, reward) == 0:
        add_exactly(kept, arm, reward)
    return int(sample.sizes[arm])


@kernel
def keep_ranks(sample: BlockedSample, kept: ExactSum, arm: int, start: int, stop: int) -> None:
    """Move both ends to new ranks: first outwards, so that something is always kept, then inwards."""
    while sample.rank[arm, 0] > start:
        step_down(sample, arm, 0)
        add_exactly(kept, arm, under(sample, arm, 0))
    while sample.rank[arm, 1] < stop - 1:
        step_up(sample, arm, 1)
        add_exactly(kept, arm, under(sample, arm, 1))
    while sample.rank[arm, 0] < start:
        add_exactly(kept, arm, -under(sample, arm, 0))
        step_up(sample, arm, 0)
    while sample.rank[arm, 1] > stop - 1:
        add_exactly(kept, arm, -under(sample, arm, 1))
        step_down(sample, arm, 1)


@insert.register(OrderedRanks)
def insert_ordered(memory: OrderedRanks, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the mean of the kept ranks."""
    start, stop = kept_ranks(memory.rule, place_and_add(memory.sample, memory.kept, arm, reward))
    keep_ranks(memory.sample, memory.kept, arm, start, stop)
    return rounded(memory.kept, arm) / (stop - start)


@dataclass(frozen=True)
class MeanOfRanks(Estimator):
    """The mean of the order statistics x[start:stop]."""

    @property
    @abstractmethod
    def rule(self) -> Kept:
        """Which ranks to keep, for `kept_ranks`."""

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the mean of the kept ranks along an axis."""
        ordered = np.sort(check_sample(x, axis), axis=-1)
        start, stop = kept_ranks(self.rule, ordered.shape[-1])
        return np.asarray(ordered[..., start:stop].mean(axis=-1))

    def memory(self, setting: Setting) -> CountedRanks | OrderedRanks:
        if countable(setting):
            return CountedRanks(histogram(setting), self.rule)
        return OrderedRanks(blocked_sample(setting), new(ExactSum, setting), self.rule)

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for what is kept; of equal rewards at the edge, the first come are cut."""
        ranks = ranks_of(x)
        start, stop = kept_ranks(self.rule, ranks.size)
        return np.where((start <= ranks) & (ranks < stop), 1.0 / (stop - start), 0.0)


def ranks_of(x: ArrayLike) -> NDArray[np.intp]:
    """Return the rank of each observation of a sample, counted from 0; of equal ones, the first come is the lowest."""
    return np.argsort(np.argsort(check_sample(x, -1), kind="stable"))
