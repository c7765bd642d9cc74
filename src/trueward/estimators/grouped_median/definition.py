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

from trueward.engine import checks
from trueward.engine.kernel import Floats, insert, kernel, reset
from trueward.estimators.base import Estimator, nothing_trimmed
from trueward.estimators.samples.sorted_sample import SortedSample, place, sorted_sample


class GroupedMedianMemory(NamedTuple):
    """The sorted ratings, and the width of a category."""

    sample: SortedSample
    width: float


@reset.register(GroupedMedianMemory)
def reset_grouped_median(state: GroupedMedianMemory) -> None:
    """Forget all ratings."""
    reset(state.sample)


@kernel
def inside_category(values: Floats, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    rating = float(values[rank])
    below = int(np.searchsorted(values[:n], rating, side="left"))
    at = int(np.searchsorted(values[:n], rating, side="right")) - below
    return rating + width * ((0.5 * n - below) / at - 0.5)


@kernel
def grouped_median_of_sorted(values: Floats, n: int, width: float) -> float:
    """Return the grouped median of the first n sorted values."""
    low = inside_category(values, n, (n - 1) // 2, width)
    high = inside_category(values, n, n // 2, width)
    return 0.5 * low + 0.5 * high


@insert.register(GroupedMedianMemory)
def insert_grouped_median(memory: GroupedMedianMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a rating and return the grouped median."""
    n = place(memory.sample, arm, reward)
    return grouped_median_of_sorted(memory.sample.values[arm], n, memory.width)


def grouped_median(x: ArrayLike, *, width: float = 1.0, axis: int = -1) -> Floats:
    """Return the grouped median of ratings along an axis; categories are `width` apart."""
    width = checks.number("width", width, above=0)
    ordered = np.sort(checks.sample(x, axis), axis=-1)
    n = ordered.shape[-1]

    def half(rank: int) -> Floats:
        rating = ordered[..., rank, None]
        below, at = (ordered < rating).sum(axis=-1), (ordered == rating).sum(axis=-1)
        return np.asarray(ordered[..., rank] + width * ((0.5 * n - below) / at - 0.5))

    return 0.5 * half((n - 1) // 2) + 0.5 * half(n // 2)


@dataclass(frozen=True)
class GroupedMedian(Estimator):
    """The median of ratings on a scale whose categories are `width` apart."""

    width: float = 1.0

    def __post_init__(self) -> None:
        checks.number("width", self.width, above=0)

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the grouped median along an axis."""
        return grouped_median(x, width=self.width, axis=axis)

    def memory(self, n_arms: int, capacity: int) -> GroupedMedianMemory:
        """Return an empty memory."""
        return GroupedMedianMemory(sorted_sample(n_arms, capacity), float(self.width))

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for the ratings of the middle category, which the estimate lies in."""
        ratings = checks.sample(x, -1)
        ordered = np.sort(ratings)
        middle = np.isin(ratings, [ordered[(ratings.size - 1) // 2], ordered[ratings.size // 2]])
        return np.asarray(middle / middle.sum())

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return no reasons: every rating counts, by its rank alone."""
        return nothing_trimmed(x)
