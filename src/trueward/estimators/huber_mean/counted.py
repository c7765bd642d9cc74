"""Huber's mean of counted ratings: the sum whose root it is has one term per value of the scale."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import kernel
from trueward.engine.protocol import insert
from trueward.estimators.samples.histogram import Histogram, at_rank, tally


class CountedHuber(NamedTuple):
    """The counts, and how far a rating pulls."""

    counted: Histogram
    beta: float


@kernel
def counted_pull(counted: Histogram, arm: int, beta: float, theta: float) -> float:
    """Return the sum of psi(x - theta)."""
    total = 0.0
    for j in range(counted.counts.shape[1]):
        total += counted.counts[arm, j] * max(-beta, min(beta, counted.values[j] - theta))
    return total


@kernel
def values_left_of_the_root(counted: Histogram, arm: int, beta: float, shift: float) -> int:
    """Return for how many values of the scale the knot x + shift lies left of the root."""
    low, high = 0, counted.counts.shape[1]
    while low < high:
        middle = (low + high) // 2
        if counted_pull(counted, arm, beta, counted.values[middle] + shift) > 0.0:
            low = middle + 1
        else:
            high = middle
    return low


@insert.register(CountedHuber)
def insert_counted_huber(memory: CountedHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Count a rating and return the root, as `huber_root` does for sorted rewards."""
    counted, beta = memory.counted, memory.beta
    n = tally(counted, arm, reward)
    values, counts = counted.values, counted.counts[arm]
    below, above = values[at_rank(counted, arm, (n - 1) // 2)], values[at_rank(counted, arm, n // 2)]
    first = values_left_of_the_root(counted, arm, beta, beta)
    last = values_left_of_the_root(counted, arm, beta, -beta)
    left, inside, total = 0, 0, 0.0
    for j in range(first):
        left += counts[j]
    for j in range(first, last):
        inside += counts[j]
        total += counts[j] * (values[j] - below)
    if above - below >= 2.0 * beta or inside == 0:
        return float(0.5 * below + 0.5 * above)
    return float(below + (total + beta * (n - inside - 2 * left)) / inside)
