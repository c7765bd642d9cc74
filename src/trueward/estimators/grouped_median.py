"""The grouped median: a median that can tell ratings apart below one point of the scale.

A rating k stands for the interval k ± width/2, and the n/2-th of the ratings lies inside it in proportion:

    L + width * (n/2 - below) / at          L = k - width/2, `below` ratings under k, `at` ratings equal to k

Withstands what the median withstands: just under half of the ratings.

>>> float(GroupedMedian()([8, 8, 8, 9, 9, 10]))
8.5
>>> float(GroupedMedian()([8, 8, 9, 9, 9, 10]))  # the plain median is 9
8.833333333333334

When exactly half of the ratings lie below a gap in the scale, any value in the gap would do; the middle is taken.
Reference: the interpolated median for grouped data, in any textbook of descriptive statistics.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new
from trueward.estimators.estimator import Estimator, countable
from trueward.estimators.samples.histogram import Histogram, at_rank, histogram, tally
from trueward.estimators.samples.sorted_sample import SortedSample, place
from trueward.parameters import Positive, check_sample


class CountedGroupedMedian(NamedTuple):
    """The counts, and the width of a category."""

    counted: Histogram
    width: float


@kernel
def inside_counted_category(counted: Histogram, arm: int, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    j = at_rank(counted, arm, rank)
    below = counted.counts[arm, :j].sum()
    return float(counted.values[j] + width * ((0.5 * n - below) / counted.counts[arm, j] - 0.5))


@insert.register(CountedGroupedMedian)
def insert_counted_grouped_median(
    memory: CountedGroupedMedian, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Count a rating and return the grouped median."""
    n = tally(memory.counted, arm, reward)
    low = inside_counted_category(memory.counted, arm, n, (n - 1) // 2, memory.width)
    high = inside_counted_category(memory.counted, arm, n, n // 2, memory.width)
    return 0.5 * low + 0.5 * high


class OrderedGroupedMedian(NamedTuple):
    """The sorted ratings, and the width of a category."""

    sample: SortedSample
    width: float


@kernel
def inside_category(values: Floats, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    rating = float(values[rank])
    below = int(np.searchsorted(values[:n], rating, side="left"))
    at = int(np.searchsorted(values[:n], rating, side="right")) - below
    return rating + width * ((0.5 * n - below) / at - 0.5)


@insert.register(OrderedGroupedMedian)
def insert_ordered_grouped_median(
    memory: OrderedGroupedMedian, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Insert a rating and return the grouped median."""
    n = place(memory.sample, arm, reward)
    values = memory.sample.values[arm]
    low = inside_category(values, n, (n - 1) // 2, memory.width)
    high = inside_category(values, n, n // 2, memory.width)
    return 0.5 * low + 0.5 * high


@dataclass(frozen=True)
class GroupedMedian(Estimator):
    """The median of ratings on a scale whose categories are `width` apart."""

    width: Positive = 1.0

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        ordered = np.sort(check_sample(x, axis), axis=-1)
        n = ordered.shape[-1]

        def half(rank: int) -> Floats:
            rating = ordered[..., rank, None]
            below, at = (ordered < rating).sum(axis=-1), (ordered == rating).sum(axis=-1)
            return np.asarray(ordered[..., rank] + self.width * ((0.5 * n - below) / at - 0.5))

        return 0.5 * half((n - 1) // 2) + 0.5 * half(n // 2)

    def memory(self, setting: Setting) -> CountedGroupedMedian | OrderedGroupedMedian:
        if countable(setting):
            return CountedGroupedMedian(histogram(setting), float(self.width))
        return OrderedGroupedMedian(new(SortedSample, setting), float(self.width))

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for the ratings of the middle category, which the estimate lies in."""
        ratings = check_sample(x, -1)
        ordered = np.sort(ratings)
        middle = np.isin(ratings, [ordered[(ratings.size - 1) // 2], ordered[ratings.size // 2]])
        return np.asarray(middle / middle.sum())


def grouped_median(x: ArrayLike, *, width: float = 1.0, axis: int = -1) -> Floats:
    """Return the grouped median of ratings along an axis; categories are `width` apart."""
    return GroupedMedian(width)(x, axis=axis)
