"""The shorth mean, mostly in O(log n): most rewards change neither which window is shortest nor its tails.

With g = n - h rewards left out, window k reaches from low[k] to high[g - k], where `low` holds the g + 1 lowest rewards
upwards and `high` the g + 1 highest downwards. All windows share the rewards from low[g] to high[g], whose sum is kept.
A reward between those two changes only that sum. One that falls into a tail, with g unchanged, makes windows longer,
never shorter, and only on one side of its place: if the shortest is not among them, it stays the shortest. Else, and
whenever g grows, all g + 1 windows are looked at again.
"""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.native import shift_up
from trueward.engine.protocol import insert
from trueward.engine.states import kept, per_arm
from trueward.estimators.mean_of_ranks import keep_ranks, place_and_add
from trueward.estimators.samples.blocked_sample import BlockedSample, under
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded, set_sum
from trueward.estimators.shorth_mean.windows import tied_range, window_size

STRETCH = 32  # windows


class OrderedShorth(NamedTuple):
    """The rewards in order, the sum that all windows share, both tails, and the shortest window."""

    sample: BlockedSample  # cursors on low[g] and high[g]
    shared: ExactSum
    tail: ExactSum  # the rest of the shortest window, while there is only one
    low: Annotated[Floats, per_arm(kept, "tail")]  # the lowest rewards, upwards
    high: Annotated[Floats, per_arm(kept, "tail")]  # the highest rewards, downwards
    spare: Annotated[Ints, per_arm(0)]  # g
    best: Annotated[Ints, per_arm(0)]  # where the shortest window begins
    ties: Annotated[Ints, per_arm(0)]  # how many windows are equally short
    alpha: float
    tie: int
    literal: bool


@kernel
def push_into(tail: Floats, last: int, reward: float, sign: float) -> int:
    """Insert a reward into a tail, whose last one drops out, and return its place; sign is -1 for a falling tail."""
    place, stop = 0, last
    while place < stop:
        middle = (place + stop) // 2
        if sign * tail[middle] <= sign * reward:
            place = middle + 1
        else:
            stop = middle
    shift_up(tail, place, last)
    tail[place] = reward
    return place


@kernel
def shortest_window(low: Floats, high: Floats, g: int, guess: int) -> tuple[float, int, int]:
    """Return the length of the shortest window, the last one that has it, and how many have it.

    Every window of a stretch is at least as long as from its highest beginning to its lowest end. Where that is longer
    than a window already seen, and a good guess is seen first, the whole stretch is passed over.
    """
    shortest, last, ties = high[g - guess] - low[guess], 0, 0
    for start in range(0, g + 1, STRETCH):
        stop = min(start + STRETCH, g + 1)
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
    """Return the sum of window k without what all windows share; four sums side by side."""
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
    low: Floats, high: Floats, g: int, length: float, ties: int, tie: int, rng: np.random.Generator
) -> float:
    """Return the mean tail sum of those of the equally short windows that the tie rule takes."""
    first, last = tied_range(ties, tie, rng)
    total = 0.0
    number = 0
    for k in range(g + 1):
        if high[g - k] - low[k] == length:
            if first <= number <= last:
                total += tail_sum(low, high, g, k) / (last - first + 1)
            number += 1
    return total


@kernel
def push_into_tails(memory: OrderedShorth, arm: int, reward: float) -> bool:
    """Insert a reward into the tail it belongs to, if any; return whether the shortest window must be sought again."""
    g, best = memory.spare[arm], memory.best[arm]
    low, high = memory.low[arm], memory.high[arm]
    if reward < low[g]:
        before = low[g - 1] if g > 0 else 0.0
        place = push_into(low, g, reward, 1.0)
        if best < place < g:  # in the shortest window, in place of what is now shared
            add_exactly(memory.tail, arm, reward)
            add_exactly(memory.tail, arm, -before)
        return bool(place <= best)
    if reward > high[g]:
        before = high[g - 1] if g > 0 else 0.0
        place = push_into(high, g, reward, -1.0)
        if g - best < place < g:
            add_exactly(memory.tail, arm, reward)
            add_exactly(memory.tail, arm, -before)
        return bool(place <= g - best)
    return False


@kernel
def seek_shortest(memory: OrderedShorth, arm: int, rng: np.random.Generator) -> None:
    """Look at all windows, and write down the shortest and its tail."""
    low, high, g = memory.low[arm], memory.high[arm], memory.spare[arm]
    length, memory.best[arm], memory.ties[arm] = shortest_window(low, high, g, min(memory.best[arm], g))
    if memory.ties[arm] == 1:
        tail = tail_sum(low, high, g, memory.best[arm])
    else:
        tail = mean_tail_of_ties(low, high, g, length, memory.ties[arm], memory.tie, rng)
    set_sum(memory.tail, arm, tail)


@insert.register(OrderedShorth)
def insert_ordered_shorth(memory: OrderedShorth, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the shorth mean."""
    n = place_and_add(memory.sample, memory.shared, arm, reward)
    h = window_size(n, memory.alpha, memory.literal)
    seek = n == 1
    if n == 1:
        memory.low[arm, 0] = reward
        memory.high[arm, 0] = reward
    else:
        seek = push_into_tails(memory, arm, reward)
    keep_ranks(memory.sample, memory.shared, arm, n - h, h)
    if n - h > memory.spare[arm]:
        memory.spare[arm] = n - h
        memory.low[arm, n - h] = under(memory.sample, arm, 0)
        memory.high[arm, n - h] = under(memory.sample, arm, 1)
        seek = True
    if seek or memory.ties[arm] > 1:
        seek_shortest(memory, arm, rng)
    return (rounded(memory.shared, arm) + rounded(memory.tail, arm)) / h
