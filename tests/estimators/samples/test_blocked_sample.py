from hypothesis import given, settings
from hypothesis import strategies as st

from trueward.engine.states import Setting
from trueward.estimators.samples.blocked_sample import (
    BLOCK_SIZE,
    HALF_BLOCK,
    insert_first,
    insert_relative_to_cursors,
    new_blocked_sample,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 50), min_size=1, max_size=5 * BLOCK_SIZE))
def test_blocked_sample_keeps_every_reward_in_order(values):
    sample = new_blocked_sample(Setting(1, capacity=len(values)))
    insert_first(sample, 0, float(values[0]))
    for value in values[1:]:
        insert_relative_to_cursors(sample, 0, float(value))
    blocks = [sample.order[0, i] for i in range(sample.entries[0])]
    stored = [sample.pool[block, i] for block in blocks for i in range(sample.block_sizes[block])]
    assert stored == sorted(values)
    assert [sample.pool[block, 0] for block in blocks] == sample.lowest[0, : len(blocks)].tolist()
    assert all(sample.block_sizes[block] >= HALF_BLOCK for block in blocks) or len(blocks) == 1
