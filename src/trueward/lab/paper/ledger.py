"""The ledger: each empirical claim, the number that decides it under each open choice, and the verdict."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from trueward.reporting.labels import count

Outcome = Literal["does not hold", "undecided", "holds"]
Verdict = Literal["holds", "depends", "undecided", "does not hold"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)  # the first found decides a claim about several comparisons
SIGNS: dict[Verdict, str] = {"holds": "✓", "depends": "◐", "undecided": "?", "does not hold": "✗"}
"""The sign of each verdict: none is told by colour alone."""
VERBS: dict[Verdict, tuple[str, str]] = {  # of one claim, and of several
    "holds": ("holds", "hold"),
    "depends": ("depends on the reading", "depend on the reading"),
    "undecided": ("is undecided", "are undecided"),
    "does not hold": ("does not hold", "do not hold"),
}


@dataclass(frozen=True)
class Check:
    """One claim under one reading of what the paper leaves open."""

    choice: str  # "as stated" for our default reading, else the one choice that differs from it
    statistic: float
    low: float  # 95 % confidence interval of the statistic
    high: float
    outcome: Outcome  # undecided if the interval contains the limit

    def measured(self, form: str = ".4g") -> str:
        """Return the statistic and its interval in words; one that is exact has no interval."""
        value, *ends = (f"{number:{form}}".replace("-", "−") for number in (self.statistic, self.low, self.high))
        return value if self.low == self.high else f"{value} [{', '.join(ends)}]"


@dataclass(frozen=True)
class Entry:
    """One claim of the paper, and what became of it."""

    name: str
    where: str  # section or figure of the paper
    says: str  # the claim, in our words
    statistic: str  # what was measured
    unit: str  # of the statistic
    criterion: str  # when it counts as holding
    checks: tuple[Check, ...]  # the first is our default reading
    comment: str = ""

    @property
    def verdict(self) -> Verdict:
        """What became of the claim under every reading played; "depends" if they do not agree."""
        outcomes = {check.outcome for check in self.checks}
        return "depends" if len(outcomes) > 1 else self.checks[0].outcome

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The choices under which the outcome differs from that of our default reading."""
        return tuple(check.choice for check in self.checks if check.outcome != self.checks[0].outcome)

    @property
    def words(self) -> str:
        """The verdict in words, with what it depends on."""
        if self.verdict != "depends":
            return self.verdict
        parts = [str(self.checks[0].outcome)]
        for outcome in reversed(OUTCOMES):
            with_it = [check.choice for check in self.checks[1:] if check.outcome == outcome]
            if with_it and outcome != self.checks[0].outcome:
                parts.append(f"{outcome} with {', '.join(with_it)}")
        return f"depends: {'; '.join(parts)}"


@dataclass(frozen=True)
class Ledger:
    """All claims that could be judged."""

    entries: tuple[Entry, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """How many claims have each verdict."""
        counted = Counter(entry.verdict for entry in self.entries)
        return {verdict: counted[verdict] for verdict in SIGNS}

    @property
    def summary(self) -> str:
        """How many claims hold, and under how many readings; empty if none was judged."""
        if not self.entries:
            return ""
        most = max(len(entry.checks) for entry in self.entries)
        readings = "the one reading played" if most == 1 else f"every reading played, up to {most} for a claim"
        counts = (f"{n} {VERBS[verdict][n != 1]}" for verdict, n in self.counts.items() if n)
        return f"{count(len(self.entries), 'claim')} of the paper judged under {readings}: {', '.join(counts)}."

    def write(self, file: Path) -> Path:
        """Write the ledger as JSON."""
        rows = [{**asdict(entry), "verdict": entry.verdict, "depends_on": entry.depends_on} for entry in self.entries]
        file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        return file

    @classmethod
    def read(cls, file: Path) -> "Ledger":
        """Read what `write` wrote."""
        return cls.of(json.loads(file.read_text(encoding="utf-8")))

    @classmethod
    def of(cls, rows: list[dict[str, Any]]) -> "Ledger":
        """Return the ledger that `write` put into rows."""
        names = [field.name for field in fields(Entry) if field.name != "checks"]
        return cls(
            tuple(
                Entry(checks=tuple(Check(**check) for check in row["checks"]), **{name: row[name] for name in names})
                for row in rows
            )
        )
