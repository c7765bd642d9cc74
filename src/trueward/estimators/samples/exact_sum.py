"""A running sum without rounding: rewards may leave it again, one of 1e18 too, and leave no trace.

The sum is kept as a few floats that do not overlap; adding to them is exact. Taking a value out is adding its negative.

Reference: Shewchuk (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates.
"""

from typing import Annotated, NamedTuple

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.states import per_arm

PARTS = 48  # doubles reach over 2,098 bits: 40 parts of 53 bits


class ExactSum(NamedTuple):
    """The sum of each arm, as parts of growing size; two of them nearly always suffice."""

    parts: Annotated[Floats, per_arm(0.0, PARTS)]
    n_parts: Annotated[Ints, per_arm(2)]  # at least 2, zeros included


@kernel
def set_sum(sums: ExactSum, arm: int, value: float) -> None:
    """Let an arm's sum be one value."""
    sums.parts[arm, 0] = 0.0
    sums.parts[arm, 1] = value
    sums.n_parts[arm] = 2


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b as a float, and what rounding lost (Knuth)."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@kernel
def add_exactly(sums: ExactSum, arm: int, value: float) -> None:
    """Add a value to an arm's sum: what the larger part cannot hold goes into the smaller one, if that can hold it."""
    if sums.n_parts[arm] == 2:
        large, lost = two_sum(sums.parts[arm, 1], value)
        small, lost = two_sum(sums.parts[arm, 0], lost)
        if lost == 0.0:
            sums.parts[arm, 0] = small
            sums.parts[arm, 1] = large
            return
        sums.parts[arm, 1], sums.parts[arm, 0] = two_sum(sums.parts[arm, 1], sums.parts[arm, 0])  # may have overlapped
    add_to_parts(sums, arm, value)


@kernel
def add_to_parts(sums: ExactSum, arm: int, value: float) -> None:
    """Add a value to all parts, from the smallest up, and drop those that become zero."""
    kept = 0
    carried = value
    for i in range(sums.n_parts[arm]):
        carried, lost = two_sum(carried, sums.parts[arm, i])
        if lost != 0.0:
            sums.parts[arm, kept] = lost
            kept += 1
    if kept == 0:
        set_sum(sums, arm, carried)
    else:
        sums.parts[arm, kept] = carried
        sums.n_parts[arm] = kept + 1


@kernel
def rounded(sums: ExactSum, arm: int) -> float:
    """Return an arm's sum as one float."""
    total = float(sums.parts[arm, 0])
    for i in range(1, sums.n_parts[arm]):
        total += sums.parts[arm, i]
    return total
