"""Parameters, checked from their annotations, once, when an object is built or a function called.

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
from collections.abc import Callable, Sequence
from dataclasses import fields
from numbers import Real
from typing import Annotated, Any, Literal, NamedTuple, ParamSpec, TypeVar

from trueward.engine import checks
from trueward.errors import ParameterError

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


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
BelowHalf = Annotated[float, at_least(0), below(0.5)]
Rounds = Annotated[int, at_least(1)]


class Checked:
    """An object whose parameters are the fields of a dataclass, and checked."""

    def __post_init__(self) -> None:
        own: type = type(self)
        for name, hint in _hints(own).items():
            check(name, getattr(self, name), hint)


@functools.cache
def _hints(cls: type) -> dict[str, Any]:
    """Return the annotations of a dataclass's parameters: to read them takes longer than to check some numbers."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in fields(cls) if field.init}


def checked(function: Callable[Parameters, Answer]) -> Callable[Parameters, Answer]:
    """Hand a function its arguments checked, numbers as floats."""
    hints, signature = typing.get_type_hints(function, include_extras=True), inspect.signature(function)

    @functools.wraps(function)
    def check_and_call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Answer:
        given = signature.bind(*args, **kwargs)
        given.arguments = {name: check(name, value, hints.get(name)) for name, value in given.arguments.items()}
        return function(*given.args, **given.kwargs)

    return check_and_call


def check(name: str, value: Any, hint: Any) -> Any:
    """Return a value that its annotation allows."""
    notes: tuple[Any, ...] = ()
    if typing.get_origin(hint) is Annotated:
        hint, *rest = typing.get_args(hint)
        notes = tuple(rest)
    if not isinstance(hint, types.UnionType) and typing.get_origin(hint) is not typing.Union:
        return _check_kind(name, value, hint, notes)
    allowed = [kind for kind in typing.get_args(hint) if kind is not type(None)]
    if value is None and len(allowed) < len(typing.get_args(hint)):
        return None
    if float in allowed and Sequence[float] in allowed:  # a number, or one per arm
        numbers: Any = [value] if isinstance(value, Real) else value
        checks.array(name, numbers, **_bounds(notes))
    elif len(allowed) == 1:
        return check(name, value, Annotated[allowed[0], *notes] if notes else allowed[0])
    return value


def _check_kind(name: str, value: Any, kind: Any, notes: tuple[Any, ...]) -> Any:
    origin = typing.get_origin(kind)
    if any(isinstance(note, Ends) for note in notes):
        return checks.interval(name, value)
    if kind is float:
        return checks.number(name, value, **_bounds(notes))
    if kind is int:
        return checks.whole(name, value, at_least=int(_bounds(notes).get("at_least", 0)))
    if kind is bool:
        checks.truth(name, value)
    elif origin is Literal:
        checks.one_of(name, value, typing.get_args(kind))
    elif origin is Sequence and typing.get_args(kind) == (float,):
        checks.array(name, value, **_bounds(notes))
    elif isinstance(kind, type) and hasattr(kind, "example") and not isinstance(value, kind):
        article = "" if kind.__name__.endswith("s") else "an " if kind.__name__[0] in "AEIOU" else "a "
        raise ParameterError(f"{name} must be {article}{kind.__name__} such as {kind.example}, got {value!r}")
    return value


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
