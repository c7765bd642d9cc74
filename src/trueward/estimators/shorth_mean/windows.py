"""How large a window of the shorth mean is, and which of equally short ones count."""

from typing import Literal

import numpy as np

from trueward.engine.kernel import ceil_edge, floor_edge, kernel

Tie = Literal["average", "random", "first", "midmost"]
TIES: tuple[Tie, ...] = ("average", "random", "first", "midmost")
AVERAGE, RANDOM, FIRST, MIDMOST = range(4)


@kernel
def window_size(n: int, alpha: float, literal: bool) -> int:
    """Return how many order statistics a window holds; more than half of them, so that windows overlap."""
    if literal:
        return min(n, n - ceil_edge(alpha * n) + 1)  # floor((1 - alpha) n) + 1, the paper is silent past n
    return max(n - floor_edge(alpha * n), n // 2 + 1)


@kernel
def tied_range(ties: int, tie: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return (first, last): which of the tied windows, numbered from 0, count in the estimate."""
    if tie == AVERAGE:
        return 0, ties - 1
    if tie == FIRST:
        return 0, 0
    if tie == MIDMOST:
        return (ties - 1) // 2, ties // 2
    picked = int(rng.random() * ties) if ties > 1 else 0
    return picked, picked
