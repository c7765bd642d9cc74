"""Huber's mean of sorted rewards: the root of sum_i psi(x_i - theta) = 0."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import insert
from trueward.estimators.samples.sorted_sample import SortedSample, count_below, place


@kernel
def pull_at(values: Floats, n: int, beta: float, theta: float) -> float:
    """Return the sum of psi(x - theta): only rewards within beta are added, the others are counted."""
    first = count_below(values, n, theta - beta)
    total, last = 0.0, first
    while last < n and values[last] <= theta + beta:
        total += values[last] - theta
        last += 1
    return total + beta * (n - last - first)


@kernel
def knots_left_of_the_root(values: Floats, n: int, beta: float, shift: float) -> int:
    """Return for how many rewards the knot x + shift lies left of the root."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if pull_at(values, n, beta, values[middle] + shift) > 0.0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def huber_root(values: Floats, n: int, beta: float) -> float:
    """Return Huber's mean of n sorted values."""
    below, above = values[(n - 1) // 2], values[n // 2]
    entered = knots_left_of_the_root(values, n, beta, -beta)
    left = knots_left_of_the_root(values, n, beta, beta)
    # Two halves apart, or a beta so small that adding it to such rewards changes nothing: the median is a root.
    if above - below >= 2.0 * beta or entered <= left:
        return float(0.5 * below + 0.5 * above)
    anchor = float(values[left])  # differences only: rewards of 1e300 do not add up
    total = beta * (n - entered - left)
    for i in range(left, entered):
        total += values[i] - anchor
    return anchor + total / (entered - left)


class OrderedHuber(NamedTuple):
    """The sorted rewards, and how far one pulls."""

    sample: SortedSample
    beta: float


@insert.register(OrderedHuber)
def insert_ordered_huber(memory: OrderedHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the root."""
    n = place(memory.sample, arm, reward)
    return huber_root(memory.sample.values[arm], n, memory.beta)
