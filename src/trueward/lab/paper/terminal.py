"""The ledger and the regrets of each figure, for the terminal."""

from collections.abc import Mapping

from rich.console import Group
from rich.text import Text

from trueward.lab.experiment.result import Result
from trueward.lab.paper.ledger import SIGNS, Entry, Ledger, Verdict
from trueward.lab.paper.regret_tables import regret_tables
from trueward.reporting.number_table import rich_table

COLORS: dict[Verdict, str] = {"holds": "green", "depends": "yellow", "undecided": "cyan", "does not hold": "red"}
COMPARE = {"below": "<", "above": ">"}


def ledger_text(ledger: Ledger) -> Text:
    """Return two lines for each claim: the verdict, then value, interval, unit and limit."""
    return Text("\n").join([*map(_entry_text, ledger.entries), Text(ledger.summary)])


def _entry_text(entry: Entry) -> Text:
    default = entry.checks[0]
    verdict = Text(f"{SIGNS[entry.verdict]} {entry.verdict}", style=COLORS[entry.verdict])
    depends = f": {default.outcome} by default" if entry.verdict == "depends" else ""
    differ = f"; {len(entry.depends_on)} of {len(entry.checks)} readings differ" if depends else ""
    value = default.text("z.3g" if abs(default.value) >= 1 else "z.3f")
    limit = f"{COMPARE[entry.side]} {entry.limit:g}"
    return Text.assemble(
        verdict, depends, "  ", (entry.name, "bold"), f"\n  {value} {entry.unit}; limit: {limit}{differ}"
    )


def regrets_text(results: Mapping[str, Result]) -> Group:
    """Return the regrets of each figure that was played."""
    head = "Regret after the last round, in rating points:\n"
    return Group(head, *map(rich_table, regret_tables(results)))
