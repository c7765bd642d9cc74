"""Tables of names: each entry of a stage stands in one line, and is imported when somebody asks for it.

    POLICIES = Table("trueward.policies", {"crucb": "index.crucb:CrUCB", …})

What is exported, listed, documented, played in the arena and tested under contract is read from the tables.
"""

import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Generic, TypeVar

Entry = TypeVar("Entry")


class Registry(Mapping[str, type[Entry]], Generic[Entry]):
    """The classes of a stage by their names; a class is imported when it is first looked up."""

    def __init__(self, package: str, entries: Mapping[str, str]) -> None:
        self._places = {name: place.partition(":")[::2] for name, place in entries.items()}
        self.modules = {cls: f"{package}.{module}" for module, cls in self._places.values()}

    def __getitem__(self, name: str) -> type[Entry]:
        cls = self._places[name][1]
        return getattr(importlib.import_module(self.modules[cls]), cls)  # type: ignore[no-any-return] # as the table says

    def name_of(self, cls: type) -> str | None:
        """Return the name under which a class stands in the table, if it does."""
        named = (name for name, (_, entry) in self._places.items() if entry == cls.__name__)
        return next((name for name in named if self.modules[cls.__name__] == cls.__module__), None)

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def lazy_names(module: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a module whose names live in others, imported when somebody asks for them."""

    def look_up(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        return getattr(importlib.import_module(modules[name]), name)

    return look_up
