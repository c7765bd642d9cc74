"""Columns of somebody's table, turned into what is analysed; what cannot be is refused, with row and column."""

import json
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from trueward.errors import DataError

ALIASES = {"rating": "reward", "time": "asked_at"}  # as a study calls them
PASSED = {"1": 1.0, "true": 1.0, "passed": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "failed": 0.0, "no": 0.0}
STATUSES = ("rated", "pending", "missing", "void")


@dataclass(frozen=True)
class Columns:
    """A table whose first row of data has a number, for messages; `name` is that of its file."""

    data: Mapping[str, Sequence[Any]]
    name: str = ""
    first: int = 1

    def refuse(self, column: str, problem: str, row: int | None = None) -> DataError:
        """Return the error that says where something is wrong, and what."""
        file = f"{self.name}, " if self.name else ""
        place = "" if row is None else f"row {row + self.first}, "
        return DataError(f"{file}{place}column {column!r}: {problem}")

    def called(self, column: str) -> str | None:
        """Return the name under which a column is there, if it is."""
        return next((each for each in (column, ALIASES.get(column)) if each in self.data), None)

    def values(self, column: str, read: Callable[[Any], Any]) -> list[Any] | None:
        """Return a column, each value read from what is there; None for what is empty, or where there is none such."""
        name = self.called(column)
        if name is None:
            return None
        rows = enumerate(self.data[name])
        return [None if _empty(value) else self._read(name, row, value, read) for row, value in rows]

    def needed(self, column: str, read: Callable[[Any], Any]) -> list[Any]:
        """Return a column that has to be there."""
        values = self.values(column, read)
        if values is None:
            raise self.refuse(column, f"missing; there are {', '.join(map(repr, self.data)) or 'none'}")
        return values

    def evidence(self) -> list[dict[str, Any] | None] | None:
        """Return what came with each rating, where a study keeps it."""
        return self.values("evidence", _mapping)

    def _read(self, name: str, row: int, value: Any, read: Callable[[Any], Any]) -> Any:
        try:
            return read(value)
        except (ValueError, TypeError, OverflowError) as error:
            raise self.refuse(name, f"must be {error.args[0]}, got {value!r}", row) from None


def _empty(value: Any) -> bool:
    return value is None or value == "" or (isinstance(value, float) and math.isnan(value))


def number(value: Any) -> float:
    """Return a finite number."""
    try:
        read = float(value)
    except (ValueError, TypeError):
        read = math.nan
    if not math.isfinite(read):
        raise ValueError("a number")
    return read


def not_negative(value: Any) -> float:
    """Return a number of at least 0."""
    if not number(value) >= 0.0:
        raise ValueError("a number of at least 0")
    return number(value)


def probability(value: Any) -> float:
    """Return the probability of something that happened."""
    if not 0.0 < number(value) <= 1.0:
        raise ValueError("a probability above 0 and at most 1")
    return number(value)


def probabilities(value: Any) -> dict[str, float]:
    """Return the probabilities of all arms, by name."""
    read = {str(arm): number(p) for arm, p in _mapping(value).items()}
    if any(p < 0.0 for p in read.values()) or abs(sum(read.values()) - 1.0) > 1e-6:
        raise ValueError('probabilities that sum to 1, such as {"video": 0.4, "text": 0.6}')
    return read


def check(value: Any) -> float:
    """Return 1 for a check that was passed, 0 for one that was not."""
    word = str(value).strip().casefold()
    if word not in PASSED and word not in ("1.0", "0.0"):
        raise ValueError("1 or 0, true or false, passed or failed")
    return PASSED.get(word, float(word == "1.0"))


def status(value: Any) -> str:
    """Return what became of a decision."""
    if value not in STATUSES:
        raise ValueError(f"one of {', '.join(map(repr, STATUSES))}")
    return str(value)


def moment(value: Any) -> float:
    """Return a time as a number: seconds, for a date and time."""
    try:
        return number(value)
    except ValueError:
        try:
            return datetime.fromisoformat(str(value)).timestamp()
        except ValueError:
            raise ValueError("a time such as 2026-05-04T12:30:00, or a number") from None


def _mapping(value: Any) -> dict[str, Any]:
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError:
        read = None
    if not isinstance(read, dict):
        raise ValueError('an object such as {"check": true}')
    return read
