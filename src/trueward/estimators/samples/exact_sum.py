"""A running sum without rounding errors."""

from typing import Annotated, NamedTuple

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.states import per_arm

MAX_PARTS = 48  # doubles span 2,098 bits: 40 parts of 53 bits


class ExactSum(NamedTuple):
    """The exact sum of each arm, as a few floats of increasing size that do not overlap; two are nearly always enough.

    A value is removed by adding its negative. Even a value of 1e18 then leaves no rounding error behind.

    Reference: Shewchuk (1997), Adaptive precision floating-point arithmetic and fast robust geometric predicates.
    """

    parts: Annotated[Floats, per_arm(0.0, MAX_PARTS)]
    n_parts: Annotated[Ints, per_arm(2)]  # at least 2, zeros included


@kernel
def set_sum(sums: ExactSum, arm: int, value: float) -> None:
    sums.parts[arm, 0] = 0.0
    sums.parts[arm, 1] = value
    sums.n_parts[arm] = 2


@kernel
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return a + b as a float, and the rounding error (Knuth)."""
    total = a + b
    b_rounded = total - a
    return total, (a - (total - b_rounded)) + (b - b_rounded)


@kernel
def add_exactly(sums: ExactSum, arm: int, value: float) -> None:
    """Add a value: the rounding error of the larger part goes into the smaller one, or into more parts if needed."""
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
    """Add a value to all parts, from the smallest to the largest, and drop those that become zero."""
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
def rounded_sum(sums: ExactSum, arm: int) -> float:
    total = float(sums.parts[arm, 0])
    for i in range(1, sums.n_parts[arm]):
        total += sums.parts[arm, i]
    return total
