"""Fingerprint the code of a function: everything that it calls, as it is in memory.

The store needs it for code without a source file as well, such as a function in a notebook, and must not be affected by
edits of other code in the same file.
"""

import functools
import hashlib
import inspect
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numpy as np

from trueward.engine.kernel import State, generics, state_classes

_LIBRARIES = {"math", "numba", "numpy"}


def fingerprint(function: Callable[..., Any], *states: State) -> str:
    """Return a digest of all the code that `function` runs with these states."""
    classes = tuple(sorted(set(state_classes(*states)), key=lambda c: (c.__module__, c.__qualname__)))
    return _fingerprint(
        function, classes, tuple(kernel_of(each) for kernel_of in generics.values() for each in classes)
    )


@functools.cache
def _fingerprint(function: FunctionType, classes: tuple[type, ...], kernels: tuple[object, ...]) -> str:
    """Return that digest, from the classes of the states and their kernels, which may be replaced by others."""
    parts: list[object] = [(c.__module__, c.__qualname__, c._fields) for c in classes]  # type: ignore[attr-defined] # NamedTuples
    parts += _CallGraph().all_parts(function, classes)
    return hashlib.sha256(repr(parts).encode()).hexdigest()


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
        """Return everything that determines what is computed by `function` with states of these classes."""
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
        yield function.__module__
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
