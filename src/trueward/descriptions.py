"""Objects as plain dictionaries, by their names in the tables, and back: what is saved as JSON."""

import numbers
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np

from trueward.errors import LogError, ParameterError
from trueward.estimators import ESTIMATORS
from trueward.policies import POLICIES, Policy

Described = TypeVar("Described")

_TABLES: tuple[Mapping[str, type[Any]], ...] = (POLICIES, ESTIMATORS)


def describe(thing: Any) -> Any:
    """Return a dictionary with the name of an object and its parameters; plain values as they are."""
    for table in _TABLES:
        for name, cls in table.items():
            if type(thing) is cls:
                return {"name": name} | {f.name: describe(getattr(thing, f.name)) for f in fields(thing) if f.init}
    if isinstance(thing, np.ndarray | np.generic | tuple | list):
        return np.asarray(thing).tolist()
    if thing is None or isinstance(thing, str | int):
        return thing
    if isinstance(thing, numbers.Real):
        return float(thing)
    raise ParameterError(f"{type(thing).__name__} is in no table, so it cannot be saved by name")


def build(description: Any) -> Any:
    """Return the object that a dictionary describes; lists become tuples, other values stay as they are."""
    if isinstance(description, Mapping):
        parameters = {key: build(value) for key, value in description.items() if key != "name"}
        for table in _TABLES:
            if description.get("name") in table:
                return table[description["name"]](**parameters)
        raise ParameterError(f"there is nothing named {description.get('name')!r}; known: {_known()}")
    return tuple(build(entry) for entry in description) if isinstance(description, list) else description


def describe_policy(policy: Policy) -> dict[str, Any] | None:
    """Return a policy by its name; None for one of the user's own, or around something of the user's own."""
    try:
        return dict(describe(policy))
    except ParameterError:
        return None


def saved_policy(saved: Mapping[str, Any], given: Policy | None) -> Policy:
    """Return the policy that was saved; one that has no name must be given."""
    try:
        named = None if saved["policy"] is None else build(saved["policy"])
    except (LookupError, TypeError, ValueError) as error:
        raise damaged(error) from None
    if given is not None and not isinstance(given, Policy):
        raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {given!r}")
    if given is None:
        if not isinstance(named, Policy):
            raise LogError("the saved bandit's policy has no name: give it, as in from_dict(saved, policy=MyPolicy())")
        return named
    if named is not None and describe_policy(given) != describe_policy(named):
        raise ParameterError(f"policy must be the one that was saved, {named!r}, got {given!r}")
    return given


def damaged(error: Exception) -> LogError:
    """Return the error of a saved bandit that cannot be read, and why."""
    return error if isinstance(error, LogError) else LogError(f"the saved bandit is damaged: {error!r}")


def _known() -> str:
    return ", ".join(name for table in _TABLES for name in table)
