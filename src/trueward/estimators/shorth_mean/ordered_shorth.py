"""The shorth mean of any rewards, mostly in O(log n) per reward."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.native import shift_up
from trueward.engine.protocol import insert
from trueward.engine.states import kept, per_arm
from trueward.estimators.samples.blocked_sample import BlockedSample, value_at
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded_sum, set_sum
from trueward.estimators.samples.range_sum import insert_and_add, move_range
from trueward.estimators.shorth_mean.windows import tied_range, window_size

CHUNK = 32  # windows that are skipped together


class OrderedShorth(NamedTuple):
    """The rewards in order, the sum that all windows share, both tails, and the shortest window.

    With g = n - h rewards outside a window, window k reaches from low[k] to high[g - k], where `low` holds the g + 1
    lowest rewards in increasing order and `high` the g + 1 highest in decreasing order. All windows share the rewards
    from low[g] to high[g], whose sum is kept. Most rewards lie between these two and change only that sum. A reward in
    a tail, with g unchanged, makes windows on one side of it longer, and none shorter: if the shortest window is not
    among them, it stays the shortest. Otherwise, and whenever g increases, all g + 1 windows are searched again.
    """

    sample: BlockedSample  # cursors on low[g] and high[g]
    shared: ExactSum
    tail: ExactSum  # the rest of the shortest window, while there is only one
    low: Annotated[Floats, per_arm(kept, "tail")]  # the lowest rewards, increasing
    high: Annotated[Floats, per_arm(kept, "tail")]  # the highest rewards, decreasing
    n_outside: Annotated[Ints, per_arm(0)]  # g
    best: Annotated[Ints, per_arm(0)]  # k of the shortest window
    ties: Annotated[Ints, per_arm(0)]  # the number of equally short windows
    alpha: float
    tie_rule: int
    literal: bool


@kernel
def insert_into_tail(tail: Floats, last: int, reward: float, sign: float) -> int:
    """Insert a reward into a tail, drop its last one, and return its index; sign is -1 for a decreasing tail."""
    index, stop = 0, last
    while index < stop:
        middle = (index + stop) // 2
        if sign * tail[middle] <= sign * reward:
            index = middle + 1
        else:
            stop = middle
    shift_up(tail, index, last)
    tail[index] = reward
    return index


@kernel
def shortest_window(low: Floats, high: Floats, g: int, guess: int) -> tuple[float, int, int]:
    """Return the length of the shortest window, the last window of that length, and how many there are.

    Every window of a chunk is at least as long as the distance from the highest start to the lowest end in the chunk.
    If that is longer than the shortest window so far, the whole chunk is skipped; a good guess makes this frequent.
    """
    shortest, last, ties = high[g - guess] - low[guess], 0, 0
    for start in range(0, g + 1, CHUNK):
        stop = min(start + CHUNK, g + 1)
        if high[g - start] - low[stop - 1] <= shortest:
            for k in range(start, stop):
                length = high[g - k] - low[k]
                if length < shortest:
                    shortest, ties = length, 0
                if length == shortest:
                    last = k
                    ties += 1
    return shortest, last, ties


@kernel
def tail_sum(low: Floats, high: Floats, g: int, k: int) -> float:
    """Return the sum of window k without the shared part; four independent sums, because that is faster."""
    a = b = c = d = 0.0
    i = k
    while i + 3 < g:
        a += low[i]
        b += low[i + 1]
        c += low[i + 2]
        d += low[i + 3]
        i += 4
    while i < g:
        a += low[i]
        i += 1
    i = g - k
    while i + 3 < g:
        a += high[i]
        b += high[i + 1]
        c += high[i + 2]
        d += high[i + 3]
        i += 4
    while i < g:
        a += high[i]
        i += 1
    return (a + b) + (c + d)


@kernel
def mean_tail_of_ties(
    low: Floats, high: Floats, g: int, length: float, ties: int, tie_rule: int, rng: np.random.Generator
) -> float:
    """Return the mean tail sum of the equally short windows that the tie rule selects."""
    first, last = tied_range(ties, tie_rule, rng)
    total = 0.0
    number = 0
    for k in range(g + 1):
        if high[g - k] - low[k] == length:
            if first <= number <= last:
                total += tail_sum(low, high, g, k) / (last - first + 1)
            number += 1
    return total


@kernel
def insert_into_tails(memory: OrderedShorth, arm: int, reward: float) -> bool:
    """Insert a reward into its tail, if any; return whether the shortest window must be searched again."""
    g, best = memory.n_outside[arm], memory.best[arm]
    low, high = memory.low[arm], memory.high[arm]
    if reward < low[g]:
        before = low[g - 1] if g > 0 else 0.0
        index = insert_into_tail(low, g, reward, 1.0)
        if best < index < g:  # it replaces, in the shortest window, a reward that is now shared
            add_exactly(memory.tail, arm, reward)
            add_exactly(memory.tail, arm, -before)
        return bool(index <= best)
    if reward > high[g]:
        before = high[g - 1] if g > 0 else 0.0
        index = insert_into_tail(high, g, reward, -1.0)
        if g - best < index < g:
            add_exactly(memory.tail, arm, reward)
            add_exactly(memory.tail, arm, -before)
        return bool(index <= g - best)
    return False


@kernel
def find_shortest(memory: OrderedShorth, arm: int, rng: np.random.Generator) -> None:
    """Search all windows, and store the shortest and the sum of its tail."""
    low, high, g = memory.low[arm], memory.high[arm], memory.n_outside[arm]
    length, memory.best[arm], memory.ties[arm] = shortest_window(low, high, g, min(memory.best[arm], g))
    if memory.ties[arm] == 1:
        tail = tail_sum(low, high, g, memory.best[arm])
    else:
        tail = mean_tail_of_ties(low, high, g, length, memory.ties[arm], memory.tie_rule, rng)
    set_sum(memory.tail, arm, tail)


@insert.register(OrderedShorth)
def insert_ordered_shorth(memory: OrderedShorth, arm: int, reward: float, rng: np.random.Generator) -> float:
    n = insert_and_add(memory.sample, memory.shared, arm, reward)
    h = window_size(n, memory.alpha, memory.literal)
    search = n == 1
    if n == 1:
        memory.low[arm, 0] = reward
        memory.high[arm, 0] = reward
    else:
        search = insert_into_tails(memory, arm, reward)
    move_range(memory.sample, memory.shared, arm, n - h, h)
    if n - h > memory.n_outside[arm]:
        memory.n_outside[arm] = n - h
        memory.low[arm, n - h] = value_at(memory.sample, arm, 0)
        memory.high[arm, n - h] = value_at(memory.sample, arm, 1)
        search = True
    if search or memory.ties[arm] > 1:
        find_shortest(memory, arm, rng)
    return (rounded_sum(memory.shared, arm) + rounded_sum(memory.tail, arm)) / h
