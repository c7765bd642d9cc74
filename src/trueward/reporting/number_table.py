"""A table of formatted numbers, for a page and for the terminal."""

from typing import NamedTuple

from rich import box
from rich.markup import escape
from rich.table import Table


class NumberTable(NamedTuple):
    """A table of formatted cells: text columns, then number columns."""

    title: str
    headers: list[str]
    rows: list[list[str]]
    text_columns: int = 1

    @property
    def numeric(self) -> list[bool]:
        """Whether each column holds numbers, which are aligned to the right."""
        return [column >= self.text_columns for column in range(len(self.headers))]


def rich_table(table: NumberTable) -> Table:
    """Return a table for the terminal."""
    shown = Table(
        title=escape(table.title),
        min_width=len(table.title),
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
    )
    for header, numeric in zip(table.headers, table.numeric, strict=True):
        shown.add_column(escape(header), justify="right" if numeric else "left")
    for row in table.rows:
        shown.add_row(*map(escape, row))
    return shown
