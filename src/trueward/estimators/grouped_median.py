"""The grouped median."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new
from trueward.estimators.estimator import Estimator, has_countable_scale
from trueward.estimators.samples.histogram import Histogram, count_rating, new_histogram, scale_index_at_rank
from trueward.estimators.samples.sorted_sample import SortedSample, insert_sorted
from trueward.parameters import Positive, check_sample


class CountedGroupedMedian(NamedTuple):
    """For ratings on a small scale: the counts, and the width of a category."""

    histogram: Histogram
    width: float


@kernel
def interpolate_counted(histogram: Histogram, arm: int, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    j = scale_index_at_rank(histogram, arm, rank)
    below = histogram.counts[arm, :j].sum()
    return float(histogram.values[j] + width * ((0.5 * n - below) / histogram.counts[arm, j] - 0.5))


@insert.register(CountedGroupedMedian)
def insert_counted_grouped_median(
    memory: CountedGroupedMedian, arm: int, reward: float, rng: np.random.Generator
) -> float:
    n = count_rating(memory.histogram, arm, reward)
    low = interpolate_counted(memory.histogram, arm, n, (n - 1) // 2, memory.width)
    high = interpolate_counted(memory.histogram, arm, n, n // 2, memory.width)
    return 0.5 * low + 0.5 * high


class OrderedGroupedMedian(NamedTuple):
    """For any ratings: all of them, sorted, and the width of a category."""

    sample: SortedSample
    width: float


@kernel
def interpolate_sorted(values: Floats, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    rating = float(values[rank])
    below = int(np.searchsorted(values[:n], rating, side="left"))
    at = int(np.searchsorted(values[:n], rating, side="right")) - below
    return rating + width * ((0.5 * n - below) / at - 0.5)


@insert.register(OrderedGroupedMedian)
def insert_ordered_grouped_median(
    memory: OrderedGroupedMedian, arm: int, reward: float, rng: np.random.Generator
) -> float:
    n = insert_sorted(memory.sample, arm, reward)
    values = memory.sample.values[arm]
    low = interpolate_sorted(values, n, (n - 1) // 2, memory.width)
    high = interpolate_sorted(values, n, n // 2, memory.width)
    return 0.5 * low + 0.5 * high


@dataclass(frozen=True)
class GroupedMedian(Estimator):
    """The grouped median: a median that distinguishes samples of ratings by less than one point of the scale.

    A rating k stands for the interval k ± width / 2, and the median is interpolated inside the middle interval:

        L + width (n / 2 - below) / at,    L = k - width / 2,  `below` ratings under k,  `at` ratings equal to k

    If exactly half of the ratings lie below a gap in the scale, every value in the gap is a median; the estimate is the
    middle of the gap.

    Like the median, it withstands any contamination of just under half of the ratings.

    Parameters
    ----------
    width : float, optional
        Distance between neighbouring values of the scale. Default: 1.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.GroupedMedian()([8, 8, 8, 9, 9, 10]))
    8.5
    >>> float(tw.GroupedMedian()([8, 8, 9, 9, 9, 10]))  # the plain median is 9
    8.833333333333334

    References
    ----------
    The interpolated median for grouped data, in any textbook of descriptive statistics.
    """

    width: Positive = 1.0

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        ordered = np.sort(check_sample(x, axis), axis=-1)
        n = ordered.shape[-1]

        def interpolate(rank: int) -> Floats:
            rating = ordered[..., rank, None]
            below, at = (ordered < rating).sum(axis=-1), (ordered == rating).sum(axis=-1)
            return np.asarray(ordered[..., rank] + self.width * ((0.5 * n - below) / at - 0.5))

        return 0.5 * interpolate((n - 1) // 2) + 0.5 * interpolate(n // 2)

    def memory(self, setting: Setting) -> CountedGroupedMedian | OrderedGroupedMedian:
        if has_countable_scale(setting):
            return CountedGroupedMedian(new_histogram(setting), float(self.width))
        return OrderedGroupedMedian(new(SortedSample, setting), float(self.width))

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for the ratings of the middle category, which contains the estimate."""
        ratings = check_sample(x, -1)
        ordered = np.sort(ratings)
        middle = np.isin(ratings, [ordered[(ratings.size - 1) // 2], ordered[ratings.size // 2]])
        return np.asarray(middle / middle.sum())


def grouped_median(x: ArrayLike, *, width: float = 1.0, axis: int = -1) -> Floats:
    """Return the grouped median of an array of ratings along an axis; see `GroupedMedian`.

    Parameters
    ----------
    x : array_like
        Ratings.
    width : float, optional
        Distance between neighbouring values of the scale. Default: 1.
    axis : int, optional
        Axis along which to take the median. Default: the last one.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.grouped_median([8, 8, 8, 9, 9, 10]))
    8.5

    References
    ----------
    The interpolated median for grouped data, in any textbook of descriptive statistics.
    """
    return GroupedMedian(width)(x, axis=axis)
