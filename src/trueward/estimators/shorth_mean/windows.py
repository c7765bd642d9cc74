"""The size of a window of the shorth mean, and which of equally short windows count."""

from typing import Literal

import numpy as np

from trueward.engine.kernel import ceil_edge, floor_edge, kernel

Tie = Literal["average", "random", "first", "middle"]
TIES: tuple[Tie, ...] = ("average", "random", "first", "middle")
AVERAGE, RANDOM, FIRST, MIDDLE = range(4)


@kernel
def window_size(n: int, alpha: float, literal: bool) -> int:
    """Return the number h of order statistics in a window: more than half of n, so that all windows overlap."""
    if literal:
        return min(
            n, n - ceil_edge(alpha * n) + 1
        )  # floor((1 - alpha) n) + 1, which Niss & Tewari (2020) do not limit to n
    return max(n - floor_edge(alpha * n), n // 2 + 1)


@kernel
def tied_range(ties: int, tie_rule: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return (first, last): the tied windows, numbered from 0, that count in the estimate."""
    if tie_rule == AVERAGE:
        return 0, ties - 1
    if tie_rule == FIRST:
        return 0, 0
    if tie_rule == MIDDLE:
        return (ties - 1) // 2, ties // 2
    picked = int(rng.random() * ties) if ties > 1 else 0
    return picked, picked
