"""Compile kernels, with a cache on disk that never returns stale code.

Numba's disk cache watches only the file of the outermost function, and names its files after that function. So the
name of a compiled function contains a digest of all the code it runs: after an edit of any kernel, ours or a user's,
it never reuses stale code; user classes never enter our cache files.
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
from trueward.engine.kernel import Function, State, generics, on_register, state_classes
from trueward.engine.native import by_address

_LIBRARIES = {"math", "numba", "numpy"}  # Numba recognises their functions by name
_RNG_METHODS = {name for name in dir(np.random.Generator) if not name.startswith("_")}


def fingerprint(function: FunctionType, *states: State) -> str:
    """Return a digest of all the code that `function` runs with these states.

    It is computed from the functions in memory, not from their files, so it covers exactly what is compiled.
    """
    return fingerprint_by_class(function, state_classes(*states))


def fingerprint_by_class(function: FunctionType, classes: Iterable[type]) -> str:
    """Return the same digest, from classes instead of states, the classes of nested states included."""
    return _digest(function, _sorted(classes))


def _sorted(classes: Iterable[type]) -> tuple[type, ...]:
    return tuple(sorted(set(classes), key=lambda c: (c.__module__, c.__qualname__)))


@functools.cache
def _digest(function: FunctionType, classes: tuple[type, ...]) -> str:
    as_parts = kernel.kernel, kernel.not_inlined, kernel.interpreted_as, kernel.generic, compiled_if_on_disk
    makers: list[Any] = [*as_parts, machine_code, *_codegen_functions()]
    parts = [part for maker in makers for part in _code_parts(maker.__code__)]
    parts += [(c.__module__, c.__qualname__, c._fields) for c in classes]  # type: ignore[attr-defined] # NamedTuples
    parts += _CallGraph().all_parts(function, classes)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _codegen_functions() -> Iterator[FunctionType]:
    """Yield the functions that generate LLVM code; a Numba intrinsic wraps one."""
    for module in (native, handing):
        for member in vars(module).values():
            function = getattr(member, "_defn", member)
            if isinstance(function, FunctionType) and function.__module__ == module.__name__:
                yield function


@functools.cache
def _uses_rng(function: FunctionType, classes: tuple[type, ...]) -> bool:
    graph = _CallGraph()
    graph.all_parts(function, classes)
    return any(_RNG_METHODS & {*called.__code__.co_names} for called in graph.functions)


on_register.extend([_digest.cache_clear, _uses_rng.cache_clear])


def _code_parts(code: CodeType) -> Iterator[object]:
    yield from (code.co_code, code.co_names)
    for constant in code.co_consts:
        yield from _code_parts(constant) if isinstance(constant, CodeType) else [_constant(constant)]


def _is_generic(function: Callable[..., Any]) -> bool:
    return isinstance(function, FunctionType) and function in generics


class _CallGraph:
    """Everything a function calls, directly or not: plain functions and generic functions, each once."""

    def __init__(self) -> None:
        self.functions: set[FunctionType] = set()
        self.generics: list[Callable[..., Any]] = []

    def all_parts(self, function: FunctionType, classes: tuple[type, ...]) -> list[object]:
        """Return everything that determines the compiled code of `function` with states of these classes."""
        parts = list(self.parts_of(function))
        for generic in self.generics:  # it grows: a kernel calls other generic functions
            kernels = [found for state_class in classes if (found := generics[generic](state_class)) is not None]
            parts += [part for found in kernels for part in self.parts_of(cast(FunctionType, found))]
        return parts

    def parts_of(self, function: FunctionType) -> Iterator[object]:
        """Yield the code and the constants of `function`, and those of every function that it calls."""
        if function in generics:
            if function not in self.generics:
                self.generics.append(function)
            return
        if function in self.functions:
            return
        self.functions.add(function)
        yield function.__module__  # part of the cache key
        yield from _code_parts(function.__code__)
        closure = inspect.getclosurevars(function)
        for name, named in sorted({**closure.globals, **closure.nonlocals}.items()):
            yield from self._named_parts(name, named, function.__code__)

    def _named_parts(self, name: str, named: object, code: CodeType) -> Iterator[object]:
        # strip caching and jit wrappers
        value = inspect.unwrap(named) if callable(named) and not _is_generic(named) else named
        value = getattr(value, "py_func", value)
        if isinstance(value, FunctionType):
            yield from self.parts_of(value)
        elif isinstance(value, ModuleType):
            for called in _called_in(value, code):
                yield from self.parts_of(called)
        else:
            yield from (name, _constant(value))


def _constant(value: object) -> object:
    """Return a constant unchanged, and for any other object its type: a repr may contain an address."""
    if isinstance(value, type):
        return value.__qualname__, getattr(value, "_fields", ())
    if isinstance(value, set | frozenset):
        return sorted(map(repr, value))
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return value if isinstance(value, bool | int | float | str | bytes | tuple | None) else type(value).__qualname__


def _called_in(module: ModuleType, code: CodeType) -> Iterator[FunctionType]:
    """Yield the functions of `module` that `code` may call as its attributes."""
    if module.__name__.partition(".")[0] not in _LIBRARIES:
        attributes = (getattr(module, name, None) for name in code.co_names)
        yield from (value for value in attributes if isinstance(value, FunctionType))


def machine_code(function: Function, digest: str, **others: bool) -> Function:
    """Return `function`, to be compiled at its first call, or loaded from disk if the same code was compiled before.

    The option for reference counts must be explicit, because Numba passes options on to every function that is called.
    """
    plain = cast(FunctionType, function)
    named = FunctionType(plain.__code__, plain.__globals__, plain.__name__, plain.__defaults__, plain.__closure__)
    named.__qualname__ = f"{plain.__qualname__}_{digest[:16]}"
    named.__module__ = plain.__module__
    own: dict[str, Any] = {"nogil": True, "error_model": "numpy", "forceinline": False, "no_cfunc_wrapper": True}
    options: Any = own | {"_nrt": True} | others
    try:
        return cast(Function, numba.njit(named, cache=True, **options))
    except RuntimeError:  # neither the package's folder nor the user's home can be written to
        return cast(Function, numba.njit(named, **options))


def on_disk(compiled: Any, types: tuple[Any, ...] | None = None) -> bool:
    """Return whether machine code of a function is in the cache on disk, optionally for these argument types."""
    cache = getattr(compiled, "_cache", None)
    file = getattr(cache, "_cache_file", None)
    if cache is None or file is None:
        return False
    found = file._load_index()  # empty if the function's file was edited since
    return bool(found) if types is None else cache._index_key(types, compiled.targetctx.codegen()) in found


_forced = threading.local()


@contextmanager
def execution_mode(*, compiled: bool) -> Iterator[None]:
    """Force compiled or interpreted execution of `compiled_if_on_disk` functions in this thread."""
    before, _forced.compiled = getattr(_forced, "compiled", None), compiled
    try:
        yield
    finally:
        _forced.compiled = before


def compiled_if_on_disk(function: Function) -> Function:
    """Let Python run `function` compiled if its machine code is on disk; worthwhile for expensive functions.

    Otherwise it is interpreted, with the same results. Compiled code inlines or links it, like any kernel.
    """
    compiled: Any = machine_code(function, fingerprint(cast(FunctionType, function)))
    disk_checked = False

    def is_ready(args: tuple[Any, ...]) -> bool:
        """Return whether it is compiled, in this process or on disk (disk is checked once)."""
        nonlocal disk_checked
        if compiled.overloads or disk_checked:
            return bool(compiled.overloads)
        disk_checked = True
        return on_disk(compiled, _types(args))

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        forced = getattr(_forced, "compiled", None)
        if is_ready(args) if forced is None else forced:
            return compiled(*args)
        with np.errstate(all="ignore"):  # as in compiled code
            return function(*args)

    options: Any = {**kernel.PART_OPTIONS, "forceinline": False, "_nrt": True}
    overload(call, jit_options=options, strict=False)(lambda *_: function)
    return cast(Function, call)


class Compilable(typing.Generic[Function]):
    """A function over states that runs interpreted, or compiled for the code of these states' classes."""

    def __init__(self, function: Function) -> None:
        self.interpreted = function
        self._compiled: dict[str, Function] = {}
        self._lock = threading.Lock()

    def digest(self, *states: State) -> str:
        """Return the digest of this code, with the kernels of states like these."""
        return fingerprint(cast(FunctionType, self.interpreted), *states)

    def compiled(self, *states: State) -> Function:
        """Return the compiled function for states like these."""
        digest = self.digest(*states)
        with self._lock:
            if digest not in self._compiled:
                self._compiled[digest] = machine_code(self.interpreted, digest)
        return self._compiled[digest]

    def compile(self, *args: Any) -> None:
        """Compile for arguments like these, the first of them a state, or load it from the cache."""
        cast(Any, self.compiled(args[0])).compile(_types_when_handed(args))

    def without_compiling(self, *args: Any) -> Callable[..., Any]:
        """Return the function for arguments like these, compiled only if that is on disk.

        The first argument is a state, the last a Generator. It assumes arguments of these types, because checking each
        of them takes longer than choosing an arm.
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
        """Return whether the function may draw random numbers with states like these."""
        return _uses_rng(cast(FunctionType, self.interpreted), _sorted(state_classes(*states)))

    def version(self, *states: State, compiled: bool) -> Callable[..., Any]:
        """Return the function compiled for the classes of these states, or the interpreted one."""
        return _accepting_generators(self.compiled(*states)) if compiled else self.interpreted


def _types(args: Iterable[Any]) -> tuple[Any, ...]:
    return tuple(map(numba.typeof, map(by_address, args)))


def _types_when_handed(args: tuple[Any, ...]) -> tuple[Any, ...]:
    return type_when_handed(args[0]), *_types(args[1:])


def _accepting_generators(compiled: Callable[..., Any]) -> Callable[..., Any]:
    """Return a compiled function that accepts NumPy generators of random numbers."""
    return lambda *args: compiled(*map(by_address, args))
