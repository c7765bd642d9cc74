"""Tables of names: each entry of a stage stands in one line, and is imported when somebody asks for it.

    POLICIES = Table("trueward.policies", {"crucb": "index.crucb:CrUCB", …})

What is exported, listed, documented, played in the arena and tested under contract is read from the tables.
"""

import importlib
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Entry = TypeVar("Entry")


class Table(Mapping[str, type[Entry]], Generic[Entry]):
    """The classes of a stage by their names; a class is imported when it is first looked up.

    `renamed` are names of an earlier version, which are still understood.
    """

    def __init__(self, package: str, entries: Mapping[str, str], renamed: Mapping[str, str] | None = None) -> None:
        self._renamed = renamed or {}
        self._places = {name: place.partition(":")[::2] for name, place in entries.items()}
        self.homes = {cls: f"{package}.{module}" for module, cls in self._places.values()}

    def __getitem__(self, name: str) -> type[Entry]:
        cls = self._places[present_name(name, self._renamed)][1]
        return getattr(importlib.import_module(self.homes[cls]), cls)  # type: ignore[no-any-return] # as the table says

    def name_of(self, cls: type) -> str | None:
        """Return the name under which a class stands in the table, if it does."""
        named = (name for name, (_, entry) in self._places.items() if entry == cls.__name__)
        return next((name for name in named if self.homes[cls.__name__] == cls.__module__), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def present_name(name: str, renamed: Mapping[str, str]) -> str:
    """Return the name that something has now, and warn if it is another."""
    if name in renamed:
        warnings.warn(f"{name!r} is now {renamed[name]!r}", DeprecationWarning, stacklevel=3)
    return renamed.get(name, name)


def lazy(module: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names live in others, imported when somebody asks for them."""

    def look_up(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(homes[name]), name)

    return look_up
