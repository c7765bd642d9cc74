"""A result as a table for the terminal."""

from typing import Any

from rich.markup import escape
from rich.table import Table

from trueward.lab.experiment.result import Result
from trueward.reporting.labels import text


def result_table(result: Result) -> Table:
    """Return regret, its interval, its spread, and the paired difference, a row per cell and policy."""
    reference = result.experiment.cells[0].reference
    table = Table(title=escape(f"{result.title}: uncontaminated regret"))
    swept = list(result.experiment.sweep)
    for column in [*swept, "policy", "mean", "95 % interval", "10-90 % range", f"difference to {reference}"]:
        table.add_column(escape(column), justify="left" if column in [*swept, "policy"] else "right")
    for row in result.table.iter_rows(named=True):
        table.add_row(
            *(escape(text(row[name])) for name in swept),
            escape(row["policy"]),
            f"{row['regret']:.1f}",
            _between(row["low"], row["high"], ".1f"),
            _between(row["q10"], row["q90"], ".0f"),
            _difference(row),
        )
    return table


def _between(low: float | None, high: float | None, digits: str) -> str:
    """Return an interval in words; a dash where there is none, as for the mean of a single trial."""
    return "–" if low is None or high is None else f"{low:{digits}} … {high:{digits}}"


def _difference(row: dict[str, Any]) -> str:
    sure = row["difference_low"] is not None
    return f"{row['difference']:+.1f}" + (
        f" [{row['difference_low']:+.1f}, {row['difference_high']:+.1f}]" if sure else ""
    )
