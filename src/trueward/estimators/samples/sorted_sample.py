"""Each arm's rewards in increasing order, in one array."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.states import REWARDS, kept, per_arm


class SortedSample(NamedTuple):
    """The rewards of each arm, sorted; `values[arm, sizes[arm]:]` is unused."""

    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]


@kernel
def insert_sorted(sample: SortedSample, arm: int, reward: float) -> int:
    """Insert a reward, and return the new number of rewards."""
    n = int(sample.sizes[arm])
    i = n
    while i > 0 and sample.values[arm, i - 1] > reward:
        sample.values[arm, i] = sample.values[arm, i - 1]
        i -= 1
    sample.values[arm, i] = reward
    sample.sizes[arm] = n + 1
    return n + 1


@kernel
def count_below(values: Floats, n: int, threshold: float) -> int:
    """Return how many of the first n sorted values are below the threshold."""
    return int(np.searchsorted(values[:n], threshold))
