"""Objects as plain dictionaries, by their names in the tables, and back: what is saved as JSON."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, TypeVar

import numpy as np

from trueward.errors import ParameterError
from trueward.estimators import ESTIMATORS
from trueward.policies import POLICIES

Described = TypeVar("Described")

_TABLES: tuple[Mapping[str, type[Any]], ...] = (POLICIES, ESTIMATORS)


def describe(thing: Any) -> Any:
    """Return a dictionary with the name of an object and its parameters; plain values as they are."""
    for table in _TABLES:
        for name, cls in table.items():
            if type(thing) is cls:
                return {"name": name} | {f.name: describe(getattr(thing, f.name)) for f in fields(thing) if f.init}
    if is_dataclass(thing):
        raise ParameterError(f"{type(thing).__name__} is in no table, so it cannot be saved by name")
    return np.asarray(thing).tolist() if isinstance(thing, np.ndarray | np.generic | tuple) else thing


def build(description: Any) -> Any:
    """Return the object that a dictionary describes; lists become tuples, other values stay as they are."""
    if isinstance(description, Mapping):
        parameters = {key: build(value) for key, value in description.items() if key != "name"}
        for table in _TABLES:
            if description.get("name") in table:
                return table[description["name"]](**parameters)
        raise ParameterError(f"there is nothing named {description.get('name')!r}; known: {_known()}")
    return tuple(build(entry) for entry in description) if isinstance(description, list) else description


def _known() -> str:
    return ", ".join(name for table in _TABLES for name in table)
