"""Columns of a table or a CSV file, read value by value; an error names the row and the column."""

import csv
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from trueward.errors import DataError
from trueward.parameters import LARGEST_REWARD

ALIASES = {"rating": "reward", "time": "asked_at"}  # their names in the table of a study
PASSED = {"1": 1.0, "true": 1.0, "passed": 1.0, "yes": 1.0, "0": 0.0, "false": 0.0, "failed": 0.0, "no": 0.0}
STATUSES = ("rated", "pending", "missing", "void")
PANDAS_MISSING = ("NAType", "NaTType")  # types of a missing value in a pandas column
NOT_AVAILABLE = ("NA", "NaN", "nan")  # what R and pandas write into a file for a missing number
DECIMAL_COMMA = re.compile(r"-?\d+,\d+")
LONGEST = 60  # characters of a bad value that a message shows
SEPARATORS = (",", ";", "\t")


@dataclass(frozen=True)
class Columns:
    """A table by column, with what an error message needs to name a row."""

    data: Mapping[str, Sequence[Any]]
    file: str = ""  # name of the file
    first: int = 1  # number of the first row, for a table without a file
    lines: Sequence[int] | None = None  # line of each row in the file
    header: int | None = None  # line of the header in the file

    def error(self, column: str, problem: str, row: int | None = None) -> DataError:
        """Return an error about a row, or about the header if no row is passed."""
        line = self.header if row is None else row + self.first if self.lines is None else self.lines[row]
        file, place = f"{self.file}, " if self.file else "", "" if line is None else f"row {line}, "
        return DataError(f"{file}{place}column {column!r}: {problem}")

    def name_of(self, column: str) -> str | None:
        """Return the name that a column has in this table, or None if the column is absent."""
        return next((each for each in (column, ALIASES.get(column)) if each in self.data), None)

    def values(self, column: str, read: Callable[[Any], Any]) -> list[Any] | None:
        """Return a column with every value read, and None for empty values; None if the column is absent."""
        name = self.name_of(column)
        if name is None:
            return None
        blank = () if read is str else NOT_AVAILABLE
        rows = enumerate(self.data[name])
        return [
            None if _empty(value) or (isinstance(value, str) and value in blank) else self._read(name, row, value, read)
            for row, value in rows
        ]

    def required(self, column: str, read: Callable[[Any], Any]) -> list[Any]:
        values = self.values(column, read)
        if values is None:
            raise self.error(column, f"missing; there are {', '.join(map(repr, self.data)) or 'none'}")
        return values

    def evidence(self, name: str, read: Callable[[Any], Any]) -> list[Any] | None:
        """Return one kind of evidence that came with each rating; None if there is no column of evidence."""
        evidence = self.values("evidence", _mapping)
        if evidence is None:
            return None
        values = [None if each is None else each.get(name) for each in evidence]
        return [
            None if _empty(value) else self._read("evidence", row, value, read, f"{name} ")
            for row, value in enumerate(values)
        ]

    def _read(self, name: str, row: int, value: Any, read: Callable[[Any], Any], what: str = "") -> Any:
        try:
            return read(value)
        except (ValueError, TypeError, OverflowError) as error:
            shown = repr(value)
            shown = shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…"
            raise self.error(name, f"{what}must be {error.args[0]}, got {shown}", row) from None


def _empty(value: Any) -> bool:
    if isinstance(value, float | np.floating):
        return math.isnan(value)
    return value is None or (isinstance(value, str) and value == "") or type(value).__name__ in PANDAS_MISSING


def number(value: Any) -> float:
    try:
        read = float(value)
    except (ValueError, TypeError, OverflowError):
        read = math.nan
    if not abs(read) <= LARGEST_REWARD:
        comma = isinstance(value, str) and DECIMAL_COMMA.fullmatch(value)
        raise ValueError("a number with a decimal point" if comma else "a number")
    return read


def not_negative(value: Any) -> float:
    if not number(value) >= 0.0:
        raise ValueError("a number of at least 0")
    return number(value)


def probability(value: Any) -> float:
    """Return the probability of the arm that was shown, which cannot be 0."""
    if not 0.0 < number(value) <= 1.0:
        raise ValueError("a probability above 0 and at most 1")
    return number(value)


def probabilities(value: Any) -> dict[str, float]:
    read = {str(arm): number(p) for arm, p in _mapping(value).items()}
    if any(p < 0.0 for p in read.values()) or abs(sum(read.values()) - 1.0) > 1e-6:
        raise ValueError('probabilities that sum to 1, such as {"video": 0.4, "text": 0.6}')
    return read


def check(value: Any) -> float:
    """Return 1 for a passed check and 0 for a failed one."""
    word = str(value).strip().casefold().removesuffix(".0")
    if word not in PASSED:
        raise ValueError("1 or 0, true or false, passed or failed")
    return PASSED[word]


def passed(value: Any) -> float:
    """Return 1 if all checks were passed: evidence may hold the share of several checks."""
    return float(number(value) >= 1.0)


def status(value: Any) -> str:
    if value not in STATUSES:
        raise ValueError(f"one of {', '.join(map(repr, STATUSES))}")
    return str(value)


def moment(value: Any) -> float:
    """Return a time as a number; a date and time become seconds, in UTC if they have no time zone."""
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


def read_csv_columns(path: Path) -> Columns:
    """Return the columns of a file as text; commas, semicolons or tabs separate them, and empty lines are skipped."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path.name}: must be a table as CSV, in UTF-8; it has bytes that are not") from None
    except OSError as error:
        raise DataError(f"{path.name}: {error.strerror}") from None
    if not text.strip():
        raise DataError(f"{path.name}, row 1: the file is empty; it needs the columns 'arm' and 'rating'")
    header, *rows = _rows(text, path.name)
    names = [name.strip() for name in header[1]]
    for line, cells in rows:
        if len(cells) != len(names):
            where = f"column {names[len(cells)]!r}" if len(cells) < len(names) else f"column {len(names) + 1}"
            raise DataError(
                f"{path.name}, row {line}, {where}: the head has {len(names)} columns, this row {len(cells)}"
            )
    columns = {name: [cells[place].strip() for _, cells in rows] for place, name in enumerate(names)}
    if len(columns) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path.name}, row {header[0]}, column {twice!r}: there are two of that name")
    return Columns(columns, path.name, lines=[line for line, _ in rows], header=header[0])


def _rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the number of its last line."""
    first = text.lstrip().partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)  # a comma if the header has none of them
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    rows = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise DataError(f"{name}, row {reader.line_num}: {error}") from None
    return rows
