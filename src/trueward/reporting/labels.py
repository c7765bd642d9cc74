"""Values, variables and counts as text, for charts and tables."""

from typing import Any

GREEK = {"epsilon": "ε", "alpha": "α", "sigma": "σ"}


def text(value: Any) -> str:
    """Return a value as text; numbers use the fewest digits that round-trip."""
    if not isinstance(value, float):
        return str(value)
    short = f"{value:g}"
    return short if float(short) == value else repr(value)


def symbol(name: str) -> str:
    """Return the symbol of a swept variable."""
    return GREEK.get(name, name)


def count(number: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun.

    >>> count(1, "trial"), count(1200, "trial"), count(2, "policy", "policies")
    ('1 trial', '1,200 trials', '2 policies')
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"
