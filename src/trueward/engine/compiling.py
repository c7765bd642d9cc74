"""Compiling kernels, with a cache on disk that never gives yesterday's machine code.

Numba's disk cache watches only the file of the outermost function, and names its files after that function. So a
function that is compiled bears, as part of its name, a digest of all the code it runs: editing any kernel, ours or a
user's, never meets the old code, and a user's classes never stand in our files.
"""

import functools
import hashlib
import inspect
import threading
import typing
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numba
import numpy as np
from numba.extending import overload

from trueward.engine import handing, kernel, native
from trueward.engine.handing import ByAddress, Handed, type_when_handed
from trueward.engine.kernel import Function, State, generics, registered, state_classes
from trueward.engine.native import by_address

_LIBRARIES = {"math", "numba", "numpy"}  # Numba knows their functions by name
_DRAWS = {name for name in dir(np.random.Generator) if not name.startswith("_")}


def fingerprint(function: FunctionType, *states: State) -> str:
    """Return a digest of all the code that `function` runs when it is given these states.

    It is taken from the functions in memory, not from their files: what is compiled is what is digested.
    """
    return fingerprint_by_class(function, state_classes(*states))


def fingerprint_by_class(function: FunctionType, classes: Iterable[type]) -> str:
    """Return the same of states of these classes, nested ones included."""
    return _digest(function, _sorted(classes))


def _sorted(classes: Iterable[type]) -> tuple[type, ...]:
    return tuple(sorted(set(classes), key=lambda c: (c.__module__, c.__qualname__)))


@functools.cache
def _digest(function: FunctionType, classes: tuple[type, ...]) -> str:
    as_parts = kernel.kernel, kernel.outlined, kernel.interpreted_as, kernel.generic, compiled_if_on_disk
    makers: list[Any] = [*as_parts, machine_code, *_writers_of_code()]
    parts = [part for maker in makers for part in _code_parts(maker.__code__)]
    parts += [(c.__module__, c.__qualname__, c._fields) for c in classes]  # type: ignore[attr-defined] # NamedTuples
    parts += _Reached().all_parts(function, classes)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _writers_of_code() -> Iterator[FunctionType]:
    """Give the functions that write machine code below Numba; what it calls an intrinsic wraps one."""
    for module in (native, handing):
        for made in vars(module).values():
            function = getattr(made, "_defn", made)
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                yield function


@functools.cache
def _draws(function: FunctionType, classes: tuple[type, ...]) -> bool:
    reached = _Reached()
    reached.all_parts(function, classes)
    return any(_DRAWS & {*called.__code__.co_names} for called in reached.functions)


registered.extend([_digest.cache_clear, _draws.cache_clear])


def _code_parts(code: CodeType) -> Iterator[object]:
    yield from (code.co_code, code.co_names)
    for constant in code.co_consts:
        yield from _code_parts(constant) if isinstance(constant, CodeType) else [_constant(constant)]


def _is_generic(function: Callable[..., Any]) -> bool:
    return isinstance(function, FunctionType) and function in generics


class _Reached:
    """All that a function runs: functions, each once, and the generic functions that they call."""

    def __init__(self) -> None:
        self.functions: set[FunctionType] = set()
        self.generics: list[Callable[..., Any]] = []

    def all_parts(self, function: FunctionType, classes: tuple[type, ...]) -> list[object]:
        """Return what `function` compiles to, with states of these classes."""
        parts = list(self.parts_of(function))
        for generic in self.generics:  # it grows: a kernel calls other generic functions
            kernels = [found for state_class in classes if (found := generics[generic](state_class)) is not None]
            parts += [part for found in kernels for part in self.parts_of(cast(FunctionType, found))]
        return parts

    def parts_of(self, function: FunctionType) -> Iterator[object]:
        """Give what `function` compiles to: its code, its constants, and the same of all that it calls."""
        if function in generics:
            if function not in self.generics:
                self.generics.append(function)
            return
        if function in self.functions:
            return
        self.functions.add(function)
        yield function.__module__  # by whose name code on disk is found again
        yield from _code_parts(function.__code__)
        closure = inspect.getclosurevars(function)
        for name, named in sorted({**closure.globals, **closure.nonlocals}.items()):
            yield from self._named_parts(name, named, function.__code__)

    def _named_parts(self, name: str, named: object, code: CodeType) -> Iterator[object]:
        value = inspect.unwrap(named) if callable(named) and not _is_generic(named) else named  # not cached,
        value = getattr(value, "py_func", value)  # or compiled
        if isinstance(value, FunctionType):
            yield from self.parts_of(value)
        elif isinstance(value, ModuleType):
            for called in _called_in(value, code):
                yield from self.parts_of(called)
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


def machine_code(function: Function, digest: str, **others: bool) -> Function:
    """Return `function`, to be compiled at its first call, or found on disk if this very code was compiled before.

    Whether references are counted must be said: Numba hands options on to all that is called.
    """
    plain = cast(FunctionType, function)
    named = FunctionType(plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
    named.__qualname__ = f"{plain.__qualname__}_{digest[:16]}"
    named.__module__ = plain.__module__
    own: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": False, "no_cfunc_wrapper": True}
    options: Any = own | {"_nrt": True} | others
    try:
        return cast(Function, numba.njit(named, cache=True, **options))
    except RuntimeError:  # no folder can be written to: neither the package's, nor one in the user's home
        return cast(Function, numba.njit(named, **options))


def on_disk(compiled: Any, types: tuple[Any, ...] | None = None) -> bool:
    """Return whether machine code of a function is in the cache, from this process or another: for such arguments."""
    cache = getattr(compiled, "_cache", None)
    file = getattr(cache, "_cache_file", None)
    if cache is None or file is None:
        return False
    found = file._load_index()  # empty if the file of the function was edited since
    return bool(found) if types is None else cache._index_key(types, compiled.targetctx.codegen()) in found


_wanted = threading.local()


@contextmanager
def at_speed(*, compiled: bool) -> Iterator[None]:
    """Let all that is `compiled_if_on_disk` be compiled, or interpreted, whenever this thread calls it meanwhile."""
    before, _wanted.compiled = getattr(_wanted, "compiled", None), compiled
    try:
        yield
    finally:
        _wanted.compiled = before


def compiled_if_on_disk(function: Function) -> Function:
    """Run `function` compiled when Python calls it, if it has been compiled before: it does much.

    Else it is interpreted, and gives the same numbers. Compiled code has it as a part, like any kernel.
    """
    compiled: Any = machine_code(function, fingerprint(cast(FunctionType, function)))
    looked = False

    def found(args: tuple[Any, ...]) -> bool:
        """Return whether it is compiled, in this process or, where one looks once, on disk."""
        nonlocal looked
        if compiled.overloads or looked:
            return bool(compiled.overloads)
        looked = True
        return on_disk(compiled, _types(args))

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        if found(args) if (wanted := getattr(_wanted, "compiled", None)) is None else wanted:
            return compiled(*args)
        with np.errstate(all="ignore"):  # as in compiled code
            return function(*args)

    options: Any = {**kernel.AS_A_PART, "forceinline": False, "_nrt": True}
    overload(call, jit_options=options, strict=False)(lambda *_: function)
    return cast(Function, call)


class Compilable(typing.Generic[Function]):
    """A function over states that runs interpreted, or compiled for the code of these states' classes."""

    def __init__(self, function: Function) -> None:
        self.interpreted = function
        self._compiled: dict[str, Function] = {}
        self._lock = threading.Lock()

    def digest(self, *states: State) -> str:
        """Return what tells the code that runs with states like these from any other."""
        return fingerprint(cast(FunctionType, self.interpreted), *states)

    def compiled(self, *states: State) -> Function:
        """Return the compiled function for states like these."""
        digest = self.digest(*states)
        with self._lock:
            if digest not in self._compiled:
                self._compiled[digest] = machine_code(self.interpreted, digest)
        return self._compiled[digest]

    def compile(self, *args: Any) -> None:
        """Compile for arguments like these, the first of them a state, or find that on disk."""
        cast(Any, self.compiled(args[0])).compile(_types_when_handed(args))

    def without_compiling(self, *args: Any) -> Callable[..., Any]:
        """Return the function for arguments like these, from a state to a generator: compiled only if that is on disk.

        It takes for granted that arguments are of these types: to look at each takes longer than to choose an arm.
        """
        compiled: Any = self.compiled(args[0])
        types = _types_when_handed(args)
        if types not in compiled.overloads and not on_disk(compiled, types):
            return self.interpreted
        compiled.compile(types)
        found = compiled.get_overload(types)
        if not isinstance(types[0], ByAddress):
            return lambda *given: found(*given[:-1], by_address(given[-1]))
        last = Handed(args[0])

        def call(state: State, *given: Any) -> Any:
            nonlocal last
            handed = last  # other threads may call this with other states
            if handed.state is not state:
                last = handed = Handed(state)
            return found(handed, *given[:-1], by_address(given[-1]))

        return call

    def draws(self, *states: State) -> bool:
        """Return whether it may draw random numbers, with states like these."""
        return _draws(cast(FunctionType, self.interpreted), _sorted(state_classes(*states)))

    def version(self, *states: State, compiled: bool) -> Callable[..., Any]:
        """Return the function compiled for the classes of these states, or the interpreted one."""
        return _accepting_generators(self.compiled(*states)) if compiled else self.interpreted


def _types(args: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(numba.typeof, map(by_address, args)))


def _types_when_handed(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return type_when_handed(args[0]), *_types(args[1:])


def _accepting_generators(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled function that may be called with generators of random numbers."""
    return lambda *args: compiled(*map(by_address, args))
