"""A running sum without rounding: rewards may leave it again, one of 1e18 too, and leave no trace.

The sum is kept as a few floats that do not overlap; adding to them is exact. Taking a value out is adding its negative.

Reference: Shewchuk (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates.
"""

from typing import NamedTuple

import numpy as np

from trueward.kernel import Floats, Ints, kernel, reset

PARTS = 48  # doubles reach over 2,098 bits: 40 parts of 53 bits


class ExactSum(NamedTuple):
    """The sum of each arm, as parts of growing size."""

    parts: Floats  # (arms, PARTS)
    n_parts: Ints  # (arms,)


def exact_sum(n_arms: int) -> ExactSum:
    """Return sums of nothing."""
    return ExactSum(np.zeros((n_arms, PARTS)), np.zeros(n_arms, np.int64))


@reset.register(ExactSum)
def reset_exact_sum(state: ExactSum) -> None:
    """Return to zero."""
    state.n_parts[:] = 0


@kernel
def add_exactly(sums: ExactSum, arm: int, value: float) -> None:
    """Add a value to an arm's sum."""
    kept = 0
    carried = value
    for i in range(sums.n_parts[arm]):
        part = sums.parts[arm, i]
        high = carried + part
        shadow = high - carried
        low = (carried - (high - shadow)) + (part - shadow)  # what rounding lost (Knuth's two-sum)
        if low != 0.0:
            sums.parts[arm, kept] = low
            kept += 1
        carried = high
    if carried != 0.0:
        sums.parts[arm, kept] = carried
        kept += 1
    sums.n_parts[arm] = kept


@kernel
def rounded(sums: ExactSum, arm: int) -> float:
    """Return an arm's sum as one float."""
    total = 0.0
    for i in range(sums.n_parts[arm]):
        total += sums.parts[arm, i]
    return total
