"""The median in O(log n): two cursors on the middle ranks."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import kernel
from trueward.engine.stages import insert
from trueward.estimators.samples.blocked_sample import (
    BlockedSample,
    begin,
    place_between,
    step_down,
    step_up,
    under,
)


class OrderedMedian(NamedTuple):
    """The rewards in order, and which of two middle ones counts."""

    sample: BlockedSample
    upper: bool


@kernel
def seek(sample: BlockedSample, arm: int, c: int, rank: int) -> float:
    """Move a cursor to a rank and return the reward there."""
    while sample.rank[arm, c] < rank:
        step_up(sample, arm, c)
    while sample.rank[arm, c] > rank:
        step_down(sample, arm, c)
    return under(sample, arm, c)


@insert.register(OrderedMedian)
def insert_ordered_median(memory: OrderedMedian, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the median."""
    if memory.sample.sizes[arm] == 0:
        begin(memory.sample, arm, reward)
    else:
        place_between(memory.sample, arm, reward)
    n = memory.sample.sizes[arm]
    low = seek(memory.sample, arm, 0, (n - 1) // 2)
    high = seek(memory.sample, arm, 1, n // 2)
    return high if memory.upper else 0.5 * low + 0.5 * high
