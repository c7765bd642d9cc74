"""The exact sum of the rewards between two ranks, kept up to date as rewards arrive and as the ranks move."""

from trueward.engine.kernel import kernel
from trueward.estimators.samples.blocked_sample import (
    BlockedSample,
    insert_first,
    insert_relative_to_cursors,
    step_down,
    step_up,
    value_at,
)
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly


@kernel
def insert_and_add(sample: BlockedSample, range_sum: ExactSum, arm: int, reward: float) -> int:
    """Insert a reward, add it to the sum if it lies between the cursors, and return the new number of rewards."""
    if sample.sizes[arm] == 0:
        insert_first(sample, arm, reward)
        add_exactly(range_sum, arm, reward)
    elif insert_relative_to_cursors(sample, arm, reward) == 0:
        add_exactly(range_sum, arm, reward)
    return int(sample.sizes[arm])


@kernel
def move_range(sample: BlockedSample, range_sum: ExactSum, arm: int, start: int, stop: int) -> None:
    """Move the cursors to ranks start and stop - 1: first outwards, so that the range is never empty, then inwards."""
    while sample.rank[arm, 0] > start:
        step_down(sample, arm, 0)
        add_exactly(range_sum, arm, value_at(sample, arm, 0))
    while sample.rank[arm, 1] < stop - 1:
        step_up(sample, arm, 1)
        add_exactly(range_sum, arm, value_at(sample, arm, 1))
    while sample.rank[arm, 0] < start:
        add_exactly(range_sum, arm, -value_at(sample, arm, 0))
        step_up(sample, arm, 0)
    while sample.rank[arm, 1] > stop - 1:
        add_exactly(range_sum, arm, -value_at(sample, arm, 1))
        step_down(sample, arm, 1)
