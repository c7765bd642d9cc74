"""The median of counted ratings."""

from typing import NamedTuple

import numpy as np

from trueward.engine.stages import insert
from trueward.estimators.samples.histogram import Histogram, at_rank, tally


class CountedMedian(NamedTuple):
    """The counts, and which of two middle ratings counts."""

    counted: Histogram
    upper: bool


@insert.register(CountedMedian)
def insert_counted_median(memory: CountedMedian, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the median."""
    n = tally(memory.counted, arm, reward)
    values = memory.counted.values
    high = float(values[at_rank(memory.counted, arm, n // 2)])
    low = high if memory.upper else float(values[at_rank(memory.counted, arm, (n - 1) // 2)])
    return 0.5 * low + 0.5 * high
