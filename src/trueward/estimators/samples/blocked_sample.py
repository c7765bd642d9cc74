"""Rewards in order, in blocks: an insertion moves at most one block's worth of them, however many there are.

Each arm has a directory of blocks in increasing order. Two *cursors* per arm stay on their elements while others are
inserted, know their ranks, and move one element at a time: an estimator whose ranks drift by one or two per reward
never has to search for them.
"""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.native import shift_up
from trueward.engine.states import Setting, kept, new, per_arm, single

ROOM = 128  # rewards in a block; when it is full, it is split in two
HALF = ROOM // 2


class BlockedSample(NamedTuple):
    """The rewards of each arm in order."""

    pool: Annotated[Floats, single(kept, "blocks", ROOM)]  # the blocks of all arms
    fill: Annotated[Ints, single(kept, "blocks")]  # rewards in each
    used: Annotated[Ints, single(0)]  # blocks in use
    order: Annotated[Ints, per_arm(kept, "entries")]  # each arm's blocks in increasing order
    lowest: Annotated[Floats, per_arm(kept, "entries")]  # the lowest reward of each of them
    entries: Annotated[Ints, per_arm(0)]  # blocks of each arm
    sizes: Annotated[Ints, per_arm(0)]  # rewards of each arm
    entry: Annotated[Ints, per_arm(kept, 2)]  # where each cursor stands: entry of the directory,
    offset: Annotated[Ints, per_arm(kept, 2)]  # place in the block,
    rank: Annotated[Ints, per_arm(kept, 2)]  # and rank, counted from 0


def blocked_sample(setting: Setting) -> BlockedSample:
    """Return empty samples; memory is taken by the system only as it is used."""
    entries = setting.capacity // HALF + 1
    return new(BlockedSample, setting, {"entries": entries, "blocks": setting.n_arms * entries})


@kernel
def find_entry(sample: BlockedSample, arm: int, reward: float) -> int:
    """Return the last entry whose lowest reward is not above this one, or the first."""
    return max(0, int(np.searchsorted(sample.lowest[arm, : sample.entries[arm]], reward, side="right")) - 1)


@kernel
def find_offset(sample: BlockedSample, block: int, reward: float) -> int:
    """Return the place in a block before the first reward above this one.

    Counting beats bisection here: the processor compares several rewards at once, and has no branch to guess wrong.
    """
    row, below = sample.pool[block], 0
    for i in range(sample.fill[block]):
        below += row[i] <= reward
    return below


@kernel
def split(sample: BlockedSample, arm: int, entry: int) -> None:
    """Move the upper half of a full block into a new one behind it; cursors stay on their rewards."""
    old, new = sample.order[arm, entry], sample.used[0]
    sample.used[0] += 1
    for i in range(HALF):
        sample.pool[new, i] = sample.pool[old, HALF + i]
    sample.fill[old] = HALF
    sample.fill[new] = HALF
    shift_up(sample.order[arm], entry + 1, sample.entries[arm])
    shift_up(sample.lowest[arm], entry + 1, sample.entries[arm])
    sample.order[arm, entry + 1] = new
    sample.lowest[arm, entry + 1] = sample.pool[new, 0]
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
    sample.pool[block, 0] = reward
    sample.fill[block] = 1
    sample.entries[arm] = 1
    sample.sizes[arm] = 1
    for c in range(2):
        sample.entry[arm, c] = 0
        sample.offset[arm, c] = 0
        sample.rank[arm, c] = 0


@kernel
def put(sample: BlockedSample, block: int, offset: int, reward: float) -> None:
    """Put a reward into its place in a block."""
    shift_up(sample.pool[block], offset, sample.fill[block])
    sample.pool[block, offset] = reward
    sample.fill[block] += 1


@kernel
def place_between(sample: BlockedSample, arm: int, reward: float) -> int:
    """Insert a reward; return -1 if it came below both cursors, 0 between them, 1 above both."""
    entry = find_entry(sample, arm, reward)
    if sample.fill[sample.order[arm, entry]] == ROOM:
        split(sample, arm, entry)
        if sample.lowest[arm, entry + 1] <= reward:
            entry += 1
    block = sample.order[arm, entry]
    offset = find_offset(sample, block, reward)
    put(sample, block, offset, reward)
    sample.lowest[arm, entry] = sample.pool[block, 0]
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
    if sample.offset[arm, c] == sample.fill[sample.order[arm, sample.entry[arm, c]]]:
        sample.entry[arm, c] += 1
        sample.offset[arm, c] = 0


@kernel
def step_down(sample: BlockedSample, arm: int, c: int) -> None:
    """Move a cursor to the reward before."""
    sample.rank[arm, c] -= 1
    sample.offset[arm, c] -= 1
    if sample.offset[arm, c] < 0:
        sample.entry[arm, c] -= 1
        sample.offset[arm, c] = sample.fill[sample.order[arm, sample.entry[arm, c]]] - 1


@kernel
def under(sample: BlockedSample, arm: int, c: int) -> float:
    """Return the reward under a cursor."""
    return float(sample.pool[sample.order[arm, sample.entry[arm, c]], sample.offset[arm, c]])
