"""What the terminal shows of the paper: two lines for each claim, and the regrets of each figure in rating points."""

from collections.abc import Mapping

import polars as pl
from rich import box
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from trueward.lab.experiment.result import Result
from trueward.lab.paper.figures import FIGURES
from trueward.lab.paper.ledger import SIGNS, Entry, Ledger, Verdict
from trueward.reporting.labels import symbol, text

COLORS: dict[Verdict, str] = {"holds": "green", "depends": "yellow", "undecided": "cyan", "does not hold": "red"}

REGRETS = "Mean regret after the last round in rating points, and half of its 95 % interval:"


def ledger_text(ledger: Ledger) -> Text:
    """Return the claims, the verdict first, then what was measured, in what unit, and what was asked of it."""
    return Text("\n").join([*map(_entry, ledger.entries), Text(ledger.summary)])


def _entry(entry: Entry) -> Text:
    default = entry.checks[0]
    verdict = Text(f"{SIGNS[entry.verdict]} {entry.verdict}", style=COLORS[entry.verdict])
    depends = f": {default.outcome} as stated" if entry.verdict == "depends" else ""
    differ = f"; {len(entry.depends_on)} of {len(entry.checks)} readings differ" if depends else ""
    measured = default.measured("z.3g" if abs(default.statistic) >= 1 else "z.3f")
    return Text.assemble(
        verdict, depends, "  ", (entry.name, "bold"), f"\n  {measured} {entry.unit}; asked: {_asked(entry)}{differ}"
    )


def _asked(entry: Entry) -> str:
    """Return the threshold in signs."""
    words = entry.criterion.replace("below", "<").replace("above", ">").replace("one half", "0.5")
    return " ".join(words.split(" ")[-2:])


def regret_tables(results: Mapping[str, Result]) -> list[Table]:
    """Return a table of regrets for each figure that was played."""
    return [
        _regrets(f"Figure {number}", results[figure.experiment])
        for number, figure in FIGURES.items()
        if figure.experiment in results
    ]


def _regrets(title: str, result: Result) -> Table:
    """Return the mean regret after the last round, a row per policy and a column per point of the sweep."""
    head = f"{title}: regret ± 95 %"
    table = Table(title=head, min_width=len(head), box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False)
    swept = ", ".join(map(symbol, result.sweep))
    table.add_column(escape(f"policy, {swept} =" if swept else "policy"), no_wrap=True)
    points = result.table.select(result.sweep).unique(maintain_order=True).rows() if result.sweep else [()]
    for point in points:
        table.add_column(escape(", ".join(map(text, point))) or "regret", justify="right", no_wrap=True)
    for (policy,), rows in result.table.group_by("policy", maintain_order=True):
        cells = rows.select("regret", (pl.col("high") - pl.col("regret")).alias("half")).rows()
        table.add_row(escape(str(policy)), *(_number(mean, half) for mean, half in cells))
    return table


def _number(mean: float, half: float | None) -> str:
    return f"{mean:.0f}" if half is None else f"{mean:.0f}±{half:.0f}"
