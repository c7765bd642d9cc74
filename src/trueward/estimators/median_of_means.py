"""The median of means: cut the rewards into blocks as they came, and take the median of the blocks' means.

    k blocks of floor(n / k) consecutive rewards; what is left over at the end is not used

Withstands heavy tails, and anything at all in fewer than half of the *blocks*: k / 2 bad rewards can break it. It
depends on the order of the rewards, so it is a function here and not an `Estimator`; `HeavyTailUCB` plays with it.

>>> median_of_means([1, 3, 2, 4, 1e18, 5, 7], blocks=3)  # of 2, 3 and 5e17
3.0

Guarantee: with E|X - mu|^(1 + e) <= v and 8 ln(e^(1/8) / delta) blocks, an error of at most
(12 v)^(1 / (1 + e)) (16 ln(e^(1/8) / delta) / n)^(e / (1 + e)) with probability 1 - delta.

Reference: Bubeck, Cesa-Bianchi & Lugosi (2013), Bandits with heavy tail, Lemma 2.
"""

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, kernel
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_sample


@kernel
def median_in_place(values: Floats, n: int) -> float:
    """Sort the first n values and return their median."""
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
    """Return the median of the means of blocks of consecutive values; `means` has room for one per block."""
    size = n // blocks
    for block in range(blocks):
        mean = 0.0
        for i in range(size):
            mean += (float(values[block * size + i]) - mean) / (i + 1)  # rewards of 1e300 do not add up
        means[block] = mean
    return median_in_place(means, blocks)


def median_of_means(x: ArrayLike, blocks: int) -> float:
    """Return the median of the means of consecutive blocks of a sample."""
    rewards = check_sample(x, -1)
    if check_integer("blocks", blocks, at_least=1) > rewards.size:
        raise ParameterError(f"blocks must be at most the number of rewards, {rewards.size}, got {blocks!r}")
    return median_of_blocks(rewards, rewards.size, int(blocks), np.empty(int(blocks)))
