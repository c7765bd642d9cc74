"""How a swept value is called on charts and in tables."""

from collections.abc import Mapping
from typing import Any


def text(value: Any) -> str:
    """Return a swept value as it is shown: a number, a name, or the name inside a table."""
    if isinstance(value, Mapping):
        return str(value.get("label", value.get("name", value)))
    return f"{value:g}" if isinstance(value, float) else str(value)
