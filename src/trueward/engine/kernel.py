"""Functions that run interpreted and compiled: one source, two speeds.

A *kernel* is a plain function over `NamedTuple`s of arrays. A *generic function* (`choose`, `update`, …)
dispatches on the class of its first argument: in Python by a dictionary look-up, under Numba by one overload
that looks the kernel up by the tuple's class. So there is one compiled game, specialised on the types of the
states it is given, and every policy, estimator, adversary and law of rewards fits into it.

Kernels multiply instead of raising to a power, add in order, and take exponentials with `exp`: then both
speeds agree in every bit.
"""

import functools
import hashlib
import inspect
import math
import threading
import typing
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple, ParamSpec, Protocol, TypeVar, cast

import numba
import numpy as np
from numba.extending import overload, register_jitable
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = Any  # a NamedTuple of arrays; Numba specialises on its class
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result", covariant=True)
Function = TypeVar("Function", bound=Callable[..., Any])

# alpha * n lies on the edge of an integer for common alphas; 1e-12 fails from n = 80,000 on.
EDGE = 1e-9

UNTOUCHED = math.nan
"""What `contaminate` returns, and an attack's table holds, where the true reward is left as it is."""

MISSING = math.inf
"""What an attack shows where the learner sees nothing at all: a rating that was never given."""

_LIBRARIES = {"math", "numba", "numpy"}  # Numba knows their functions by name
_generics: dict[Callable[..., Any], dict[type, Callable[..., Any]]] = {}


def kernel(function: Function) -> Function:
    """Let compiled code call `function`; in Python it stays what it is.

    A division by zero gives inf as in NumPy; kernels are small, and fastest when inlined into the game.
    """
    return register_jitable(error_model="numpy", forceinline=True)(function)


def outlined(function: Function) -> Function:
    """Let compiled code call `function`, but not inline it: long ones would be compiled again at every call."""
    return register_jitable(error_model="numpy")(function)


def always_compiled(function: Function) -> Function:
    """Compile `function` for calls from Python as well: it does so much that interpreting it would take too long."""
    return cast(Function, numba.njit(function, cache=True, nogil=True, error_model="numpy"))


class Generic(Protocol[Parameters, Result]):
    """A function that dispatches on the class of its first argument."""

    def __call__(self, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
        """Call the kernel registered for the class of the first argument."""
        ...

    def register(self, state_class: type) -> Callable[[Function], Function]:
        """Make the decorated function the kernel for states of `state_class`."""
        ...


def generic(stub: Callable[Parameters, Result]) -> Generic[Parameters, Result]:
    """Turn a documented stub into a generic function."""
    kernels: dict[type, Callable[..., Any]] = {}

    @functools.wraps(stub)
    def dispatch(state: State, *args: Any) -> Any:
        return kernels[type(state)](state, *args)

    def register(state_class: type) -> Callable[[Function], Function]:
        def add(function: Function) -> Function:
            kernels[state_class] = function
            _digest.cache_clear()
            return function

        return add

    def look_up(state: Any, *_: Any) -> Callable[..., Any] | None:
        return kernels.get(getattr(state, "instance_class", type(None)))

    overload(dispatch, jit_options={"error_model": "numpy", "forceinline": True}, strict=False)(look_up)
    _generics[dispatch] = kernels
    dispatch.register = register  # type: ignore[attr-defined] # Generic declares it
    return cast(Generic[Parameters, Result], dispatch)


@generic
def reset(state: State) -> None:
    """Forget everything: the state before the first round of a trial."""


@generic
def draw(law: State, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of one trial with true rewards."""


@generic
def insert(memory: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Remember a reward of an arm and return the arm's new estimate."""
    raise NotImplementedError


@generic
def choose(state: State, t: int, rng: np.random.Generator) -> int:
    """Return the arm to play in round t = 1, 2, …"""
    raise NotImplementedError


@generic
def update(state: State, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Learn from the reward seen for the arm chosen in round t."""


@generic
def fake(values: State, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value that replaces a true reward of an arm."""
    raise NotImplementedError


@generic
def mark(state: State, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill the (rounds, arms) table of an oblivious attack: values, and UNTOUCHED elsewhere."""


@generic
def contaminate(state: State, view: "View", t: int, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value to show in place of the true reward, or UNTOUCHED."""
    raise NotImplementedError


class View(NamedTuple):
    """What an adversary may look at: everything up to now, and all true rewards, future ones included."""

    truth: Floats  # (rounds, arms) true rewards, fixed before play
    pulls: Ints  # (arms,) before this round
    touched: Ints  # (arms,) contaminated so far
    arms: Ints  # (rounds,) arms played, filled up to the round before this one
    observed: Floats  # (rounds,) rewards shown, likewise
    learner: State  # the policy's state: its estimates, its memory


@kernel
def exp(x: float) -> float:
    """Return e^x, capped where the two speeds would differ (one raises, the other gives inf)."""
    return math.exp(min(x, 700.0))


@kernel
def floor_edge(x: float) -> int:
    """Return the floor of x, forgiving a rounding error just below an integer."""
    return math.floor(x + EDGE)


@kernel
def ceil_edge(x: float) -> int:
    """Return the ceiling of x, forgiving a rounding error just above an integer."""
    return math.ceil(x - EDGE)


def _state_classes(states: Iterable[State]) -> Iterator[type]:
    for state in states:
        if hasattr(state, "_fields"):
            yield type(state)
            yield from _state_classes(state)


def _code_parts(code: CodeType) -> Iterator[object]:
    yield from (code.co_code, code.co_names)
    for constant in code.co_consts:
        yield from _code_parts(constant) if isinstance(constant, CodeType) else [_constant(constant)]


def _function_parts(function: FunctionType, seen: set[FunctionType]) -> Iterator[object]:
    """Give what `function` compiles to: its code, its constants, and the same of all that it calls."""
    if function in seen or function in _generics:
        return
    seen.add(function)
    yield from _code_parts(function.__code__)
    closure = inspect.getclosurevars(function)
    for name, named in sorted({**closure.globals, **closure.nonlocals}.items()):
        value = inspect.unwrap(named) if callable(named) else named  # a cached function is the function it caches
        if isinstance(value, FunctionType):
            yield from _function_parts(value, seen)
        elif isinstance(value, ModuleType):
            for called in _called_in(value, function.__code__):
                yield from _function_parts(called, seen)
        else:
            yield from (name, _constant(value))


def _constant(value: object) -> object:
    """Return a constant as it is, and of anything else only its kind: an address differs in every process."""
    if isinstance(value, type):
        return value.__qualname__, getattr(value, "_fields", ())
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value if isinstance(value, bool | int | float | str | bytes | tuple | None) else type(value).__qualname__


def _called_in(module: ModuleType, code: CodeType) -> Iterator[FunctionType]:
    """Give the functions of `module` that `code` may call as its attributes."""
    if module.__name__.partition(".")[0] not in _LIBRARIES:
        attributes = (getattr(module, name, None) for name in code.co_names)
        yield from (value for value in attributes if isinstance(value, FunctionType))


def fingerprint(function: FunctionType, *states: State) -> str:
    """Return a digest of all the code that `function` runs when it is given these states.

    It is taken from the functions in memory, not from their files: what is compiled is what is digested.
    """
    return _digest(function, tuple(sorted(set(_state_classes(states)), key=lambda c: (c.__module__, c.__qualname__))))


@functools.cache  # emptied when a kernel is registered
def _digest(function: FunctionType, state_classes: tuple[type, ...]) -> str:
    seen: set[FunctionType] = set()
    parts = [
        part
        for maker in (kernel, outlined, always_compiled, generic, TwoSpeeds.compiled)
        for part in _code_parts(maker.__code__)
    ]
    parts += _function_parts(function, seen)
    for state_class in state_classes:
        parts.append((state_class.__module__, state_class.__qualname__, state_class._fields))  # type: ignore[attr-defined] # a NamedTuple
        for kernels in _generics.values():
            if state_class in kernels:
                parts += _function_parts(cast(FunctionType, kernels[state_class]), seen)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class TwoSpeeds(typing.Generic[Function]):
    """A function over states that runs interpreted, or compiled anew whenever the code it runs has changed.

    Numba's disk cache watches only the file of the outermost function, and names its files after that function. So the
    function that is compiled bears, as part of its name, a digest of all the kernels it runs with the given states:
    editing any of them, ours or a user's, never meets the old code, and a user's classes never stand in our files.
    """

    def __init__(self, function: Function) -> None:
        self.interpreted = function
        self._compiled: dict[str, Function] = {}
        self._lock = threading.Lock()

    def compiled(self, *states: State) -> Function:
        """Return the compiled function for states like these."""
        function = cast(FunctionType, self.interpreted)
        digest = fingerprint(function, *states)
        with self._lock:
            if digest not in self._compiled:
                named = FunctionType(function.__code__, function.__globals__, function.__name__)
                named.__qualname__ = f"{function.__qualname__}_{digest[:16]}"
                self._compiled[digest] = cast(Function, numba.njit(named, cache=True, nogil=True, error_model="numpy"))
        return self._compiled[digest]
