"""How swept values, what is swept, and numbers of things are called on charts and in tables."""

from collections.abc import Mapping
from typing import Any

GREEK = {"epsilon": "ε", "alpha": "α", "sigma": "σ"}


def text(value: Any) -> str:
    """Return a swept value as it is shown: a number, a name, or the name inside a table."""
    if isinstance(value, Mapping):
        return str(value.get("label", value.get("name", value)))
    return f"{value:g}" if isinstance(value, float) else str(value)


def symbol(name: str) -> str:
    """Return how what is swept is written."""
    return GREEK.get(name, name)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "trial"), count(1200, "trial"), count(2, "policy", "policies")
    ('1 trial', '1,200 trials', '2 policies')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
