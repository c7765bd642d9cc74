"""Are an arm's rewards exchangeable in time? A rank statistic that knows no law of rewards (ours).

    r_i = midrank of the i-th reward - (n + 1) / 2,    S_k = r_1 + … + r_k,    v = sum r_i^2 / (n - 1)
    z_k^2 = n S_k^2 / (k (n - k) v),    the largest over 5 <= k <= n - 5, less a correction for lopsided ties:
    divided by  1 + |z_k| (M - sqrt 3)+ / (3 sqrt(k (n - k) / n)),    M = max |r_i| / sqrt v

Under clean rewards, and under contamination whose law does not change in time, every order of an arm's rewards is as
likely as any other, and the law of the largest z_k^2 depends on nothing but n and the ties. A burst breaks that, and
the k at which z_k^2 is largest says where. Means instead of ranks would fire on outliers, contamination first of all.

Where nearly all rewards are equal, the ranks are lopsided, and a few rare rewards at one end would pass for a change;
the correction is Bernstein's, for the part of M that untied ranks, whose M is below sqrt 3, do not have.

Reference: ours; Pettitt (1979), A non-parametric approach to the change-point problem, for the untied statistic.
"""

import math

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel, outlined

MARGIN = 5  # rewards on either side of a change
BAR = 2.5  # times ln T: what z^2 must exceed for a change
SHORTEST = 1000  # rounds, where the horizon is unknown: ln of fewer is too low a bar
FIRST_TEST = 2 * MARGIN  # rewards of an arm
BETWEEN = 5  # rewards between two tests, at first
GROWTH = 20  # and later a 1/GROWTH of the arm's rewards: the cost per reward then grows like ln n, not n


@kernel
def next_test(n: int) -> int:
    """Return how many rewards an arm that has n must have for its next test."""
    return max(FIRST_TEST, n + max(BETWEEN, n // GROWTH))


@kernel
def lopsidedness(n: int, squares: float, furthest: float) -> float:
    """Return (M - sqrt 3)+ / 3, from the sum of the squared ranks and the one furthest from the middle."""
    return max(0.0, furthest / math.sqrt(squares / (n - 1.0)) - math.sqrt(3.0)) / 3.0


@kernel
def z_squared(n: int, k: int, total: float, squares: float, lopsided: float) -> float:
    """Return the statistic of a change after k of n rewards, whose ranks sum to the total."""
    z2 = n * (n - 1.0) * total * total / (k * (n - k) * squares)
    return z2 / (1.0 + lopsided * math.sqrt(z2 * n / (k * (n - k))))


@outlined
def doubled_ranks(rewards: Floats, ranks: Floats) -> None:
    """Fill in twice each reward's midrank less n + 1: whole numbers, so that all sums of them are exact."""
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


@outlined
def change_point(rewards: Floats, ranks: Floats) -> tuple[float, int]:
    """Return the largest z_k^2 and its k: how many rewards came before the change; `ranks` is room for n numbers."""
    doubled_ranks(rewards, ranks)
    n = rewards.size
    squares, furthest = 0.0, 0.0
    for i in range(n):
        squares += ranks[i] * ranks[i]
        furthest = max(furthest, abs(ranks[i]))
    largest, before, total = 0.0, 0, 0.0
    if squares > 0.0:
        lopsided = lopsidedness(n, squares, furthest)
        for k in range(1, n - MARGIN + 1):
            total += ranks[k - 1]
            if k >= MARGIN:
                z2 = z_squared(n, k, total, squares, lopsided)
                if z2 > largest:
                    largest, before = z2, k
    return largest, before


@outlined
def change_of_ratings(ratings: Ints, labels: Ints, ranks: Ints) -> tuple[float, int]:
    """Return the largest z_k^2 of the ratings that are labelled as the last one is, and the place of the change.

    Ratings 0, 1, … are counted instead of sorted; `ranks` is room for a number per value, and zero between two uses.
    """
    size, n, below = ratings.size, 0, 0
    for i in range(size):
        if labels[i] == labels[size - 1]:
            ranks[ratings[i]] += 1
            n += 1
    squares, furthest = 0.0, 0.0
    for value in range(ranks.size):
        equal = ranks[value]
        ranks[value] = 2 * below + equal - n
        below += equal
        if equal > 0:
            squares += float(equal) * ranks[value] * ranks[value]
            furthest = max(furthest, float(abs(ranks[value])))
    largest, place, total, k = 0.0, 0, 0.0, 0
    if squares > 0.0:
        lopsided = lopsidedness(n, squares, furthest)
        for i in range(size):
            if labels[i] == labels[size - 1]:
                if MARGIN <= k <= n - MARGIN:
                    z2 = z_squared(n, k, total, squares, lopsided)
                    if z2 > largest:
                        largest, place = z2, i
                total += ranks[ratings[i]]
                k += 1
    for value in range(ranks.size):
        ranks[value] = 0
    return largest, place
