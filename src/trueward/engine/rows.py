"""Arithmetic on rows of numbers: vectorised loops in compiled code, NumPy when interpreted.

Both perform the same operations in the same order and agree in every bit.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats, interpreted_as, kernel

Row = NDArray[Any]  # of 32 or 64 bits


@interpreted_as(lambda row, value: row.fill(value))
def fill(row: Row, value: float) -> None:
    """Set every number, which compiles much faster than to fill an array."""
    for i in range(row.size):
        row[i] = value


@interpreted_as(lambda row, other: np.copyto(row, other))
def fill_from(row: Row, other: Row) -> None:
    """Copy another row."""
    for i in range(row.size):
        row[i] = other[i]


@interpreted_as(lambda row, number: np.add(row, number, out=row))
def add_number(row: Floats, number: float) -> None:
    """Add a number to each."""
    for i in range(row.size):
        row[i] += number


@interpreted_as(lambda row, number: np.multiply(row, number, out=row))
def multiply_by_number(row: Floats, number: float) -> None:
    """Multiply each by a number."""
    for i in range(row.size):
        row[i] *= number


@interpreted_as(lambda row, other: np.multiply(row, other, out=row))
def multiply(row: Floats, other: Floats) -> None:
    """Multiply by another row."""
    for i in range(row.size):
        row[i] *= other[i]


@interpreted_as(lambda row, other: np.add(row, other, out=row))
def add(row: Row, other: Row) -> None:
    """Add another row."""
    for i in range(row.size):
        row[i] += other[i]


@interpreted_as(lambda total, one, other: np.add(one, other, out=total))
def add_up(total: Row, one: Row, other: Row) -> None:
    """Fill in the sum of two rows."""
    for i in range(total.size):
        total[i] = one[i] + other[i]


@interpreted_as(lambda row, factor, other: np.add(row, np.float64(factor) * other, out=row))
def add_times(row: Floats, factor: float, other: Row) -> None:
    """Add another row, times a factor."""
    for i in range(row.size):
        row[i] += factor * other[i]


@interpreted_as(lambda row, factor, base, slope, x: np.multiply(factor, base + x * slope, out=row))
def fill_with_line(row: Floats, factor: float, base: Floats, slope: Floats, x: float) -> None:
    """Fill in base + slope x, times a factor."""
    for i in range(row.size):
        row[i] = factor * (base[i] + x * slope[i])


@interpreted_as(lambda row, base, slope, x: np.multiply(row, base + x * slope, out=row))
def multiply_by_line(row: Floats, base: Floats, slope: Floats, x: float) -> None:
    """Multiply by base + slope x."""
    for i in range(row.size):
        row[i] *= base[i] + x * slope[i]


@interpreted_as(
    lambda row, other, base, slope, x, y: (
        np.multiply(row, base + x * slope, out=row),
        np.multiply(other, base + y * slope, out=other),
    )
)
def multiply_by_lines(row: Floats, other: Floats, base: Floats, slope: Floats, x: float, y: float) -> None:
    """Multiply a row by base + slope x, and another by base + slope y."""
    for i in range(row.size):
        row[i] *= base[i] + x * slope[i]
        other[i] *= base[i] + y * slope[i]


@interpreted_as(lambda row, part, base, slope, x: np.divide(part, base + x * slope, out=row))
def fill_over_line(row: Floats, part: Floats, base: Floats, slope: Floats, x: float) -> None:
    """Fill in part / (base + slope x)."""
    for i in range(row.size):
        row[i] = part[i] / (base[i] + x * slope[i])


def _add_over_lines(row: Floats, part: Floats, other: Floats, base: Floats, slope: Floats, x: float, y: float) -> None:
    one, two = base + x * slope, base + y * slope
    np.add(row, (part * two + other * one) / (one * two), out=row)


@interpreted_as(_add_over_lines)
def add_over_lines(row: Floats, part: Floats, other: Floats, base: Floats, slope: Floats, x: float, y: float) -> None:
    """Add part / (base + slope x) + other / (base + slope y), with a single division."""
    for i in range(row.size):
        one, two = base[i] + x * slope[i], base[i] + y * slope[i]
        row[i] += (part[i] * two + other[i] * one) / (one * two)


@kernel
def total_of(values: Floats) -> float:
    """Return the sum of values, which are used up: half by half, in an order that is the same on every machine."""
    size = values.size
    while size > 1:
        half = (size + 1) // 2
        add(values[: size - half], values[half:size])
        size = half
    return float(values[0])
