"""What an object is, for a digest: its parameters, and the code of its classes, down to all of its parts.

Kernels are found by the states they work on. What turns parameters into states, and answers the game's questions, are
the methods of policies, estimators, adversaries, values and arms; these are found here.
"""

import functools
import hashlib
import inspect
import json
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from trueward.engine.compiling import fingerprint
from trueward.errors import ParameterError

_FOREIGN = sys.stdlib_module_names | {"numpy"}  # what does not change under a user's hands
_PLAIN = (str, bytes, int, float, complex, type(None), np.ndarray, np.generic)


def identity(thing: Any) -> Any:
    """Return what an object is as plain data: equal for equal parameters, in every process."""
    if thing is None or isinstance(thing, bool | int | float | str):
        return repr(thing)
    if isinstance(thing, np.ndarray) and thing.dtype != object:
        return [str(thing.dtype), thing.shape, hashlib.sha256(thing.tobytes()).hexdigest()]
    if isinstance(thing, Mapping):
        return ["mapping", [[identity(key), identity(value)] for key, value in thing.items()]]
    if isinstance(thing, Set):
        return ["set", sorted(json.dumps(identity(part)) for part in thing)]
    if isinstance(thing, FunctionType):
        return [_name(thing), fingerprint(thing), [identity(part) for part in _parts(thing)]]
    if isinstance(thing, list | tuple) or _has_parts(thing):
        return [_name(type(thing)), [identity(part) for part in _parts(thing)]]
    return [_name(type(thing)), _pickled(thing)]


def _pickled(thing: Any) -> str:
    try:
        return hashlib.sha256(pickle.dumps(thing, protocol=5)).hexdigest()
    except Exception:  # whatever stands in the way: pickling runs the code of the object
        raise ParameterError(f"{thing!r} cannot be told from others, so its games cannot be kept") from None


def functions_of(*things: Any) -> list[FunctionType]:
    """Return the functions among some objects and their parts, and the methods of their classes.

    A class that a method names is one of them: what it builds may play as well.
    """
    parts = list(_all_parts(things, set()))
    found = dict.fromkeys(part for part in parts if isinstance(part, FunctionType))
    classes = [cls for part in parts for cls in (part if isinstance(part, type) else type(part)).__mro__]
    while classes:
        cls = classes.pop()
        new = [method for method in _methods(cls) if method not in found] if not _is_foreign(cls) else []
        found |= dict.fromkeys(new)
        classes += [named for method in new for named in _classes_named_in(method)]
    return list(found)


def _classes_named_in(function: FunctionType) -> list[type]:
    named = inspect.getclosurevars(function).globals.values()
    return [cls for cls in named if isinstance(cls, type) and not hasattr(cls, "_fields")]  # states have kernels


def _all_parts(things: Any, seen: set[int]) -> Iterator[Any]:
    for thing in things:
        if id(thing) not in seen and not isinstance(thing, _PLAIN):
            seen.add(id(thing))
            yield thing
            yield from _all_parts(_parts(thing), seen)


def _parts(thing: Any) -> list[Any]:
    """Return what an object holds: its fields, its attributes, its entries, or what a function brings with it."""
    if isinstance(thing, FunctionType):
        enclosed = [cell.cell_contents for cell in thing.__closure__ or ()]
        return [*enclosed, *(thing.__defaults__ or ()), *(thing.__kwdefaults__ or {}).values()]
    if isinstance(thing, functools.partial):
        return [thing.func, *thing.args, thing.keywords]
    if isinstance(thing, MethodType):
        return [thing.__func__, thing.__self__]
    if isinstance(thing, Mapping):
        return [*thing.keys(), *thing.values()]
    if isinstance(thing, list | tuple | Set):
        return list(thing)
    if is_dataclass(thing) and not isinstance(thing, type):
        return [getattr(thing, field.name) for field in fields(thing)]
    return [part for pair in sorted(vars(thing).items()) for part in pair] if _has_parts(thing) else []


def _has_parts(thing: Any) -> bool:
    known = isinstance(thing, functools.partial | MethodType)
    return known or (hasattr(thing, "__dict__") and not isinstance(thing, type) and not _is_foreign(type(thing)))


def _methods(cls: type) -> Iterator[FunctionType]:
    """Give the functions that a class itself defines, as methods, properties and the like."""
    for member in vars(cls).values():
        for name in ("__func__", "fget", "func"):  # of static and class methods, of properties, of cached ones
            member = getattr(member, name, member)
        if isinstance(member, FunctionType):
            yield member


def _is_foreign(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in _FOREIGN


def _name(named: type | Callable[..., Any]) -> str:
    return f"{named.__module__}.{named.__qualname__}"
