"""A result as a table for the terminal."""

from rich.markup import escape
from rich.table import Table

from trueward.lab.experiment.result import Result
from trueward.pages.labels import text


def result_table(result: Result) -> Table:
    """Return regret, its interval, its spread, and the paired difference, a row per cell and policy."""
    reference = result.experiment.cells[0].reference
    table = Table(title=escape(f"{result.experiment.title or result.experiment.name}: uncontaminated regret"))
    swept = list(result.experiment.sweep)
    for column in [*swept, "policy", "mean", "95 % interval", "10-90 % range", f"difference to {reference}"]:
        table.add_column(escape(column), justify="left" if column in [*swept, "policy"] else "right")
    for row in result.table.iter_rows(named=True):
        table.add_row(
            *(escape(text(row[name])) for name in swept),
            escape(row["policy"]),
            f"{row['regret']:.1f}",
            f"{row['low']:.1f} … {row['high']:.1f}",
            f"{row['q10']:.0f} … {row['q90']:.0f}",
            f"{row['difference']:+.1f} [{row['difference_low']:+.1f}, {row['difference_high']:+.1f}]",
        )
    return table
