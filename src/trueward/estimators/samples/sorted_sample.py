"""Each arm's rewards in increasing order: the memory under every rank-based estimator."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel, reset


class SortedSample(NamedTuple):
    """The rewards of each arm, sorted; `values[arm, sizes[arm]:]` is unused."""

    sizes: Ints  # (arms,)
    values: Floats  # (arms, capacity)


def sorted_sample(n_arms: int, capacity: int) -> SortedSample:
    """Return empty samples."""
    return SortedSample(np.zeros(n_arms, np.int64), np.zeros((n_arms, capacity)))


@reset.register(SortedSample)
def reset_sorted_sample(state: SortedSample) -> None:
    """Forget all rewards."""
    state.sizes[:] = 0


@kernel
def place(sample: SortedSample, arm: int, reward: float) -> int:
    """Insert a reward into its place and return the new number of rewards."""
    n = int(sample.sizes[arm])
    i = n
    while i > 0 and sample.values[arm, i - 1] > reward:
        sample.values[arm, i] = sample.values[arm, i - 1]
        i -= 1
    sample.values[arm, i] = reward
    sample.sizes[arm] = n + 1
    return n + 1


@kernel
def count_below(values: Floats, n: int, bar: float) -> int:
    """Return how many of n sorted values lie below the bar."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if values[middle] < bar:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def slice_sum(values: Floats, start: int, stop: int) -> float:
    """Return the sum of values[start:stop], added in order: no value outside can disturb it."""
    total = 0.0
    for i in range(start, stop):
        total += values[i]
    return total
