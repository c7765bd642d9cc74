"""How a value is called on charts and in tables."""

from typing import Any


def text(value: Any) -> str:
    """Return a value as it is shown: a number with as many digits as tell it from every other."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else repr(value)
