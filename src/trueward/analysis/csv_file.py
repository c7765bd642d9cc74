"""A CSV file as columns of text, as a spreadsheet may have written it; what is wrong with it is said with its row."""

import csv
from pathlib import Path

from trueward.analysis.columns import Columns
from trueward.errors import DataError

SEPARATORS = (",", ";", "\t")


def read_columns(path: Path) -> Columns:
    """Return the columns of a file, separated by commas, semicolons or tabs; empty lines do not count."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path.name}: must be a table as CSV, in UTF-8; it has bytes that are not") from None
    except OSError as error:
        raise DataError(f"{path.name}: {error.strerror}") from None
    if not text.strip():
        raise DataError(f"{path.name}, row 1: the file is empty; it needs the columns 'arm' and 'rating'")
    head, *rows = _rows(text, path.name)
    names = [name.strip() for name in head[1]]
    for line, cells in rows:
        if len(cells) != len(names):
            where = f"column {names[len(cells)]!r}" if len(cells) < len(names) else f"column {len(names) + 1}"
            raise DataError(
                f"{path.name}, row {line}, {where}: the head has {len(names)} columns, this row {len(cells)}"
            )
    columns = {name: [cells[place].strip() for _, cells in rows] for place, name in enumerate(names)}
    if len(columns) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"{path.name}, row {head[0]}, column {twice!r}: there are two of that name")
    return Columns(columns, path.name, lines=[line for line, _ in rows], head=head[0])


def _rows(text: str, name: str) -> list[tuple[int, list[str]]]:
    """Return the rows that are not empty, each with the line at which it ends."""
    first = text.lstrip().partition("\n")[0]
    separator = max(SEPARATORS, key=first.count)  # the first of them, where there is none
    reader = csv.reader(text.splitlines(keepends=True), delimiter=separator, strict=True)
    rows = []
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((reader.line_num, cells))
    except csv.Error as error:
        raise DataError(f"{name}, row {reader.line_num}: {error}") from None
    return rows
