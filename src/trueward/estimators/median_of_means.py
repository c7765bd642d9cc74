"""The median of means."""

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, kernel
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_sample


@kernel
def median_in_place(values: Floats, n: int) -> float:
    """Sort the first n values by insertion, and return their median."""
    for i in range(1, n):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value
    return float(0.5 * values[(n - 1) // 2] + 0.5 * values[n // 2])


@kernel
def median_of_blocks(values: Floats, n: int, blocks: int, means: Floats) -> float:
    """Return the median of the means of blocks of consecutive values; `means` is scratch space for one per block."""
    size = n // blocks
    for block in range(blocks):
        mean = 0.0
        for i in range(size):
            mean += (float(values[block * size + i]) - mean) / (i + 1)  # a sum of rewards of 1e300 would overflow
        means[block] = mean
    return median_in_place(means, blocks)


def median_of_means(x: ArrayLike, blocks: int) -> float:
    """Return the median of means: split the rewards into blocks in order of arrival, and take the median block mean.

        k blocks of floor(n / k) consecutive rewards; the rest at the end is not used

    It withstands heavy tails, and arbitrary rewards in fewer than half of the *blocks*: k / 2 bad rewards can break it.
    It depends on the order of the rewards, so it is a function and not an `Estimator`; `HeavyTailUCB` uses it.

    Parameters
    ----------
    x : array_like
        Rewards in order of arrival.
    blocks : int
        Number of blocks, from 1 to the number of rewards.

    Notes
    -----
    Guarantee: with E|X - mu|^(1 + e) <= v and 8 ln(e^(1/8) / delta) blocks, the error is at most
    (12 v)^(1 / (1 + e)) (16 ln(e^(1/8) / delta) / n)^(e / (1 + e)) with probability 1 - delta.

    Examples
    --------
    >>> median_of_means([1, 3, 2, 4, 1e18, 5, 7], blocks=3)  # the block means are 2, 3 and 5e17
    3.0

    References
    ----------
    Bubeck, Cesa-Bianchi & Lugosi (2013), Bandits with heavy tail, Lemma 2.
    """
    rewards = check_sample(x, -1)
    if check_integer("blocks", blocks, at_least=1) > rewards.size:
        raise ParameterError(f"blocks must be at most the number of rewards, {rewards.size}, got {blocks!r}")
    return median_of_blocks(rewards, rewards.size, int(blocks), np.empty(int(blocks)))
