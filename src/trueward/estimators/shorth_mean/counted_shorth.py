"""The shorth mean of ratings on a small scale, from their counts."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import kernel
from trueward.engine.protocol import insert
from trueward.estimators.samples.histogram import Histogram, count_rating
from trueward.estimators.shorth_mean.windows import tied_range, window_size


class CountedShorth(NamedTuple):
    """The counts, and the parameters of the shorth mean.

    Windows that begin at the same value and end at the same value are equally long, and their sums increase by a
    constant from one start to the next. So equally short windows come in runs, one per value, and the mean over a run
    is that of its middle window: no window has to be visited on its own.
    """

    histogram: Histogram
    alpha: float
    tie_rule: int
    literal: bool


@kernel
def scan_runs(
    histogram: Histogram, arm: int, h: int, length: float, first_tie: int, last_tie: int
) -> tuple[float, int, float]:
    """Return the length of the shortest window of h ratings, how many windows tie, and the mean of some of these.

    `length` is an upper bound. The mean is the average of the means of the tied windows first_tie to last_tie.
    """
    shortest, ties, estimate = length, 0, 0.0
    end, up_to = 0, histogram.counts[arm, 0]  # the first value with at least first + h ratings up to it
    below = 0  # ratings below the value at which windows start
    n = histogram.sizes[arm]
    for start in range(histogram.counts.shape[1]):
        here = histogram.counts[arm, start]
        first, last = below, below + here - 1  # ranks at which a window may start with this value
        while first <= last and first + h <= n:
            while up_to < first + h:
                end += 1
                up_to += histogram.counts[arm, end]
            run = min(last, up_to - h) - first + 1  # the number of starts whose windows end at the same value
            width = histogram.values[end] - histogram.values[start]
            if width < shortest:
                shortest, ties = width, 0
            if width == shortest:
                low, high = max(first_tie, ties), min(last_tie, ties + run - 1)
                if low <= high:
                    middle = first + 0.5 * (low + high) - ties  # the middle of the selected starts in this run
                    mean = window_mean(histogram, arm, h, start, end, below, up_to, middle)
                    estimate += (high - low + 1) * mean / (last_tie - first_tie + 1)
                ties += run
            first += run
        below += here
    return shortest, ties, estimate


@kernel
def window_mean(
    histogram: Histogram, arm: int, h: int, start: int, end: int, below: int, up_to: int, first_rank: float
) -> float:
    """Return the mean of the h ratings from a rank on; a fractional rank stands for the mean of its neighbours."""
    if start == end:
        return float(histogram.values[start])
    total = (below + histogram.counts[arm, start] - first_rank) * histogram.values[start]
    for j in range(start + 1, end):
        total += histogram.counts[arm, j] * histogram.values[j]
    total += (first_rank + h - (up_to - histogram.counts[arm, end])) * histogram.values[end]
    return float(total / h)


@insert.register(CountedShorth)
def insert_counted_shorth(memory: CountedShorth, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the shorth mean. Of tied windows, a random one is drawn once."""
    n = count_rating(memory.histogram, arm, reward)
    h = window_size(n, memory.alpha, memory.literal)
    values = memory.histogram.values
    shortest, ties, _ = scan_runs(memory.histogram, arm, h, values[values.size - 1] - values[0], 0, -1)
    first, last = tied_range(ties, memory.tie_rule, rng)
    return scan_runs(memory.histogram, arm, h, shortest, first, last)[2]
