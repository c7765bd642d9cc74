"""The ledger: each empirical claim, the number that decides it under each reading of the paper, and the verdict."""

import json
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Literal, get_args

from trueward.reporting.labels import count

Outcome = Literal["does not hold", "undecided", "holds"]
Verdict = Literal["holds", "depends", "undecided", "does not hold"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)  # worst first: the worst comparison decides a claim
SIGNS: dict[Verdict, str] = {"holds": "✓", "depends": "◐", "undecided": "?", "does not hold": "✗"}
"""The sign of each verdict, so that no verdict is shown by colour alone."""
VERBS: dict[Verdict, tuple[str, str]] = {  # for one claim, and for several
    "holds": ("holds", "hold"),
    "depends": ("depends on the reading", "depend on the reading"),
    "undecided": ("is undecided", "are undecided"),
    "does not hold": ("does not hold", "do not hold"),
}


@dataclass(frozen=True)
class Check:
    """The result for one claim under one reading."""

    reading: str
    value: float  # of the statistic
    low: float  # its 95 % confidence interval
    high: float
    outcome: Outcome  # undecided if the interval contains the limit

    def text(self, digits: str = ".4g") -> str:
        """Return the value with its interval; an exact value has no interval."""
        value, low, high = (f"{number:{digits}}".replace("-", "−") for number in (self.value, self.low, self.high))
        return value if self.low == self.high else f"{value} [{low}, {high}]"


@dataclass(frozen=True)
class Entry:
    """One claim of the paper, and whether it holds."""

    name: str
    section: str  # or figure of the paper
    sentence: str  # the claim, paraphrased
    statistic: str  # what was measured
    unit: str  # of the statistic
    criterion: str  # when it counts as holding
    side: Literal["below", "above"]  # side of the limit on which the interval must lie
    limit: float
    checks: tuple[Check, ...]  # the first is our default reading
    comment: str = ""

    @property
    def verdict(self) -> Verdict:
        """The outcome under every reading; "depends" if they do not agree."""
        outcomes = {check.outcome for check in self.checks}
        return "depends" if len(outcomes) > 1 else self.checks[0].outcome

    @property
    def depends_on(self) -> tuple[str, ...]:
        """The readings under which the outcome differs from that of our default reading."""
        return tuple(check.reading for check in self.checks if check.outcome != self.checks[0].outcome)

    @property
    def explanation(self) -> str:
        """The verdict, with the readings it depends on."""
        if self.verdict != "depends":
            return self.verdict
        parts = [str(self.checks[0].outcome)]
        for outcome in reversed(OUTCOMES):
            readings = [check.reading for check in self.checks[1:] if check.outcome == outcome]
            if readings and outcome != self.checks[0].outcome:
                parts.append(f"{outcome} with {', '.join(readings)}")
        return f"depends: {'; '.join(parts)}"


@dataclass(frozen=True)
class Ledger:
    """All claims that could be judged."""

    entries: tuple[Entry, ...]

    @property
    def counts(self) -> dict[Verdict, int]:
        """The number of claims with each verdict."""
        counted = Counter(entry.verdict for entry in self.entries)
        return {verdict: counted[verdict] for verdict in SIGNS}

    @property
    def summary(self) -> str:
        """The number of claims by verdict, as a sentence; empty if no claim was judged."""
        if not self.entries:
            return ""
        max_readings = max(len(entry.checks) for entry in self.entries)
        readings = "the one reading played" if max_readings == 1 else f"up to {max_readings} readings each"
        counts = (f"{n} {VERBS[verdict][n != 1]}" for verdict, n in self.counts.items() if n)
        return f"{count(len(self.entries), 'claim')} of the paper judged under {readings}: {', '.join(counts)}."

    def write(self, file: Path) -> Path:
        """Write the ledger as JSON."""
        rows = [{**asdict(entry), "verdict": entry.verdict, "depends_on": entry.depends_on} for entry in self.entries]
        file.write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
        return file

    @classmethod
    def read(cls, file: Path) -> "Ledger":
        """Read a ledger from a JSON file."""
        return cls.from_rows(json.loads(file.read_text(encoding="utf-8")))

    @classmethod
    def from_rows(cls, rows: list[dict[str, Any]]) -> "Ledger":
        """Return a ledger from dictionaries."""
        names = [field.name for field in fields(Entry) if field.name != "checks"]
        return cls(
            tuple(
                Entry(checks=tuple(Check(**check) for check in row["checks"]), **{name: row[name] for name in names})
                for row in rows
            )
        )
