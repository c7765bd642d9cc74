"""Rewards in order, in blocks: an insertion moves at most one block's worth of them, however many there are.

Each arm has a directory of blocks in increasing order. Two *cursors* per arm stay on their elements while others are
inserted, know their ranks, and move one element at a time: an estimator whose ranks drift by one or two per reward
never has to search for them.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel, reset
from trueward.engine.shifting import shift_up

ROOM = 128  # rewards in a block; when it is full, it is split in two
HALF = ROOM // 2


class BlockedSample(NamedTuple):
    """The rewards of each arm in order."""

    pool: Floats  # (1, blocks, ROOM) the blocks of all arms
    fill: Ints  # (1, blocks) rewards in each
    used: Ints  # (1,) blocks in use
    order: Ints  # (arms, entries) each arm's blocks in increasing order
    lowest: Floats  # (arms, entries) the lowest reward of each of them
    entries: Ints  # (arms,) blocks of each arm
    sizes: Ints  # (arms,) rewards of each arm
    entry: Ints  # (arms, 2) where each cursor stands: entry of the directory,
    offset: Ints  # (arms, 2) place in the block,
    rank: Ints  # (arms, 2) and rank, counted from 0


def blocked_sample(n_arms: int, capacity: int) -> BlockedSample:
    """Return empty samples; memory is taken by the system only as it is used."""
    entries = capacity // HALF + 1
    blocks = n_arms * entries
    entry, offset, rank = (np.zeros((n_arms, 2), np.int64) for _ in range(3))
    return BlockedSample(
        np.zeros((1, blocks, ROOM)),
        np.zeros((1, blocks), np.int64),
        np.zeros(1, np.int64),
        np.zeros((n_arms, entries), np.int64),
        np.zeros((n_arms, entries)),
        np.zeros(n_arms, np.int64),
        np.zeros(n_arms, np.int64),
        entry,
        offset,
        rank,
    )


@reset.register(BlockedSample)
def reset_blocked_sample(state: BlockedSample) -> None:
    """Forget all rewards."""
    state.used[0] = 0
    state.entries[:] = 0
    state.sizes[:] = 0


@kernel
def find_entry(sample: BlockedSample, arm: int, reward: float) -> int:
    """Return the last entry whose lowest reward is not above this one, or the first."""
    low, high = 0, sample.entries[arm] - 1
    while low < high:
        middle = (low + high + 1) // 2
        if sample.lowest[arm, middle] <= reward:
            low = middle
        else:
            high = middle - 1
    return low


@kernel
def find_offset(sample: BlockedSample, block: int, reward: float) -> int:
    """Return the place in a block before the first reward above this one.

    Counting beats bisection here: the processor compares several rewards at once, and has no branch to guess wrong.
    """
    row, below = sample.pool[0, block], 0
    for i in range(sample.fill[0, block]):
        below += row[i] <= reward
    return below


@kernel
def split(sample: BlockedSample, arm: int, entry: int) -> None:
    """Move the upper half of a full block into a new one behind it; cursors stay on their rewards."""
    old, new = sample.order[arm, entry], sample.used[0]
    sample.used[0] += 1
    for i in range(HALF):
        sample.pool[0, new, i] = sample.pool[0, old, HALF + i]
    sample.fill[0, old] = HALF
    sample.fill[0, new] = HALF
    shift_up(sample.order[arm], entry + 1, sample.entries[arm])
    shift_up(sample.lowest[arm], entry + 1, sample.entries[arm])
    sample.order[arm, entry + 1] = new
    sample.lowest[arm, entry + 1] = sample.pool[0, new, 0]
    sample.entries[arm] += 1
    for c in range(2):
        if sample.entry[arm, c] > entry:
            sample.entry[arm, c] += 1
        elif sample.entry[arm, c] == entry and sample.offset[arm, c] >= HALF:
            sample.entry[arm, c] += 1
            sample.offset[arm, c] -= HALF


@kernel
def begin(sample: BlockedSample, arm: int, reward: float) -> None:
    """Insert an arm's first reward, with both cursors on it."""
    block = sample.used[0]
    sample.used[0] += 1
    sample.order[arm, 0] = block
    sample.lowest[arm, 0] = reward
    sample.pool[0, block, 0] = reward
    sample.fill[0, block] = 1
    sample.entries[arm] = 1
    sample.sizes[arm] = 1
    for c in range(2):
        sample.entry[arm, c] = 0
        sample.offset[arm, c] = 0
        sample.rank[arm, c] = 0


@kernel
def put(sample: BlockedSample, block: int, offset: int, reward: float) -> None:
    """Put a reward into its place in a block."""
    shift_up(sample.pool[0, block], offset, sample.fill[0, block])
    sample.pool[0, block, offset] = reward
    sample.fill[0, block] += 1


@kernel
def place_between(sample: BlockedSample, arm: int, reward: float) -> int:
    """Insert a reward; return -1 if it came below both cursors, 0 between them, 1 above both."""
    entry = find_entry(sample, arm, reward)
    if sample.fill[0, sample.order[arm, entry]] == ROOM:
        split(sample, arm, entry)
        if sample.lowest[arm, entry + 1] <= reward:
            entry += 1
    block = sample.order[arm, entry]
    offset = find_offset(sample, block, reward)
    put(sample, block, offset, reward)
    sample.lowest[arm, entry] = sample.pool[0, block, 0]
    sample.sizes[arm] += 1
    side = 1
    for c in range(2):
        here = sample.entry[arm, c]
        if entry < here or (entry == here and offset <= sample.offset[arm, c]):
            sample.rank[arm, c] += 1
            side -= 1
            if entry == here:
                sample.offset[arm, c] += 1
    return side


@kernel
def step_up(sample: BlockedSample, arm: int, c: int) -> None:
    """Move a cursor to the next reward."""
    sample.rank[arm, c] += 1
    sample.offset[arm, c] += 1
    if sample.offset[arm, c] == sample.fill[0, sample.order[arm, sample.entry[arm, c]]]:
        sample.entry[arm, c] += 1
        sample.offset[arm, c] = 0


@kernel
def step_down(sample: BlockedSample, arm: int, c: int) -> None:
    """Move a cursor to the reward before."""
    sample.rank[arm, c] -= 1
    sample.offset[arm, c] -= 1
    if sample.offset[arm, c] < 0:
        sample.entry[arm, c] -= 1
        sample.offset[arm, c] = sample.fill[0, sample.order[arm, sample.entry[arm, c]]] - 1


@kernel
def under(sample: BlockedSample, arm: int, c: int) -> float:
    """Return the reward under a cursor."""
    return float(sample.pool[0, sample.order[arm, sample.entry[arm, c]], sample.offset[arm, c]])
