"""The shorth mean of counted ratings.

Windows that begin at the same value and end at the same value are equally long, and their sums grow by a constant from
one start to the next. So equally short windows come in runs, one per value, and the mean over a run is that of its
middle: no window is looked at singly.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import kernel
from trueward.engine.protocol import insert
from trueward.estimators.samples.histogram import Histogram, tally
from trueward.estimators.shorth_mean.windows import tied_range, window_size


class CountedShorth(NamedTuple):
    """The counts, the fraction to drop, and which of equally short windows to take."""

    counted: Histogram
    alpha: float
    tie: int
    literal: bool


@kernel
def scan_runs(
    counted: Histogram, arm: int, h: int, length: float, first_tie: int, last_tie: int
) -> tuple[float, int, float]:
    """Return the shortest length of a window of h ratings, how many windows have it, and the mean of some of those.

    `length` is an upper bound. The mean is over the means of the tied windows numbered from first_tie to last_tie.
    """
    shortest, ties, estimate = length, 0, 0.0
    end, upto = 0, counted.counts[arm, 0]  # the first value with at least `need` ratings up to it
    below = 0  # ratings below the value where windows begin
    n = counted.sizes[arm]
    for start in range(counted.counts.shape[1]):
        here = counted.counts[arm, start]
        first, last = below, below + here - 1  # ranks at which a window may begin at this value
        while first <= last and first + h <= n:
            while upto < first + h:
                end += 1
                upto += counted.counts[arm, end]
            run = min(last, upto - h) - first + 1  # starts whose window ends at the same value
            width = counted.values[end] - counted.values[start]
            if width < shortest:
                shortest, ties = width, 0
            if width == shortest:
                low, high = max(first_tie, ties), min(last_tie, ties + run - 1)
                if low <= high:
                    middle = first + 0.5 * (low + high) - ties  # the middle start of those picked in this run
                    mean = window_mean(counted, arm, h, start, end, below, upto, middle)
                    estimate += (high - low + 1) * mean / (last_tie - first_tie + 1)
                ties += run
            first += run
        below += here
    return shortest, ties, estimate


@kernel
def window_mean(
    counted: Histogram, arm: int, h: int, start: int, end: int, below: int, upto: int, begin: float
) -> float:
    """Return the mean of the h ratings from rank `begin` on; a broken rank stands for the mean of its neighbours."""
    if start == end:
        return float(counted.values[start])
    total = (below + counted.counts[arm, start] - begin) * counted.values[start]
    for j in range(start + 1, end):
        total += counted.counts[arm, j] * counted.values[j]
    total += (begin + h - (upto - counted.counts[arm, end])) * counted.values[end]
    return float(total / h)


@insert.register(CountedShorth)
def insert_counted_shorth(memory: CountedShorth, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the shorth mean; a random tie is drawn once, here."""
    n = tally(memory.counted, arm, reward)
    h = window_size(n, memory.alpha, memory.literal)
    values = memory.counted.values
    shortest, ties, _ = scan_runs(memory.counted, arm, h, values[values.size - 1] - values[0], 0, -1)
    first, last = tied_range(ties, memory.tie, rng)
    return scan_runs(memory.counted, arm, h, shortest, first, last)[2]
