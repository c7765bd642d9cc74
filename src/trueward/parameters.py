"""Checks of parameters: from their annotations when an object is built or a function is called, or one at a time.

    alpha: Annotated[float, at_least(0), below(0.5)]
    rounding: Literal["ceil", "floor"] = "ceil"
    range: Range
    estimator: Estimator                          # a class with an `example`, which the error message shows
    gamma: Annotated[float, above(0)] | None = None

Every message names the parameter, the value and what is allowed. A check that involves two parameters belongs in
`__post_init__`, after `super().__post_init__()`.
"""

import functools
import inspect
import math
import numbers
import re
import types
import typing
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Annotated, Any, Literal, NamedTuple, ParamSpec, TypeGuard, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.errors import ParameterError, RewardError, UnknownArmError

LARGEST_REWARD = 1e300  # in absolute value: the sum of a hundred million of them is still finite

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class Bound(NamedTuple):
    """One bound on a number, in an annotation."""

    side: str
    value: float

    def __repr__(self) -> str:  # `help` shows it in signatures
        return f"{self.side.replace('_', ' ')} {self.value:g}"


above, at_least, below, at_most = (functools.partial(Bound, side) for side in ("above", "at_least", "below", "at_most"))


class LowHighPair(NamedTuple):
    """Marks a parameter that is a pair (low, high), in an annotation."""

    def __repr__(self) -> str:
        return "low < high"


Range = Annotated[tuple[float, float], LowHighPair()]
Share = Annotated[float, at_least(0), at_most(1)]
Positive = Annotated[float, above(0)]
NotNegative = Annotated[float, at_least(0)]
BelowHalf = Annotated[float, at_least(0), below(0.5)]
Rounds = Annotated[int, at_least(1)]


class Checked:
    """Base class of dataclasses whose fields are checked against their annotations."""

    def __post_init__(self) -> None:
        cls: type = type(self)
        for name, hint in _field_hints(cls).items():
            check_parameter(name, getattr(self, name), hint)


@functools.cache  # reading annotations takes longer than checking a few numbers
def _field_hints(cls: type) -> dict[str, Any]:
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in fields(cls) if field.init}


def checked(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """Check the arguments of a function against its annotations; numbers reach it as floats."""
    hints, signature = typing.get_type_hints(function, include_extras=True), inspect.signature(function)

    @functools.wraps(function)
    def check_and_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        bound = signature.bind(*args, **kwargs)
        for name, value in bound.arguments.items():
            bound.arguments[name] = check_parameter(name, value, hints.get(name))
        return function(*bound.args, **bound.kwargs)

    return check_and_call


def check_parameter(name: str, value: Any, hint: Any) -> Any:
    """Return `value`, with numbers as floats; raise ParameterError if the annotation does not allow it."""
    notes: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        notes = tuple(rest)
    if not isinstance(hint, types.UnionType) and typing.get_origin(hint) is not typing.Union:
        return _check_single(name, value, hint, notes)
    allowed = [kind for kind in typing.get_args(hint) if kind is not type(None)]
    if value is None and len(allowed) < len(typing.get_args(hint)):
        return None
    if float in allowed and Sequence[float] in allowed:  # a number, or one per arm
        values: Any = [value] if isinstance(value, numbers.Real) else value
        check_array(name, values, **_bounds(notes))
    elif len(allowed) == 1:
        return check_parameter(name, value, Annotated[allowed[0], *notes] if notes else allowed[0])
    return value


def _check_single(name: str, value: Any, kind: Any, notes: tuple[Any, ...]) -> Any:
    origin = typing.get_origin(kind)
    if any(isinstance(note, LowHighPair) for note in notes):
        return check_interval(name, value)
    if kind is float:
        return check_number(name, value, **_bounds(notes))
    if kind is int:
        return check_integer(name, value, at_least=int(_bounds(notes).get("at_least", 0)))
    if kind is bool:
        check_bool(name, value)
    elif origin is Literal:
        check_one_of(name, value, typing.get_args(kind))
    elif origin is Sequence and typing.get_args(kind) == (float,):
        check_array(name, value, **_bounds(notes))
    elif isinstance(kind, type) and hasattr(kind, "example") and not isinstance(value, kind):
        article = "" if kind.__name__.endswith("s") else "an " if kind.__name__[0] in "AEIOU" else "a "
        raise ParameterError(
            f"{name} must be {article}{kind.__name__} such as {kind.example}, got {value!r}", parameter=name
        )
    return value


def _bounds(notes: tuple[Any, ...]) -> dict[str, float]:
    return {note.side: note.value for note in notes if isinstance(note, Bound)}


def annotation_text(hint: Any) -> str:
    """Return an annotation as readable text.

    >>> annotation_text(Annotated[float, above(0), at_most(1)] | None)
    'float above 0 and at most 1 | None'
    """
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return " | ".join(map(annotation_text, typing.get_args(hint)))
    if typing.get_origin(hint) is not Annotated:
        text = hint if isinstance(hint, str) else inspect.formatannotation(hint)
        return "None" if hint is type(None) else re.sub(r"\b[a-z_]+\.", "", text)
    kind, *notes = typing.get_args(hint)
    bounds = " and ".join(repr(note) for note in notes if isinstance(note, Bound))
    return f"{annotation_text(kind)} {bounds}".strip()


def check_number(
    name: str,
    value: object,
    *,
    at_least: float = -math.inf,
    above: float = -math.inf,
    at_most: float = math.inf,
    below: float = math.inf,
) -> float:
    """Return `value` as a finite float within the bounds."""
    bounds = {"at least": at_least, "above": above, "at most": at_most, "below": below}
    allowed = " and ".join(f"{side} {bound:g}" for side, bound in bounds.items() if math.isfinite(bound))
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise ParameterError(f"{name} must be a number, got {value!r}", parameter=name)
    try:
        x = float(value)
    except OverflowError:  # an integer of more than 308 digits
        x = math.inf
    if not (math.isfinite(x) and at_least <= x <= at_most and x < below and x > above):
        raise ParameterError(f"{name} must be {allowed or 'finite'}, got {_short_repr(value)}", parameter=name)
    return x


def _short_repr(value: object) -> str:
    return f"a number of {value.bit_length()} bits" if isinstance(value, int) and abs(value) > 10**40 else repr(value)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether `value` is an integer, NumPy's included; True and False are not."""
    return type(value) is int or (isinstance(value, numbers.Integral) and not isinstance(value, bool))


def check_integer(name: str, value: object, *, at_least: int = 0) -> int:
    """Return `value` as an int of at least `at_least`."""
    if not is_integer(value) or value < at_least:
        raise ParameterError(f"{name} must be a whole number of at least {at_least}, got {value!r}", parameter=name)
    return int(value)


def check_bool(name: str, value: object) -> None:
    """Reject a `value` that is neither True nor False."""
    if not isinstance(value, bool | np.bool_):
        raise ParameterError(f"{name} must be True or False, got {value!r}", parameter=name)


def check_one_of(name: str, value: object, allowed: Sequence[str]) -> None:
    """Reject a `value` that is not among `allowed`."""
    if value not in allowed:
        raise ParameterError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}", parameter=name)


def check_interval(name: str, value: object) -> tuple[float, float]:
    """Return `value` as (low, high) with low < high, both within ±LARGEST_REWARD."""
    pair = tuple(value) if isinstance(value, Sequence | np.ndarray) else ()
    if len(pair) != 2:
        raise ParameterError(f"{name} must be a pair (low, high), got {value!r}", parameter=name)
    low, high = (check_number(name, bound, at_least=-LARGEST_REWARD, at_most=LARGEST_REWARD) for bound in pair)
    if low >= high:
        raise ParameterError(f"{name} must have low below high, got {value!r}", parameter=name)
    return low, high


def check_array(
    name: str, value: ArrayLike, *, at_least: float = -math.inf, at_most: float = math.inf
) -> NDArray[np.float64]:
    """Return `value` as a non-empty one-dimensional array of finite floats within the bounds."""
    try:
        x = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a list of numbers, got {value!r}", parameter=name) from None
    if x.ndim != 1 or x.size == 0:
        raise ParameterError(f"{name} must be a non-empty list of numbers, got {value!r}", parameter=name)
    for i, entry in enumerate(x.tolist()):
        check_number(f"{name}[{i}]", entry, at_least=at_least, at_most=at_most)
    return x


def check_sample(value: ArrayLike, axis: int) -> NDArray[np.float64]:
    """Return a sample with its observations along the last axis."""
    x = np.moveaxis(np.atleast_1d(np.asarray(value, dtype=np.float64)), axis, -1)
    if x.shape[-1] == 0:
        raise ParameterError("x must hold at least one observation along the axis, got none", parameter="x")
    if not np.isfinite(x).all():
        raise RewardError(f"x must be finite, got {x[~np.isfinite(x)][0]!r}")
    return x


def check_reward(value: object, where: str) -> float:
    """Return a finite reward small enough to be summed; `where` names its origin in errors."""
    x = value if type(value) is float else _as_float(value)  # the common case first: a log has many
    if not math.isfinite(x):
        raise RewardError(f"the reward of {where} must be a finite number, got {value!r}")
    if abs(x) > LARGEST_REWARD:
        raise RewardError(
            f"the reward of {where} must be from {-LARGEST_REWARD:g} to {LARGEST_REWARD:g}, got {value!r}"
        )
    return x


def _as_float(value: object) -> float:
    if isinstance(value, bool | np.bool_):
        return float(value)
    try:
        return float(value) if isinstance(value, numbers.Real) else math.nan
    except OverflowError:  # an integer of more than 308 digits
        return math.inf


def check_arm_index(name: str, value: object, n_arms: int) -> int:
    """Return `value` as an index below `n_arms`."""
    if not is_integer(value) or int(value) not in range(n_arms):
        raise UnknownArmError(f"{name} must be a whole number from 0 to {n_arms - 1}, got {value!r}")
    return int(value)
