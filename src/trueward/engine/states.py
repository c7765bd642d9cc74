"""States: `NamedTuple`s whose fields declare their axes and their initial values.

    class MyState(NamedTuple):
        mean: Annotated[Floats, per_arm(0.0)]               # one entry per arm; 0 before the first round
        rewards: Annotated[Floats, per_arm(kept, REWARDS)]  # capacity for each arm's rewards; a reset leaves them
        seen: Annotated[Ints, single(0)]                    # one number for all arms
        inner: MeanMemory                                   # a state within the state
        gamma: float                                        # a constant

`new`, `reset`, `copy_of` (for a subset of arms) and `grow` (to more rewards or arms) follow from the declaration. An
array without a declaration is a constant, which all copies of a state share.
"""

import functools
import math
import typing
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats, Ints, State, generic
from trueward.engine.protocol import reset
from trueward.errors import KernelError, ParameterError

REWARDS = "rewards"
"""The axis along which the rewards of an arm are kept; it grows when there are more."""

StateClass = TypeVar("StateClass")


@dataclass(frozen=True)
class Setting:
    """The size of a state, and what is known before play."""

    n_arms: int
    horizon: int | None = None  # the number of rounds, if known
    capacity: int = 64  # rewards that can be stored per arm
    scale: Floats | None = None  # the values that rewards can take, if known
    signals: tuple[str, ...] = ()  # names of the evidence signals that may come with a reward

    @property
    def rounds(self) -> int:
        """The horizon, for a policy that requires one."""
        if self.horizon is None:
            raise ParameterError("a horizon, the number of rounds, is needed; got None")
        return self.horizon


class Start(NamedTuple):
    """How an array starts if a reset does not fill it with a number."""

    name: str


kept = Start("kept")  # zeros at first; a reset changes nothing
scratch = Start("scratch")  # a buffer for intermediate results
given = Start("given")  # passed when the state is made, and never changed


class ArrayDeclaration(NamedTuple):
    """The declaration of one array."""

    start: float | bool | Start
    axes: tuple[str | int, ...]
    per_arm: bool


def per_arm(start: float | bool | Start, *axes: str | int) -> ArrayDeclaration:
    """Declare an array with one entry per arm; further axes are a number of entries, or a name."""
    return ArrayDeclaration(start, axes, True)


def single(start: float | bool | Start, *axes: str | int) -> ArrayDeclaration:
    """Declare an array that all arms share; without axes, it has one entry."""
    return ArrayDeclaration(start, axes or (1,), False)


class Field(NamedTuple):
    """A field of a state class."""

    name: str
    declared: ArrayDeclaration | None  # None for a constant, and for a state within the state
    dtype: Any
    nested: bool


_FIELDS: dict[type, tuple[Field, ...]] = {}


def fields_of(state_class: type) -> tuple[Field, ...]:
    """Return the fields of a state class, as declared."""
    if state_class not in _FIELDS:
        hints = typing.get_type_hints(state_class, include_extras=True)
        names = getattr(state_class, "_fields", ())
        _FIELDS[state_class] = tuple(_field(name, hints.get(name)) for name in names)
    return _FIELDS[state_class]


def _field(name: str, hint: Any) -> Field:
    if typing.get_origin(hint) is Annotated:
        kind, *notes = typing.get_args(hint)
        declared = next((note for note in notes if isinstance(note, ArrayDeclaration)), None)
        if declared is not None:
            dtype = typing.get_args(typing.get_args(kind)[1])[0]
            return Field(name, declared, dtype, False)
    return Field(name, None, None, hint is Any or hasattr(hint, "_fields"))


def new(
    state_class: type[StateClass], setting: Setting, axes: Mapping[str, int] | None = None, **rest: Any
) -> StateClass:
    """Return a new state of a class, sized for a setting; `rest` holds its constants, given arrays and inner states."""
    sizes = {REWARDS: setting.capacity, **(axes or {})}
    arrays = {
        field.name: _array(field.declared, field.dtype, setting.n_arms, sizes)
        for field in fields_of(state_class)
        if field.declared is not None and field.declared.start is not given
    }
    return state_class(**arrays, **rest)


def _array(declared: ArrayDeclaration, dtype: Any, n_arms: int, sizes: Mapping[str, int]) -> NDArray[Any]:
    shape = tuple(sizes[axis] if isinstance(axis, str) else axis for axis in declared.axes)
    whole = (n_arms, *shape) if declared.per_arm else shape
    if isinstance(declared.start, Start) or declared.start == 0:
        return np.zeros(whole, dtype)  # the system allocates memory only when it is written to
    return np.full(whole, declared.start, dtype)


@generic
def clear(state: State) -> None:
    """Set every field to its declared initial value; for a `reset` that does more than that."""


@functools.cache
def _generate_clear(state_class: type) -> Callable[[State], None] | None:
    """Generate the kernel that sets every field of a state class to its initial value."""
    lines = []
    for field in fields_of(state_class):
        if field.nested:
            lines.append(f"reset(state.{field.name})")
        elif field.declared is not None and not isinstance(field.declared.start, Start):
            lines.append(f"state.{field.name}[:] = {field.declared.start!r}")
    source = "def clear_fields(state):\n    " + "\n    ".join(lines or ["pass"])
    names: dict[str, Any] = {"__name__": __name__, "reset": reset, "inf": math.inf, "nan": math.nan}
    exec(compile(source, f"<reset of {state_class.__name__}>", "exec"), names)
    return names["clear_fields"] if hasattr(state_class, "_fields") else None


clear.derive(_generate_clear)
reset.derive(_generate_clear)


def copy_of(state: State, arms: Ints | None = None) -> State:
    """Return a copy that shares only constants; with `arms`, a copy that has only these arms."""

    def copied(field: Field, value: Any) -> Any:
        if hasattr(value, "_fields"):
            return copy_of(value, arms)
        if field.declared is None:
            return value
        return value[arms] if field.declared.per_arm and arms is not None else value.copy()

    return type(state)(*map(copied, fields_of(type(state)), state))


def grow(old: State, larger: State) -> State:
    """Return `larger` filled with the contents of `old`; it has room for more rewards or more arms.

    Arrays that keep their size are shared with the old state, not copied.
    """

    def kept_of(field: Field, small: Any, large: Any) -> Any:
        if hasattr(small, "_fields"):
            return grow(small, large)
        if field.declared is None or field.declared.start in (scratch, given):
            return large
        if small.shape == large.shape:
            return small
        large[tuple(map(slice, small.shape))] = small
        return large

    return type(old)(*map(kept_of, fields_of(type(old)), old, larger))


def arrays_of(state: State) -> Iterator[NDArray[Any]]:
    """Yield every array that learning changes, those of nested states included."""
    for field, value in zip(fields_of(type(state)), state, strict=True):
        if hasattr(value, "_fields"):
            yield from arrays_of(value)
        elif field.declared is not None and field.declared.start not in (scratch, given):
            yield value


def check_declared(state: State) -> None:
    """Reject a state with a writable array that is not declared: no reset would reach it."""
    for field, value in zip(fields_of(type(state)), state, strict=True):
        if hasattr(value, "_fields"):
            check_declared(value)
        elif field.declared is None and isinstance(value, np.ndarray) and value.flags.writeable:
            raise KernelError(
                f"{type(state).__name__}.{field.name} is an array without a declaration: write "
                f"Annotated[Floats, per_arm(0.0)] or single(0.0), or make a constant read-only"
            )


def read_only(array: Floats) -> Floats:
    """Mark an array as a constant, which all copies of a state share, and return it."""
    array.flags.writeable = False
    return array
