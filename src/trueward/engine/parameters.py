"""Parameters, checked from their annotations, once, when an object is built.

    alpha: Annotated[float, at_least(0), below(0.5)]
    rounding: Literal["ceil", "floor"] = "ceil"
    range: Range
    estimator: Estimator                          # a class with an `example`, which an error names
    gamma: Annotated[float, above(0)] | None = None

Every message names the parameter, the value and what is allowed. What depends on two parameters at once is checked in
`__post_init__`, after `super().__post_init__()`.
"""

import functools
import inspect
import re
import types
import typing
from collections.abc import Sequence
from dataclasses import fields
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple

from trueward.engine import checks
from trueward.errors import ParameterError


class Bound(NamedTuple):
    """One end of what is allowed."""

    side: str
    value: float


above, at_least, below, at_most = (functools.partial(Bound, side) for side in ("above", "at_least", "below", "at_most"))


class Ends(NamedTuple):
    """Marks a pair (low, high)."""


Range = Annotated[tuple[float, float], Ends()]
Share = Annotated[float, at_least(0), at_most(1)]
Positive = Annotated[float, above(0)]
NotNegative = Annotated[float, at_least(0)]


class Checked:
    """An object whose parameters are the fields of a dataclass, and checked."""

    def __post_init__(self) -> None:
        hints = typing.get_type_hints(type(self), include_extras=True)
        for field in fields(self):  # type: ignore[arg-type] # a dataclass
            if field.init:
                check(field.name, getattr(self, field.name), hints[field.name])


def check(name: str, value: Any, hint: Any) -> None:
    """Refuse a value that its annotation does not allow."""
    notes: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        notes = tuple(rest)
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        allowed = [kind for kind in typing.get_args(hint) if kind is not type(None)]
        if value is None and len(allowed) < len(typing.get_args(hint)):
            return
        if float in allowed and len(allowed) > 1:  # a number, or one per arm
            numbers: Any = [value] if isinstance(value, Real) else value
            checks.array(name, numbers, **_bounds(notes))
            return
        hint = Annotated[allowed[0], *notes] if notes else allowed[0]
        if len(allowed) == 1:
            check(name, value, hint)
        return
    _check_kind(name, value, hint, notes)


def _check_kind(name: str, value: Any, kind: Any, notes: tuple[Any, ...]) -> None:
    origin = typing.get_origin(kind)
    if any(isinstance(note, Ends) for note in notes):
        checks.interval(name, value)
    elif origin is Literal:
        checks.one_of(name, value, typing.get_args(kind))
    elif kind is float:
        checks.number(name, value, **_bounds(notes))
    elif kind is int:
        bounds = _bounds(notes)
        checks.whole(name, value, at_least=int(bounds.get("at_least", 0)))
    elif origin is Sequence and typing.get_args(kind) == (float,):
        checks.array(name, value, **_bounds(notes))
    elif isinstance(kind, type) and hasattr(kind, "example") and not isinstance(value, kind):
        article = "an" if kind.__name__[0] in "AEIOU" else "a"
        raise ParameterError(f"{name} must be {article} {kind.__name__} such as {kind.example}, got {value!r}")


def _bounds(notes: tuple[Any, ...]) -> dict[str, float]:
    return {note.side: note.value for note in notes if isinstance(note, Bound)}


def in_words(hint: Any) -> str:
    """Return an annotation as a reader would put it.

    >>> in_words(Annotated[float, above(0), at_most(1)] | None)
    'float above 0 and at most 1 | None'
    """
    if isinstance(hint, types.UnionType) or typing.get_origin(hint) is typing.Union:
        return " | ".join(map(in_words, typing.get_args(hint)))
    if typing.get_origin(hint) is not Annotated:
        plain = hint if isinstance(hint, str) else inspect.formatannotation(hint)
        return "None" if hint is type(None) else re.sub(r"\b[a-z_]+\.", "", plain)
    kind, *notes = typing.get_args(hint)
    bounds = " and ".join(f"{note.side.replace('_', ' ')} {note.value:g}" for note in notes if isinstance(note, Bound))
    return f"{in_words(kind)} {bounds}".strip()
