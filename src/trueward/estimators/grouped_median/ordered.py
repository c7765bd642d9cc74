"""The grouped median of sorted ratings."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.stages import insert
from trueward.estimators.samples.sorted_sample import SortedSample, place


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
