"""Compile functions over states, with a cache on disk that never returns stale machine code.

    run = compiled(play_games, policy_state, adversary_state) if fast else play_games

Numba's cache on disk watches only the file of the function that is compiled, and names its files after that function.
So the name of a compiled function contains a digest of every source file that it can reach: after an edit of any
kernel, ours or a user's, it is compiled again.

Compiled code runs outside of the main thread. Numba runs Python code to unpack a random generator and does not check
whether that code raised an exception, so that a `KeyboardInterrupt`, which Python raises in the main thread only, would
end the process with a segmentation fault.
"""

import functools
import hashlib
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, cast

import numba
import numpy as np
from numba.extending import is_jitted

from trueward.engine.kernel import Function, State, generics, state_classes

_STARTED = datetime.now()
_WITHOUT_KERNELS = sys.stdlib_module_names | {"numpy", "numba"}  # packages
_INSTALLED = {"site-packages", "dist-packages"}  # folders of installed libraries
_lock = threading.Lock()


def compiled(function: Function, *states: State) -> Function:
    """Return `function` compiled for states of these classes, at its first call or from disk if nothing was edited."""
    code = _code(function, states)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        if threading.current_thread() is not threading.main_thread():
            return code(*args)
        with ThreadPoolExecutor(1) as worker:
            return worker.submit(code, *args).result()

    return cast(Function, call)


def is_on_disk(function: Callable[..., Any], *states: State) -> bool:
    """Return whether `function` was compiled for states of these classes before, and nothing was edited since."""
    code = _code(function, states)
    folder = code.stats.cache_path
    return folder is not None and any(Path(folder).glob(f"*.{code.__qualname__}-*.nbi"))


def _code(function: Callable[..., Any], states: Iterable[State]) -> Any:
    with _lock:  # so that two threads do not compile the same code
        return _dispatcher(function, tuple(dict.fromkeys(state_classes(*states))))


@functools.cache
def _dispatcher(function: FunctionType, classes: tuple[type, ...]) -> Any:
    digest = source_digest(function, classes)
    named = FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__)
    named.__module__, named.__qualname__ = function.__module__, f"{function.__qualname__}_{digest}"
    options: Any = {"nogil": True, "error_model": "numpy"}
    try:
        return numba.njit(named, cache=digest is not None, **options)
    except RuntimeError:  # neither the package's folder nor the user's home can be written to
        return numba.njit(named, **options)


def source_digest(function: Callable[..., Any], classes: Iterable[type]) -> str | None:
    """Return a digest of all code that `function` reaches with states of these classes.

    It covers the source files of the function, of the classes, of their kernels and of everything that these import,
    and the values of the constants that functions in them use, which Numba compiles in. None if it would not identify
    the code: a kernel has a closure or no source file, or a file was edited after this process started and may have
    loaded it.
    """
    classes = tuple(classes)
    kernels = [found for each in classes for kernel_of in generics.values() if (found := kernel_of(each)) is not None]
    if any(cast(FunctionType, each).__closure__ for each in (function, *kernels)):
        return None
    digest = hashlib.sha256(repr(classes).encode())
    for module in _modules_reached(each.__module__ for each in (function, *classes, *kernels)):
        file = getattr(module, "__file__", None)
        if module is None or file is None or datetime.fromtimestamp(Path(file).stat().st_mtime) > _STARTED:
            return None
        digest.update(Path(file).read_bytes() + repr(list(_constants(module, kernels))).encode())
    return digest.hexdigest()[:16]


def _modules_reached(names: Iterable[str]) -> list[ModuleType | None]:
    """Return modules and all that they import, in the order of their names; None for one that is not in memory.

    The imports of an installed library are not followed, unless it is one of the packages that we start from.
    """
    waiting, reached = set(names), dict[str, ModuleType | None]()
    packages = {str(name).partition(".")[0] for name in waiting}
    while waiting:
        name = waiting.pop()
        package = str(name).partition(".")[0]
        if name not in reached and package not in _WITHOUT_KERNELS and name != "trueward":  # which imports lazily
            module = reached[name] = sys.modules.get(name)
            installed = not _INSTALLED.isdisjoint(Path(getattr(module, "__file__", None) or "").parts)
            if module is not None and (package in packages or not installed):
                waiting |= {home for value in vars(module).values() if (home := _home(value)) is not None}
    return [module for _, module in sorted(reached.items(), key=str)]


def _home(value: object) -> str | None:
    """Return the name of a module, or of the module that a function or class comes from."""
    home = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    return home if isinstance(home, str) else None


def _constants(module: ModuleType, kernels: Iterable[Callable[..., Any]]) -> Iterator[object]:
    """Yield the numbers and arrays that functions of a module use, its own and those of modules that it imports."""
    values = [value.py_func if is_jitted(value) else value for value in (*vars(module).values(), *kernels)]
    functions = [each for each in values if isinstance(each, FunctionType) and each.__globals__ is vars(module)]
    names = {name for each in functions for name in _names_in(each.__code__)}
    for scope in (module, *(value for value in values if isinstance(value, ModuleType))):
        yield from ((name, _plain(vars(scope)[name])) for name in sorted(names & vars(scope).keys()))


def _names_in(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _names_in(inner)


def _plain(value: object) -> object:
    """Return a number, an array or a tuple of them as it is compiled in; None for anything else."""
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.shape, value.tobytes()
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    return value if isinstance(value, bool | int | float | complex | np.generic) else None
