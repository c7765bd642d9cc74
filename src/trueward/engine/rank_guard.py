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

from trueward.engine.kernel import Floats, outlined

MARGIN = 5  # rewards on either side of a change
BAR = 2.5  # times ln T: what z^2 must exceed for a change
SHORTEST = 1000  # rounds, where the horizon is unknown: ln of fewer is too low a bar
FIRST_TEST = 2 * MARGIN  # rewards of an arm
BETWEEN = 5  # rewards between two tests, at first
GROWTH = 20  # and later a 1/GROWTH of the arm's rewards: the cost per reward then grows like ln n, not n


@outlined
def next_test(n: int) -> int:
    """Return how many rewards an arm that has n must have for its next test."""
    return max(FIRST_TEST, n + max(BETWEEN, n // GROWTH))


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
        lopsided = max(0.0, furthest / math.sqrt(squares / (n - 1.0)) - math.sqrt(3.0)) / 3.0
        for k in range(1, n - MARGIN + 1):
            total += ranks[k - 1]
            if k >= MARGIN:
                z2 = n * (n - 1.0) * total * total / (k * (n - k) * squares)
                z2 /= 1.0 + lopsided * math.sqrt(z2 * n / (k * (n - k)))
                if z2 > largest:
                    largest, before = z2, k
    return largest, before
