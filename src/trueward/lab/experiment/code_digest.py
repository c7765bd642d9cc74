"""Digest the code that plays a game: kernels, and the methods that turn parameters into states."""

import functools
import inspect
import sys
from collections.abc import Iterator, Mapping, Set
from dataclasses import fields, is_dataclass
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.game.loop import draw_worlds, plan_attacks, play_games
from trueward.game.match import known_scale
from trueward.lab.experiment.fingerprint import fingerprint
from trueward.policies.policy import Policy

LIBRARIES = sys.stdlib_module_names | {"numpy"}  # modules whose code users do not edit
PLAIN_TYPES = (str, bytes, int, float, complex, type(None), np.ndarray, np.generic)


def game_code_digest(
    policies: Mapping[str, Policy], arms: Arms, adversary: Adversary, horizon: int, *others: Any
) -> str:
    """Return a digest of all the code that plays this game; it changes when any of that code is edited."""
    known: dict[str, Any] = {"scale": known_scale(arms, adversary), "signals": adversary.signals}
    states = [policy.start(arms.n_arms, horizon=horizon, capacity=1, **known) for policy in policies.values()]
    attack = adversary.start(arms, horizon)
    kernels = [
        fingerprint(loop, *states, attack, arms.distribution()) for loop in (draw_worlds, plan_attacks, play_games)
    ]
    return "".join([*kernels, *map(fingerprint, functions_of(policies, arms, adversary, *others))])


def functions_of(*objects: Any) -> list[FunctionType]:
    """Return every function in the objects and their parts, and every method of their classes.

    Classes that a method names are included: what they build may play as well.
    """
    parts = list(_all_parts(objects, set()))
    functions = dict.fromkeys(part for part in parts if isinstance(part, FunctionType))
    classes = [cls for part in parts for cls in (part if isinstance(part, type) else type(part)).__mro__]
    while classes:
        cls = classes.pop()
        new = [method for method in _methods(cls) if method not in functions] if not _is_library_class(cls) else []
        functions |= dict.fromkeys(new)
        classes += [named for method in new for named in _classes_named_in(method)]
    return list(functions)


def _classes_named_in(function: FunctionType) -> list[type]:
    named = inspect.getclosurevars(function).globals.values()
    # state classes are covered by the digests of their kernels
    return [cls for cls in named if isinstance(cls, type) and not hasattr(cls, "_fields")]


def _all_parts(objects: Any, seen: set[int]) -> Iterator[Any]:
    for thing in objects:
        if id(thing) not in seen and not isinstance(thing, PLAIN_TYPES):
            seen.add(id(thing))
            yield thing
            yield from _all_parts(parts_of(thing), seen)


def parts_of(thing: Any) -> list[Any]:
    """Return an object's fields, attributes or entries; for a function, its closure and its defaults."""
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
    return [part for pair in sorted(vars(thing).items()) for part in pair] if has_parts(thing) else []


def has_parts(thing: Any) -> bool:
    """Return whether an object is identified by its parts; all others are identified by their pickle."""
    known = isinstance(thing, functools.partial | MethodType)
    return known or (hasattr(thing, "__dict__") and not isinstance(thing, type) and not _is_library_class(type(thing)))


def _methods(cls: type) -> Iterator[FunctionType]:
    for member in vars(cls).values():
        for name in ("__func__", "fget", "func"):  # of static and class methods, of properties, of cached properties
            member = getattr(member, name, member)
        if isinstance(member, FunctionType):
            yield member


def _is_library_class(cls: type) -> bool:
    return cls.__module__.partition(".")[0] in LIBRARIES
