"""The trimmed mean of counted ratings: each value counts as often as it occurs among the kept ranks."""

from typing import NamedTuple

import numpy as np

from trueward.engine.stages import insert
from trueward.estimators.samples.histogram import Histogram, tally
from trueward.estimators.trimmed_mean.ranks import kept_ranks


class CountedTrimmed(NamedTuple):
    """The counts, and what to cut."""

    counted: Histogram
    alpha: float
    floor: bool
    literal: bool


@insert.register(CountedTrimmed)
def insert_counted_trimmed(memory: CountedTrimmed, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the mean of the kept ranks."""
    n = tally(memory.counted, arm, reward)
    start, stop = kept_ranks(n, memory.alpha, memory.floor, memory.literal)
    total = 0.0
    below = 0
    for j in range(memory.counted.counts.shape[1]):
        upto = below + memory.counted.counts[arm, j]
        kept = min(stop, upto) - max(start, below)
        if kept > 0:
            total += memory.counted.values[j] * kept
        below = upto
    return total / (stop - start)
