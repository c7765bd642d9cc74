"""Sorted rewards in blocks, with two cursors: an insertion moves at most one block of rewards."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.native import shift_up
from trueward.engine.states import Setting, kept, new, per_arm, single

BLOCK_SIZE = 128  # rewards; a full block is split in two
HALF_BLOCK = BLOCK_SIZE // 2


class BlockedSample(NamedTuple):
    """The rewards of each arm in increasing order.

    Each arm has a directory of its blocks, in increasing order. Two *cursors* per arm stay on their rewards while
    others are inserted; they know their ranks and move one reward at a time. So an estimator whose ranks move by one or
    two per reward never has to search for them.
    """

    pool: Annotated[Floats, single(kept, "blocks", BLOCK_SIZE)]  # (blocks, rewards) the blocks of all arms
    block_sizes: Annotated[Ints, single(kept, "blocks")]  # rewards in each block
    used: Annotated[Ints, single(0)]  # blocks in use
    order: Annotated[Ints, per_arm(kept, "entries")]  # the directory: each arm's blocks in increasing order
    lowest: Annotated[Floats, per_arm(kept, "entries")]  # the lowest reward of each of these blocks
    entries: Annotated[Ints, per_arm(0)]  # blocks of each arm
    sizes: Annotated[Ints, per_arm(0)]  # rewards of each arm
    entry: Annotated[Ints, per_arm(kept, 2)]  # directory entry of each cursor
    offset: Annotated[Ints, per_arm(kept, 2)]  # its offset in the block
    rank: Annotated[Ints, per_arm(kept, 2)]  # its rank, from 0


def new_blocked_sample(setting: Setting) -> BlockedSample:
    """Return empty samples. The operating system provides memory only as it is used."""
    entries = setting.capacity // HALF_BLOCK + 1
    return new(BlockedSample, setting, {"entries": entries, "blocks": setting.n_arms * entries})


@kernel
def block_index(sample: BlockedSample, arm: int, reward: float) -> int:
    """Return the last entry of the directory whose lowest reward is not above this one, or the first entry."""
    return max(0, int(np.searchsorted(sample.lowest[arm, : sample.entries[arm]], reward, side="right")) - 1)


@kernel
def insertion_offset(sample: BlockedSample, block: int, reward: float) -> int:
    """Return the offset in a block before the first reward above this one.

    Counting is faster than bisection here: the processor compares several rewards at once and mispredicts no branch.
    """
    row, below = sample.pool[block], 0
    for i in range(sample.block_sizes[block]):
        below += row[i] <= reward
    return below


@kernel
def split_block(sample: BlockedSample, arm: int, entry: int) -> None:
    """Move the upper half of a full block into a new one after it; cursors stay on their rewards."""
    old, new = sample.order[arm, entry], sample.used[0]
    sample.used[0] += 1
    for i in range(HALF_BLOCK):
        sample.pool[new, i] = sample.pool[old, HALF_BLOCK + i]
    sample.block_sizes[old] = HALF_BLOCK
    sample.block_sizes[new] = HALF_BLOCK
    shift_up(sample.order[arm], entry + 1, sample.entries[arm])
    shift_up(sample.lowest[arm], entry + 1, sample.entries[arm])
    sample.order[arm, entry + 1] = new
    sample.lowest[arm, entry + 1] = sample.pool[new, 0]
    sample.entries[arm] += 1
    for cursor in range(2):
        if sample.entry[arm, cursor] > entry:
            sample.entry[arm, cursor] += 1
        elif sample.entry[arm, cursor] == entry and sample.offset[arm, cursor] >= HALF_BLOCK:
            sample.entry[arm, cursor] += 1
            sample.offset[arm, cursor] -= HALF_BLOCK


@kernel
def insert_first(sample: BlockedSample, arm: int, reward: float) -> None:
    """Insert an arm's first reward, with both cursors on it."""
    block = sample.used[0]
    sample.used[0] += 1
    sample.order[arm, 0] = block
    sample.lowest[arm, 0] = reward
    sample.pool[block, 0] = reward
    sample.block_sizes[block] = 1
    sample.entries[arm] = 1
    sample.sizes[arm] = 1
    for cursor in range(2):
        sample.entry[arm, cursor] = 0
        sample.offset[arm, cursor] = 0
        sample.rank[arm, cursor] = 0


@kernel
def insert_into_block(sample: BlockedSample, block: int, offset: int, reward: float) -> None:
    shift_up(sample.pool[block], offset, sample.block_sizes[block])
    sample.pool[block, offset] = reward
    sample.block_sizes[block] += 1


@kernel
def insert_relative_to_cursors(sample: BlockedSample, arm: int, reward: float) -> int:
    """Insert a reward; return -1 if it lies below both cursors, 0 if between them, 1 if above both."""
    entry = block_index(sample, arm, reward)
    if sample.block_sizes[sample.order[arm, entry]] == BLOCK_SIZE:
        split_block(sample, arm, entry)
        if sample.lowest[arm, entry + 1] <= reward:
            entry += 1
    block = sample.order[arm, entry]
    offset = insertion_offset(sample, block, reward)
    insert_into_block(sample, block, offset, reward)
    sample.lowest[arm, entry] = sample.pool[block, 0]
    sample.sizes[arm] += 1
    side = 1
    for cursor in range(2):
        here = sample.entry[arm, cursor]
        if entry < here or (entry == here and offset <= sample.offset[arm, cursor]):
            sample.rank[arm, cursor] += 1
            side -= 1
            if entry == here:
                sample.offset[arm, cursor] += 1
    return side


@kernel
def step_up(sample: BlockedSample, arm: int, cursor: int) -> None:
    sample.rank[arm, cursor] += 1
    sample.offset[arm, cursor] += 1
    if sample.offset[arm, cursor] == sample.block_sizes[sample.order[arm, sample.entry[arm, cursor]]]:
        sample.entry[arm, cursor] += 1
        sample.offset[arm, cursor] = 0


@kernel
def step_down(sample: BlockedSample, arm: int, cursor: int) -> None:
    sample.rank[arm, cursor] -= 1
    sample.offset[arm, cursor] -= 1
    if sample.offset[arm, cursor] < 0:
        sample.entry[arm, cursor] -= 1
        sample.offset[arm, cursor] = sample.block_sizes[sample.order[arm, sample.entry[arm, cursor]]] - 1


@kernel
def value_at(sample: BlockedSample, arm: int, cursor: int) -> float:
    return float(sample.pool[sample.order[arm, sample.entry[arm, cursor]], sample.offset[arm, cursor]])
