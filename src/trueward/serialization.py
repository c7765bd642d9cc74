"""Convert objects to plain, JSON-ready dictionaries by registered name, and back."""

import inspect
import numbers
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from trueward.adversaries import ADVERSARIES, VALUES
from trueward.adversaries.adversary import Adversary
from trueward.adversaries.profiles import Profile
from trueward.adversaries.values import Values
from trueward.arms import ARMS
from trueward.arms.arms import Arms
from trueward.errors import LogError, ParameterError, TruewardError, did_you_mean
from trueward.estimators import ESTIMATORS
from trueward.estimators.estimator import Estimator
from trueward.game import DELAYS
from trueward.game.delays import Delay, as_delay
from trueward.policies import POLICIES
from trueward.policies.policy import Policy
from trueward.policies.signals import Signal
from trueward.registry import Registry

REGISTRIES: dict[str, Registry[Any]] = {
    "arms": ARMS,
    "adversary": ADVERSARIES,
    "values": VALUES,
    "policy": POLICIES,
    "estimator": ESTIMATORS,
    "delay": DELAYS,
}
"""The registry of each role."""

BASES: dict[str, type[Any]] = {
    "arms": Arms,
    "adversary": Adversary,
    "values": Values,
    "policy": Policy,
    "estimator": Estimator,
    "delay": Delay,
}
"""The base class of each role."""

PARTS = {"adversary": ("values", "estimator", "adversary"), "policy": ("estimator", "policy")}
"""Parameters that are themselves objects, by role; the name of the parameter is the role of the object."""


def to_plain(thing: Any) -> Any:
    """Return a dictionary with the registered name of an object and its parameters; plain values as they are."""
    for registry in REGISTRIES.values():
        name = registry.name_of(type(thing))
        if name is not None:
            return {"name": name} | {f.name: to_plain(getattr(thing, f.name)) for f in fields(thing) if f.init}
    if isinstance(thing, Signal):
        return {f.name: to_plain(getattr(thing, f.name)) for f in fields(thing)}
    if isinstance(thing, Profile):
        return {f.name: to_plain(getattr(thing, f.name)) for f in fields(thing) if f.name != "sources"}
    if isinstance(thing, Mapping):
        return {key: to_plain(value) for key, value in thing.items()}
    if isinstance(thing, tuple) and any(isinstance(part, Signal) for part in thing):
        return [to_plain(part) for part in thing]
    if isinstance(thing, np.ndarray | np.generic | tuple | list):
        return np.asarray(thing).tolist()
    if thing is None or isinstance(thing, str | int):
        return thing
    if isinstance(thing, numbers.Real):
        return float(thing)
    raise ParameterError(f"{type(thing).__name__} is not registered, so it cannot be saved by name")


def from_plain(role: str, description: Any, where: str = "") -> Any:
    """Return the object that a dictionary describes: its registered name and its parameters.

    A name alone stands for an object with default parameters, a number for a fixed delay; an object is returned
    unchanged. `where` is the place in a file that an error message names.
    """
    if isinstance(description, BASES[role]):
        return description
    if role == "delay" and not isinstance(description, str | Mapping):
        return as_delay(description)
    label = where or role
    given = {"name": description} if isinstance(description, str) else description
    registry = REGISTRIES[role]
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str) or given["name"] not in registry:
        found = given.get("name") if isinstance(given, Mapping) else given
        near = did_you_mean(str(found), registry)
        raise ParameterError(f"{label}.name must be one of {', '.join(registry)}, got {found!r}{near}")
    cls = registry[given["name"]]
    allowed = inspect.signature(cls).parameters
    for key in given:
        if key != "name" and key not in allowed:
            raise ParameterError(f"{label} has no key {key!r}; {given['name']} takes {', '.join(allowed) or 'none'}")
    parameters = {key: _part(role, key, value, label) for key, value in given.items() if key != "name"}
    missing = [key for key, p in allowed.items() if p.default is p.empty and key not in parameters]
    if missing:
        raise ParameterError(f"{label} needs {', '.join(missing)}")
    try:
        return cls(**parameters)
    except (TruewardError, ArithmeticError, TypeError, ValueError) as error:  # NumPy refuses some values itself
        raise ParameterError(f"{label}: {error}") from None


def _part(role: str, key: str, value: Any, label: str) -> Any:
    """Return a parameter: another object, evidence signals, a profile, or a plain value."""
    if key in PARTS.get(role, ()):
        return from_plain(key, value, f"{label}.{key}")
    if key == "profile" and isinstance(value, Mapping):
        return _build(Profile, value, f"{label}.profile")
    if key == "signals" and isinstance(value, list | tuple):
        return tuple(_build(Signal, given, f"{label}.signals[{i}]") for i, given in enumerate(value))
    return _as_tuple(value)


def _build(kind: type[Any], given: Any, label: str) -> Any:
    try:
        return kind(**{key: _as_tuple(part) for key, part in given.items()}) if isinstance(given, Mapping) else given
    except (ParameterError, TypeError) as error:
        raise ParameterError(f"{label}: {error}") from None


def _as_tuple(value: Any) -> Any:
    return tuple(map(_as_tuple, value)) if isinstance(value, list) else value


def policy_to_plain(policy: Policy) -> dict[str, Any] | None:
    """Return a policy as a dictionary; None for a custom policy, or one that contains a custom object."""
    try:
        return dict(to_plain(policy))
    except ParameterError:
        return None


def policy_from_saved(saved: Mapping[str, Any], given: Policy | None) -> Policy:
    """Return the policy that was saved; a custom policy, which has no name, must be `given`."""
    try:
        named = None if saved["policy"] is None else from_plain("policy", saved["policy"])
    except (LookupError, TypeError, ValueError) as error:
        raise damaged_log_error(error) from None
    if given is not None and not isinstance(given, Policy):
        raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {given!r}")
    if given is None:
        if not isinstance(named, Policy):
            raise LogError("the saved bandit's policy has no name: give it, as in from_dict(saved, policy=MyPolicy())")
        return named
    if named is not None and policy_to_plain(given) != policy_to_plain(named):
        raise ParameterError(f"policy must be the one that was saved, {named!r}, got {given!r}")
    return given


def damaged_log_error(error: Exception) -> LogError:
    """Return the error to raise for a saved bandit that cannot be read."""
    return error if isinstance(error, LogError) else LogError(f"the saved bandit is damaged: {error!r}")
