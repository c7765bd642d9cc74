"""Kernels and generic functions: one source that runs interpreted and compiled.

A *kernel* is a plain function over `NamedTuple`s of arrays. A *generic function* (`choose`, `update`, …) dispatches on
the class of its first argument: in Python by a dictionary look-up, under Numba by an overload that looks the kernel up
by the class of the tuple. So there is one compiled game, specialised on the classes of its states, and every policy,
estimator, adversary and distribution fits into it. `choose.kernel_of(type(state))` is the kernel that runs: the one
registered for that class, or a derived one.

Interpreted and compiled results are equal in every bit, because kernels multiply instead of raising to a power, add in
order, and use `exp` and `log` from this file.
"""

import functools
import math
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

from trueward.errors import KernelError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
State = Any  # a NamedTuple of arrays; Numba specialises on its class
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)
Function = TypeVar("Function", bound=Callable[..., Any])
Derivation = Callable[[type], Callable[..., Any] | None]

# alpha * n is often an integer up to rounding; a tolerance of 1e-12 is too small from n = 80,000 on.
ROUNDING_TOLERANCE = 1e-9

_INLINED: Any = {"error_model": "numpy", "forceinline": True}
_NOT_INLINED: Any = {"error_model": "numpy", "forceinline": False}  # explicit: callees inherit the options of callers

generics: dict[Callable[..., Any], Callable[[type], Callable[..., Any] | None]] = {}
"""Every generic function, with its look-up of a kernel by the class of a state."""


def kernel(function: Function) -> Function:
    """Let compiled code call `function`; in Python it is unchanged.

    A division by zero gives inf as in NumPy; kernels are small, and fastest when inlined into the game.
    """
    return register_jitable(**_INLINED)(function)


def not_inlined(function: Function) -> Function:
    """Let compiled code call `function` without inlining it, since inlining compiles it again at every call."""
    return register_jitable(**_NOT_INLINED)(function)


class Generic(Protocol[Parameters, Result]):
    """A function that dispatches on the class of its first argument."""

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """Call the kernel registered for the class of the first argument."""
        ...

    def register(self, state_class: type) -> Callable[[Function], Function]:
        """Make the decorated function the kernel for states of `state_class`."""
        ...

    def derive(self, derivation: Derivation) -> None:
        """Let `derivation` give the kernel of state classes that have none of their own."""
        ...

    kernels: dict[type, Callable[..., Any]]

    def kernel_of(self, state_class: type) -> Callable[..., Any] | None:
        """Return the kernel for states of a class: its own, a derived one, or None."""
        ...


def generic(stub: Callable[Parameters, Result]) -> Generic[Parameters, Result]:
    """Turn a documented stub into a generic function."""
    kernels: dict[type, Callable[..., Any]] = {}
    derivations: list[Derivation] = []
    name = stub.__name__

    def kernel_of(state_class: type) -> Callable[..., Any] | None:
        own = kernels.get(state_class)
        derived = (derivation(state_class) for derivation in derivations)
        return own or next((found for found in derived if found is not None), None)

    @functools.wraps(stub)
    def dispatch(state: State, *args: Any) -> Any:
        found = kernels.get(type(state)) or kernel_of(type(state))
        if found is None:
            state_class = type(state).__name__
            raise KernelError(
                f"{state_class} has no kernel for {name}: write a function under @{name}.register({state_class})"
            )
        return found(state, *args)

    def register(state_class: type) -> Callable[[Function], Function]:
        def add(function: Function) -> Function:
            kernels[state_class] = function
            return function

        return add

    def look_up(state: Any, *_: Any) -> Callable[..., Any] | None:
        return kernel_of(getattr(state, "instance_class", type(None)))

    overload(dispatch, jit_options=_INLINED, strict=False)(look_up)
    generics[dispatch] = kernel_of
    extras = {"register": register, "derive": derivations.append, "kernel_of": kernel_of, "kernels": kernels}
    vars(dispatch).update(extras)
    return cast(Generic[Parameters, Result], dispatch)


def state_classes(*states: State) -> Iterator[type]:
    """Yield the class of every state, nested ones included."""
    for state in states:
        if hasattr(state, "_fields"):
            yield type(state)
            yield from state_classes(*state)


@kernel
def exp(x: float) -> float:
    """Return e^x, with x capped at 700: beyond, Python raises and compiled code gives inf."""
    return math.exp(min(x, 700.0))


@kernel
def log(x: float) -> float:
    """Return ln x, or -inf for x <= 0, where Python raises and compiled code gives -inf or NaN."""
    return math.log(x) if x > 0.0 else -math.inf


@kernel
def floor_edge(x: float) -> int:
    """Return the floor of x; a rounding error just below an integer is ignored."""
    return math.floor(x + ROUNDING_TOLERANCE)


@kernel
def ceil_edge(x: float) -> int:
    """Return the ceiling of x; a rounding error just above an integer is ignored."""
    return math.ceil(x - ROUNDING_TOLERANCE)
