"""A claim of the paper, and how it is judged under each choice."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from trueward.lab.paper.claims.choices import AS_STATED, CHOICES
from trueward.lab.paper.claims.findings import Compared, Finding, Limit
from trueward.lab.paper.claims.reading import Games, NotPlayedError, Reading
from trueward.lab.paper.ledger import Check, Entry

ALONE = "Only our default reading was played; the experiments named choices-… show the others."

Measure = Callable[[Reading], Iterable[Compared]]
"""Gives all that a claim compares, under one reading of the paper."""


@dataclass(frozen=True)
class Claim:
    """One empirical sentence of the paper, or a part of one."""

    name: str
    where: str
    says: str
    statistic: str
    must: Limit
    measure: Measure
    unit: str = "rating points"  # of the statistic
    note: str = ""  # what a reader should know besides the number
    remark: Callable[[Reading], str] | None = None  # the same, with numbers of the default reading

    @property
    def criterion(self) -> str:
        """When it counts as holding, in words."""
        return self.must.words

    def finding(self, reading: Reading) -> Finding:
        """Return the comparison that decides the claim under a reading."""
        return self.must.weakest(self.measure(reading))

    def entry(self, games: Games) -> Entry | None:
        """Return what became of the claim, or None if the games that decide it were not played."""
        try:
            findings = {AS_STATED.name: self.finding(Reading(games, AS_STATED))}
        except NotPlayedError:
            return None
        findings |= self._other_findings(games)
        checks = tuple(Check(name, f.value, f.low, f.high, f.outcome) for name, f in findings.items())
        comment = self._comment(games, findings)
        return Entry(self.name, self.where, self.says, self.statistic, self.unit, self.criterion, checks, comment)

    def _other_findings(self, games: Games) -> dict[str, Finding]:
        """Return the findings under the other choices, where these make a difference and were played."""
        findings = {}
        for choice in CHOICES[1:]:
            reading = Reading(games, choice)
            try:
                finding = self.finding(reading)
            except NotPlayedError:
                continue
            if reading.differs:
                findings[choice.name] = finding
        return findings

    def _comment(self, games: Games, findings: dict[str, Finding]) -> str:
        default = Reading(games, AS_STATED)
        computed = self.remark(default) if self.remark else ""
        decided = [f"Decided by: {findings[AS_STATED.name].about}."]
        decided += [f"With {name}: {f.about}." for name, f in list(findings.items())[1:] if f.outcome != "holds"]
        alone = "" if any(name.startswith("choices-") for name in games.results) else ALONE
        return " ".join(part for part in (self.note, computed, *decided, alone) if part)


def claim(name: str, where: str, says: str, statistic: str, must: Limit, **more: Any) -> Callable[[Measure], Claim]:
    """Make the function below into the claim that it decides."""
    return lambda measure: Claim(name, where, says, statistic, must, measure, **more)
