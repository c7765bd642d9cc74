"""A rank test for a change point in the rewards of an arm."""

import math

import numpy as np

from trueward.engine.kernel import Floats, kernel, not_inlined

MIN_SEGMENT = 5  # rewards on either side of a change
THRESHOLD_FACTOR = 2.5  # a change is detected if z^2 exceeds this times ln T
MIN_HORIZON = 1000  # rounds to assume if the horizon is unknown: the logarithm of fewer is too low a threshold
FIRST_TEST = 2 * MIN_SEGMENT  # rewards of an arm


@kernel
def tie_correction(n: int, squares: float, largest: float) -> float:
    """Return max(0, M - sqrt 3) / 3, where M is the largest absolute centred rank over its standard deviation."""
    return max(0.0, largest / math.sqrt(squares / (n - 1.0)) - math.sqrt(3.0)) / 3.0


@kernel
def z_squared(n: int, k: int, rank_sum: float, squares: float, correction: float) -> float:
    """Return the corrected z_k^2 of a change after k of n rewards.

    It is computed from S_k, the sum of the first k centred ranks, and the sum of the squared ranks.
    """
    z2 = n * (n - 1.0) * rank_sum * rank_sum / (k * (n - k) * squares)
    return z2 / (1.0 + correction * math.sqrt(z2 * n / (k * (n - k))))


@not_inlined
def doubled_centred_ranks(rewards: Floats, ranks: Floats) -> None:
    """Fill in 2 r_i, twice the centred midrank of each reward: whole numbers, so that all their sums are exact."""
    n = rewards.size
    order = np.argsort(rewards)
    first = 0
    while first < n:
        last = first
        while last + 1 < n and rewards[order[last + 1]] == rewards[order[first]]:
            last += 1
        for i in range(first, last + 1):
            ranks[order[i]] = first + last + 1 - n
        first = last + 1


@not_inlined
def find_change_point(rewards: Floats, ranks: Floats) -> tuple[float, int]:
    """Return the largest z_k^2 of an arm's rewards, and its k: the number of rewards before the change.

    x_1, …, x_n are the rewards;

        r_i = midrank of x_i - (n + 1) / 2,    S_k = r_1 + … + r_k,    v = sum r_i^2 / (n - 1)
        z_k^2 = n S_k^2 / (k (n - k) v),    maximised over 5 <= k <= n - 5, after a correction for skewed ties:
        divided by  1 + |z_k| max(0, M - sqrt 3) / (3 sqrt(k (n - k) / n)),    M = max |r_i| / sqrt v

    For clean rewards, and under contamination whose distribution does not change in time, the rewards of an arm are
    exchangeable, and the distribution of the largest z_k^2 depends only on n and the ties. A burst breaks this, and the
    maximising k estimates where it began. Means in place of ranks would react to outliers, above all contamination.

    If nearly all rewards are equal, the ranks are skewed, and a few rare rewards at one end would look like a change.
    The correction is Bernstein's, for the part of M above sqrt 3, which M does not reach without ties.

    Rewards are in order of arrival; `ranks` is scratch space for n numbers.

    Reference: new in trueward; Pettitt (1979), A non-parametric approach to the change-point problem, for the
    statistic without ties.
    """
    doubled_centred_ranks(rewards, ranks)
    n = rewards.size
    squares, largest_rank = 0.0, 0.0
    for i in range(n):
        squares += ranks[i] * ranks[i]
        largest_rank = max(largest_rank, abs(ranks[i]))
    largest, change, rank_sum = 0.0, 0, 0.0
    if squares > 0.0:
        correction = tie_correction(n, squares, largest_rank)
        for k in range(1, n - MIN_SEGMENT + 1):
            rank_sum += ranks[k - 1]
            if k >= MIN_SEGMENT:
                z2 = z_squared(n, k, rank_sum, squares, correction)
                if z2 > largest:
                    largest, change = z2, k
    return largest, change
