"""The median and the grouped median of counted ratings."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import insert, kernel, reset
from trueward.estimators.samples.histogram import Histogram, at_rank, tally


class CountedMedian(NamedTuple):
    """The counts, and which of two middle ratings counts."""

    counted: Histogram
    upper: bool


class CountedGroupedMedian(NamedTuple):
    """The counts, and the width of a category."""

    counted: Histogram
    width: float


@reset.register(CountedMedian)
def reset_counted_median(state: CountedMedian) -> None:
    """Forget all ratings."""
    reset(state.counted)


@reset.register(CountedGroupedMedian)
def reset_counted_grouped_median(state: CountedGroupedMedian) -> None:
    """Forget all ratings."""
    reset(state.counted)


@insert.register(CountedMedian)
def insert_counted_median(memory: CountedMedian, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the median."""
    n = tally(memory.counted, arm, reward)
    values = memory.counted.values[0]
    high = float(values[at_rank(memory.counted, arm, n // 2)])
    low = high if memory.upper else float(values[at_rank(memory.counted, arm, (n - 1) // 2)])
    return 0.5 * low + 0.5 * high


@kernel
def inside_counted_category(counted: Histogram, arm: int, n: int, rank: int, width: float) -> float:
    """Return where the n/2-th rating lies inside the category of the rating at `rank`."""
    j = at_rank(counted, arm, rank)
    below = 0
    for i in range(j):
        below += counted.counts[arm, i]
    return float(counted.values[0, j] + width * ((0.5 * n - below) / counted.counts[arm, j] - 0.5))


@insert.register(CountedGroupedMedian)
def insert_counted_grouped_median(
    memory: CountedGroupedMedian, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Count a rating and return the grouped median."""
    n = tally(memory.counted, arm, reward)
    low = inside_counted_category(memory.counted, arm, n, (n - 1) // 2, memory.width)
    high = inside_counted_category(memory.counted, arm, n, n // 2, memory.width)
    return 0.5 * low + 0.5 * high
