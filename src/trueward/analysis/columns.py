"""Columns of somebody's table, turned into what is analysed; what cannot be is refused, with row and column."""

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from trueward.errors import DataError
from trueward.parameters import LARGEST_REWARD

ALIASES = {"rating": "reward", "time": "asked_at"}  # as a study calls them
PASSED = {"1": 1.0, "true": 1.0, "passed": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "failed": 0.0, "no": 0.0}
STATUSES = ("rated", "pending", "missing", "void")
NOTHING = ("NAType", "NaTType")  # what stands for a missing value in a pandas column
NOT_AVAILABLE = ("NA", "NaN", "nan")  # as R and pandas write it into a file, where a number would stand
DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
LONGEST = 60  # characters of a bad value that a message shows


@dataclass(frozen=True)
class Columns:
    """A table, and for messages: how its first row is counted, or its file, with the lines of the rows and the head."""

    data: Mapping[str, Sequence[Any]]
    name: str = ""
    first: int = 1
    lines: Sequence[int] | None = None
    head: int | None = None

    def refuse(self, column: str, problem: str, row: int | None = None) -> DataError:
        """Return the error that says where something is wrong, and what; no row is the head."""
        line = self.head if row is None else row + self.first if self.lines is None else self.lines[row]
        file, place = f"{self.name}, " if self.name else "", "" if line is None else f"row {line}, "
        return DataError(f"{file}{place}column {column!r}: {problem}")

    def called(self, column: str) -> str | None:
        """Return the name under which a column is there, if it is."""
        return next((each for each in (column, ALIASES.get(column)) if each in self.data), None)

    def values(self, column: str, read: Callable[[Any], Any]) -> list[Any] | None:
        """Return a column, each value read from what is there; None for what is empty, or where there is none such."""
        name = self.called(column)
        if name is None:
            return None
        blank = () if read is str else NOT_AVAILABLE
        rows = enumerate(self.data[name])
        return [
            None if _empty(value) or (isinstance(value, str) and value in blank) else self._read(name, row, value, read)
            for row, value in rows
        ]

    def needed(self, column: str, read: Callable[[Any], Any]) -> list[Any]:
        """Return a column that has to be there."""
        values = self.values(column, read)
        if values is None:
            raise self.refuse(column, f"missing; there are {', '.join(map(repr, self.data)) or 'none'}")
        return values

    def evidence(self, name: str, read: Callable[[Any], Any]) -> list[Any] | None:
        """Return what came with each rating under a name, where a study keeps it."""
        told = self.values("evidence", _mapping)
        if told is None:
            return None
        found = [None if each is None else each.get(name) for each in told]
        return [
            None if _empty(value) else self._read("evidence", row, value, read, f"{name} ")
            for row, value in enumerate(found)
        ]

    def _read(self, name: str, row: int, value: Any, read: Callable[[Any], Any], what: str = "") -> Any:
        try:
            return read(value)
        except (ValueError, TypeError, OverflowError) as error:
            shown = repr(value)
            shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
            raise self.refuse(name, f"{what}must be {error.args[0]}, got {shown}", row) from None


def _empty(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and value == "") or type(value).__name__ in NOTHING


def number(value: Any) -> float:
    """Return a finite number."""
    try:
        read = float(value)
    except (ValueError, TypeError, OverflowError):
        read = math.nan
    if not abs(read) <= LARGEST_REWARD:
        comma = isinstance(value, str) and DECIMAL_COMMA.fullmatch(value)
        raise ValueError("a number with a decimal point" if comma else "a number")
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
    word = str(value).strip().casefold().removesuffix(".0")
    if word not in PASSED:
        raise ValueError("1 or 0, true or false, passed or failed")
    return PASSED[word]


def passed(value: Any) -> float:
    """Return the same of evidence, which may be a share of several checks: 1 if all were passed."""
    return float(number(value) >= 1.0)


def status(value: Any) -> str:
    """Return what became of a decision."""
    if value not in STATUSES:
        raise ValueError(f"one of {', '.join(map(repr, STATUSES))}")
    return str(value)


def moment(value: Any) -> float:
    """Return a time as a number: seconds, for a date and time; in UTC, where no zone is given."""
    try:
        return number(value)
    except ValueError:
        try:
            read = datetime.fromisoformat(str(value))
        except ValueError:
            raise ValueError("a time such as 2026-05-04T12:30:00, or a number") from None
    return (read if read.tzinfo else read.replace(tzinfo=UTC)).timestamp()


def _mapping(value: Any) -> dict[str, Any]:
    try:
        read = json.loads(value) if isinstance(value, str) else value
    except json.JSONDecodeError:
        read = None
    if not isinstance(read, dict):
        raise ValueError('an object such as {"check": true}')
    return read
