"""Registries: one line per class, by name; a class is imported when it is first used.

    POLICIES = Registry("trueward.policies", {"crucb": "index.crucb:CrUCB", …})

What is exported, listed, documented, played in the arena and tested by the contract suites is read from them.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Entry = TypeVar("Entry")


class Registry(Mapping[str, type[Entry]], Generic[Entry]):
    """Classes of one kind by name; looking a name up imports its class."""

    def __init__(self, package: str, entries: Mapping[str, str]) -> None:
        self._places = {name: place.partition(":")[::2] for name, place in entries.items()}
        self.modules = {cls: f"{package}.{module}" for module, cls in self._places.values()}

    def __getitem__(self, name: str) -> type[Entry]:
        cls = self._places[name][1]
        return getattr(importlib.import_module(self.modules[cls]), cls)  # type: ignore[no-any-return] # by declaration

    def name_of(self, cls: type) -> str | None:
        """Return the name of a class, or None if it is not registered."""
        names = (name for name, (_, entry) in self._places.items() if entry == cls.__name__)
        return next((name for name in names if self.modules[cls.__name__] == cls.__module__), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def lazy_names(module: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names are defined in other modules, imported on first use."""

    def look_up(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(modules[name]), name)

    return look_up
