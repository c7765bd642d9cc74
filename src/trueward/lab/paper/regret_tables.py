"""The regrets of each figure as tables of numbers."""

from collections.abc import Mapping

from trueward.lab.experiment.result import Result
from trueward.lab.paper.figures import FIGURES
from trueward.reporting.labels import symbol, text
from trueward.reporting.number_table import NumberTable


def regret_tables(results: Mapping[str, Result]) -> list[NumberTable]:
    """Return a table of regrets for each figure that was played."""
    return [
        regret_table(f"Figure {number}: mean regret ± half-width of the 95 % CI", results[figure.experiment])
        for number, figure in FIGURES.items()
        if figure.experiment in results
    ]


def regret_table(title: str, result: Result) -> NumberTable:
    """Return the mean regret after the last round, one row per policy and one column per point of the sweep."""
    swept = ", ".join(map(symbol, result.sweep))
    points = result.table.select(result.sweep).unique(maintain_order=True).rows() if result.sweep else [()]
    return NumberTable(
        title,
        [f"policy, {swept} =" if swept else "policy", *(", ".join(map(text, point)) or "regret" for point in points)],
        [
            [str(policy), *(_mean(*numbers) for numbers in rows.select("regret", "high").iter_rows())]
            for (policy,), rows in result.table.group_by("policy", maintain_order=True)
        ],
    )


def _mean(mean: float, high: float | None) -> str:
    return f"{mean:.0f}" if high is None else f"{mean:.0f}±{high - mean:.0f}"
