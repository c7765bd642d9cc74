"""The grouped median of counted ratings."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import kernel
from trueward.engine.stages import insert
from trueward.estimators.samples.histogram import Histogram, at_rank, tally


class CountedGroupedMedian(NamedTuple):
    """The counts, and the width of a category."""

    counted: Histogram
    width: float


@kernel
def inside_counted_category(counted: Histogram, arm: int, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    j = at_rank(counted, arm, rank)
    below = 0
    for i in range(j):
        below += counted.counts[arm, i]
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
