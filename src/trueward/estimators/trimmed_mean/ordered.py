"""The trimmed mean in O(log n): cursors at both ends of the kept ranks, and an exact sum of what lies between.

With a reward more, each end moves by one rank or not at all, so that one or two rewards enter or leave the sum.
"""

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
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded
from trueward.estimators.trimmed_mean.ranks import kept_ranks


class OrderedTrimmed(NamedTuple):
    """The rewards in order, cursors on the first and the last kept one, and the sum from one to the other."""

    sample: BlockedSample
    kept: ExactSum
    alpha: float
    floor: bool
    literal: bool


@kernel
def place_and_add(sample: BlockedSample, kept: ExactSum, arm: int, reward: float) -> int:
    """Insert a reward, add it to the sum if it lies among the kept, and return the new number of rewards."""
    if sample.sizes[arm] == 0:
        begin(sample, arm, reward)
        add_exactly(kept, arm, reward)
    elif place_between(sample, arm, reward) == 0:
        add_exactly(kept, arm, reward)
    return int(sample.sizes[arm])


@kernel
def keep_ranks(sample: BlockedSample, kept: ExactSum, arm: int, start: int, stop: int) -> None:
    """Move both ends to new ranks: first outwards, so that something is always kept, then inwards."""
    while sample.rank[arm, 0] > start:
        step_down(sample, arm, 0)
        add_exactly(kept, arm, under(sample, arm, 0))
    while sample.rank[arm, 1] < stop - 1:
        step_up(sample, arm, 1)
        add_exactly(kept, arm, under(sample, arm, 1))
    while sample.rank[arm, 0] < start:
        add_exactly(kept, arm, -under(sample, arm, 0))
        step_up(sample, arm, 0)
    while sample.rank[arm, 1] > stop - 1:
        add_exactly(kept, arm, -under(sample, arm, 1))
        step_down(sample, arm, 1)


@insert.register(OrderedTrimmed)
def insert_ordered_trimmed(memory: OrderedTrimmed, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the mean of the kept ranks."""
    n = place_and_add(memory.sample, memory.kept, arm, reward)
    start, stop = kept_ranks(n, memory.alpha, memory.floor, memory.literal)
    keep_ranks(memory.sample, memory.kept, arm, start, stop)
    return rounded(memory.kept, arm) / (stop - start)
