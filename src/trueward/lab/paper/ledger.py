"""The ledger: each empirical claim, the number that decides it under each reading of the paper, and the verdict."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any, Literal, get_args

import polars as pl

from trueward.lab.experiment.result import Result
from trueward.lab.paper.claims import CLAIMS
from trueward.lab.paper.claims.claim import Claim, Comparison, Limit
from trueward.lab.paper.estimates import Estimate
from trueward.lab.paper.readings import DEFAULT_READING, games_by_reading
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
ONLY_DEFAULT_READING = "Only our default reading was played; run the experiments named readings-… for the others."


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


def judge(results: Mapping[str, Result]) -> Ledger:
    """Return the ledger of all claims that the results of the paper's experiments, by name, can decide.

    A claim about several comparisons is decided by the weakest of them. It is judged under the default reading, and
    under every other reading that changes its games.
    """
    tables = {"trials": games_by_reading(results), "curves": games_by_reading(results, "curves")}
    only_default = not any(name.startswith("readings-") for name in results)
    entries = (_entry(claim, tables[claim.table], only_default=only_default) for claim in CLAIMS)
    return Ledger(tuple(entry for entry in entries if entry is not None))


def _entry(claim: Claim, games: pl.DataFrame, *, only_default: bool) -> Entry | None:
    """Return the entry of a claim, or None if its games were not played."""
    used = games_used(claim, games)
    if DEFAULT_READING not in used:
        return None
    decisive = {reading: weakest(claim.measure(rows), claim.limit) for reading, rows in used.items()}
    checks = tuple(
        Check(reading, *comparison.estimate, outcome(comparison.estimate, claim.limit))
        for reading, comparison in decisive.items()
    )
    comments = [claim.note, claim.remark(games.filter(reading=DEFAULT_READING)) if claim.remark else ""]
    for check, comparison in zip(checks, decisive.values(), strict=True):
        if check.reading == DEFAULT_READING or check.outcome != "holds":
            introduction = "Decided by" if check.reading == DEFAULT_READING else f"With {check.reading}"
            contains = f" (undecided: the interval contains {claim.limit.value:g})"
            comments.append(f"{introduction}: {comparison.label}{contains if check.outcome == 'undecided' else ''}.")
    return Entry(
        name=claim.name,
        section=claim.section,
        sentence=claim.sentence,
        statistic=claim.statistic,
        unit=claim.unit,
        criterion=claim.limit.criterion,
        side=claim.limit.side,
        limit=claim.limit.value,
        checks=checks,
        comment=" ".join(filter(None, [*comments, ONLY_DEFAULT_READING if only_default else ""])),
    )


def games_used(claim: Claim, games: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Return the games of a claim by reading, for the default reading and each reading that changes them."""
    at_settings = games.filter(pl.col("setting").is_in(claim.settings))
    if not claim.policies:  # the claim needs no games; it is judged if its settings were played
        played = at_settings["setting"].n_unique() == len(claim.settings)
        return {DEFAULT_READING: games.clear()} if played else {}
    rows = at_settings.filter(pl.col("policy").is_in(claim.policies))
    pairs = set(product(claim.settings, claim.policies))
    by_reading = {
        str(reading): part
        for (reading,), part in rows.partition_by("reading", as_dict=True).items()
        if set(part.select("setting", "policy").unique().iter_rows()) == pairs
    }
    default = set(by_reading[DEFAULT_READING]["game"].unique()) if DEFAULT_READING in by_reading else set()
    return {
        reading: part
        for reading, part in by_reading.items()
        if reading == DEFAULT_READING or set(part["game"].unique()) != default
    }


def weakest(comparisons: Iterable[Comparison], limit: Limit) -> Comparison:
    """Return the comparison that decides a claim. Failed comparisons come before undecided ones."""
    return min(
        comparisons,
        key=lambda each: (OUTCOMES.index(outcome(each.estimate, limit)), margin(each.estimate, limit)),
    )


def outcome(estimate: Estimate, limit: Limit) -> Outcome:
    """Return whether the whole interval lies on the right side of the limit, on the wrong side, or contains it."""
    _, low, high = estimate
    if margin(estimate, limit) > 0:
        return "holds"
    return "undecided" if low <= limit.value <= high else "does not hold"


def margin(estimate: Estimate, limit: Limit) -> float:
    """Return the distance from the limit to the interval; positive if the whole interval is on the required side."""
    _, low, high = estimate
    return limit.value - high if limit.side == "below" else low - limit.value
