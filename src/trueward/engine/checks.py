"""Checks of parameters: each returns the value, or names the parameter, the value and the allowed range."""

import math
import numbers
from collections.abc import Sequence
from typing import TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.errors import ParameterError, RewardError, UnknownArmError

LARGEST = 1e300  # reward, in absolute value: a hundred million of them can still be added up


def number(
    name: str,
    value: object,
    *,
    at_least: float = -math.inf,
    above: float = -math.inf,
    at_most: float = math.inf,
    below: float = math.inf,
) -> float:
    """Return `value` as a finite float inside the bounds."""
    bounds = {"at least": at_least, "above": above, "at most": at_most, "below": below}
    allowed = " and ".join(f"{words} {bound:g}" for words, bound in bounds.items() if math.isfinite(bound))
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be a number, got {value!r}")
    try:
        x = float(value)
    except OverflowError:  # a whole number of more than 308 digits
        x = math.inf
    if not (math.isfinite(x) and at_least <= x <= at_most and x < below and x > above):
        raise ParameterError(f"{name} must be {allowed or 'finite'}, got {_shown(value)}")
    return x


def _shown(value: object) -> str:
    return f"a number of {value.bit_length()} bits" if isinstance(value, int) and abs(value) > 10**40 else repr(value)


def is_whole(value: object) -> TypeGuard[int]:
    """Return whether `value` is a whole number, of NumPy's kinds too; True and False are none."""
    return type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))


def whole(name: str, value: object, *, at_least: int = 0) -> int:
    """Return `value` as an int of at least `at_least`."""
    if not is_whole(value) or value < at_least:
        raise ParameterError(f"{name} must be a whole number of at least {at_least}, got {value!r}")
    return int(value)


def truth(name: str, value: object) -> None:
    """Refuse a `value` that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}")


def one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Refuse a `value` that is not among `allowed`."""
    if value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")


def interval(name: str, value: object) -> tuple[float, float]:
    """Return `value` as (low, high) with low < high, both possible rewards."""
    ends = tuple(value) if isinstance(value, Sequence | np.ndarray) else ()
    if len(ends) != 2:
        raise ParameterError(f"{name} must be a pair (low, high), got {value!r}")
    low, high = (number(name, end, at_least=-LARGEST, at_most=LARGEST) for end in ends)
    if low >= high:
        raise ParameterError(f"{name} must have low below high, got {value!r}")
    return low, high


def array(
    name: str, value: ArrayLike, *, at_least: float = -math.inf, at_most: float = math.inf
) -> NDArray[np.float64]:
    """Return `value` as a non-empty one-dimensional array of finite floats inside the bounds."""
    try:
        x = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a list of numbers, got {value!r}") from None
    if x.ndim != 1 or x.size == 0:
        raise ParameterError(f"{name} must be a non-empty list of numbers, got {value!r}")
    for i, entry in enumerate(x.tolist()):
        number(f"{name}[{i}]", entry, at_least=at_least, at_most=at_most)
    return x


def sample(value: ArrayLike, axis: int) -> NDArray[np.float64]:
    """Return a sample with its observations moved to the last axis."""
    x = np.moveaxis(np.atleast_1d(np.asarray(value, dtype=np.float64)), axis, -1)
    if x.shape[-1] == 0:
        raise ParameterError("x must hold at least one observation along the axis, got none")
    if not np.isfinite(x).all():
        raise RewardError(f"x must be finite, got {x[~np.isfinite(x)][0]!r}")
    return x


def reward(value: object, where: str) -> float:
    """Return a finite reward that is not too large to be added up, or name where the bad one came from."""
    x = value if type(value) is float else _real(value)  # the common kind first: a log has many
    if not math.isfinite(x):
        raise RewardError(f"the reward of {where} must be a finite number, got {value!r}")
    if abs(x) > LARGEST:
        raise RewardError(f"the reward of {where} must be from {-LARGEST:g} to {LARGEST:g}, got {value!r}")
    return x


def _real(value: object) -> float:
    if isinstance(value, bool | np.bool_):
        return float(value)
    try:
        return float(value) if isinstance(value, numbers.Real) else math.nan
    except OverflowError:  # a whole number of more than 308 digits
        return math.inf


def arm_index(name: str, value: object, n_arms: int) -> int:
    """Return `value` as an index below `n_arms`."""
    if not is_whole(value) or int(value) not in range(n_arms):
        raise UnknownArmError(f"{name} must be a whole number from 0 to {n_arms - 1}, got {value!r}")
    return int(value)
