"""The ledger: each empirical claim, the number that decides it under each open choice, and the verdict."""

import json
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Literal

from rich.table import Table

Judgement = Literal["holds", "does not hold", "depends"]


@dataclass(frozen=True)
class Check:
    """One claim under one reading of what the paper leaves open."""

    choice: str  # "as stated" for our default reading, else the one choice that differs from it
    statistic: float
    low: float  # 95 % confidence interval of the statistic
    high: float
    holds: bool


@dataclass(frozen=True)
class Entry:
    """One claim of the paper, and what became of it."""

    name: str
    where: str  # section or figure of the paper
    says: str  # the claim, in our words
    statistic: str  # what was measured
    criterion: str  # when it counts as holding
    checks: tuple[Check, ...]  # the first is our default reading
    comment: str = ""

    @property
    def verdict(self) -> Judgement:
        """Whether the claim holds under every choice, under none, or depends on them."""
        outcomes = {check.holds for check in self.checks}
        return "depends" if len(outcomes) == 2 else "holds" if True in outcomes else "does not hold"

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The choices under which the outcome differs from that of our default reading."""
        return tuple(check.choice for check in self.checks[1:] if check.holds != self.checks[0].holds)


@dataclass(frozen=True)
class Ledger:
    """All claims that could be judged."""

    entries: tuple[Entry, ...]

    def write(self, file: Path) -> Path:
        """Write the ledger as JSON."""
        rows = [{**asdict(entry), "verdict": entry.verdict, "depends_on": entry.depends_on} for entry in self.entries]
        file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        return file

    @classmethod
    def read(cls, file: Path) -> "Ledger":
        """Read what `write` wrote."""
        rows = json.loads(file.read_text(encoding="utf-8"))
        names = [field.name for field in fields(Entry) if field.name != "checks"]
        return cls(
            tuple(
                Entry(checks=tuple(Check(**check) for check in row["checks"]), **{name: row[name] for name in names})
                for row in rows
            )
        )

    def as_table(self) -> Table:
        """Return the ledger as a table for the terminal."""
        table = Table(title="The paper's claims", show_lines=True)
        for column in ("claim", "where", "it says", "measured", "verdict"):
            table.add_column(column, overflow="fold")
        for entry in self.entries:
            first = entry.checks[0]
            measured = f"{first.statistic:.3g} [{first.low:.3g}, {first.high:.3g}]"
            table.add_row(entry.name, entry.where, entry.says, measured, verdict_words(entry))
        return table


def verdict_words(entry: Entry) -> str:
    """Return the verdict in words, with what it depends on."""
    if entry.verdict != "depends":
        return entry.verdict
    default = "holds, but not" if entry.checks[0].holds else "does not hold, but does"
    return f"depends: {default} with {'; '.join(entry.depends_on)}"
