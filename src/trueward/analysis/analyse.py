"""What may be concluded from a study: a verdict, and all that it stands on."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

import polars as pl

from trueward.analysis.assignment import Assignment, assignment
from trueward.analysis.break_even import BreakEven, break_even
from trueward.analysis.contrasts import Contrasts, Floor, contrasts
from trueward.analysis.decisions import Decisions, StudyLike
from trueward.analysis.drift import Drift, drift
from trueward.analysis.exclusion import Exclusion, Rule, exclude, rules_of
from trueward.analysis.leaderboard import Leaderboard, leaderboard
from trueward.analysis.missing import Missing, missing
from trueward.analysis.raters import Raters, raters
from trueward.analysis.reading import Scale
from trueward.analysis.wealth import Bad, Level
from trueward.errors import ParameterError, StudyError
from trueward.live.bandit import Bandit
from trueward.parameters import Range, Share, checked
from trueward.reporting.labels import count

Source = Decisions | Bandit | StudyLike | str | os.PathLike[str]

SEVERAL = "participants: some have several decisions, none of which own ratings can have led to"
FIRST = "participants: only the first decision of each counts"


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """All parts of an analysis."""

    decisions: Decisions
    leaderboard: Leaderboard
    break_even: BreakEven
    assignment: Assignment
    missing: Missing
    drift: Drift
    raters: Raters
    contrasts: Contrasts | None
    no_contrasts: str  # why there are none
    exclusion: Exclusion | None = None  # by rules that were written down before; None without any
    without_rules: Optional["Analysis"] = None  # the same of everybody, where rules leave somebody out
    of_firsts: Optional["Analysis"] = None  # of each participant's first decision, where own ratings may lead to others

    @property
    def verdict(self) -> str:
        """One sentence: who is ahead, and how much contamination that withstands."""
        board, even = self.leaderboard, self.break_even
        share, assumed = f"{100 * even.share:.1f} %", f"{100 * board.epsilon:.3g} %"
        if board.decided:
            undone = f"{count(even.fewest, 'bad participant')}, placed anywhere, would be needed to undo that"
            return (
                f"{board.leader} is ahead, and stays so even if {share} of each arm's participants are bad; {undone}."
            )
        if even.share > 0.0:
            return (
                f"{board.leader} leads, but with {assumed} of each arm's participants bad that is not certain: "
                f"it is up to {share}."
            )
        if board.decided_by_answers:
            lost = sum(self.missing.missing) + sum(self.missing.pending)
            return (
                f"{board.leader} leads, but that is not certain: {count(lost, 'missing or pending rating')} "
                "could undo it, even if no participant is bad."
            )
        return f"{board.leader} leads, but that is not certain, not even if no participant is bad."

    @property
    def notes(self) -> tuple[str, ...]:
        """What was assumed, and what the checks found."""
        low, high = self.decisions.scale
        taken = f"scale {low:g} to {high:g}, taken from the ratings: declare it if it is another"
        notes = [self.leaderboard.assumption, *([] if self.decisions.scale_declared else [taken])]
        notes += [self.whose] if self.whose else []
        checks = [str(check) for check in (self.assignment, self.missing, self.drift, self.raters)]
        rules = [] if self.exclusion is None else [str(self.exclusion)]
        rules += [] if self.without_rules is None else [f"without the rules: {self.without_rules.verdict}"]
        return (*notes, *checks, *([self.no_contrasts] if self.contrasts is None else []), *rules)

    @property
    def whose(self) -> str:
        """What is to be said of participants with several decisions; nothing where there are none."""
        if self.of_firsts is not None:
            return (
                f"participants: {self.decisions.led:,} of {self.decisions.n:,} decisions were made AFTER OWN RATINGS; "
                "if these led to the arm, intervals may be wrong. The first of each alone, which cannot be led "
                f"(first=True, or --first): {self.of_firsts.verdict} Next time let participants keep their arm "
                "(one_arm), or ask for all that they will see before they rate"
            )
        return FIRST if self.decisions.first_only else SEVERAL if self.decisions.repeated else ""

    def table(self) -> pl.DataFrame:
        """Return the leaderboard as a table."""
        return self.leaderboard.table()

    def plot(self) -> Any:
        """Return the leaderboard as a chart."""
        return self.leaderboard.plot()

    def __str__(self) -> str:
        board = [f"  {arm}: {self.leaderboard[arm]}" for arm in self.table()["arm"]]
        return "\n".join([self.verdict, *board, *(f"  {note}" for note in self.notes)])


@checked
def analyse(
    source: Source,
    *,
    epsilon: Share = 0.1,
    bad: Bad = "careless",
    level: Level = 0.95,
    scale: Range | None = None,
    rules: Sequence[Any] | None = None,
    first: bool = False,
    floor: Floor | None = None,
) -> Analysis:
    """Analyse decisions, a bandit, a study, or a CSV file.

    `scale` are the lowest and the highest rating possible. `rules`, such as FasterThan(2) or "faster than 2 s", leave
    participants out; those of a study are the ones that were written down, unless others are given. With `first`, only
    the first decision of each participant counts: needed where own ratings change what one is shown next. `floor` is
    the one kept under the probabilities, where the source does not say so.
    """
    everybody, known = decisions_of(source, scale), rules_given(source, rules)

    def analysis_of(decisions: Decisions) -> Analysis:
        told: dict[str, Any] = {"epsilon": epsilon, "bad": bad, "level": level, "floor": floor}
        return _analysis(decisions.firsts(), **told) if first else _with_firsts(decisions, **told)

    if not known:
        return analysis_of(everybody)
    kept, found = exclude(everybody, known)
    if found.participants == found.of:
        raise StudyError(f"the rules leave out all {found.of} participants: there is nothing to analyse")
    whole = analysis_of(everybody) if found.participants else None
    return replace(analysis_of(kept), exclusion=found, without_rules=whole)


def rules_given(source: Source, rules: Any) -> tuple[Rule | str, ...]:
    """Return the rules that are given, or else those of a study."""
    return getattr(source, "rules", ()) if rules is None else rules_of(rules)


def _with_firsts(decisions: Decisions, **told: Any) -> Analysis:
    """Return an analysis, beside which stands that of first decisions where own ratings may have led to others."""
    whole = _analysis(decisions, **told)
    return replace(whole, of_firsts=_analysis(decisions.firsts(), **told)) if decisions.led else whole


def _analysis(decisions: Decisions, *, epsilon: float, bad: Bad, level: float, floor: float | None) -> Analysis:
    if decisions.counting["rating"].count() == 0:
        raise StudyError("there are no ratings to analyse yet")
    found, reason = _contrasts(decisions, level, floor)
    return Analysis(
        decisions,
        leaderboard(decisions, epsilon=epsilon, bad=bad, level=level),
        break_even(decisions, bad=bad, level=level),
        assignment(decisions),
        missing(decisions, level=level),
        drift(decisions),
        raters(decisions),
        found,
        reason,
    )


def decisions_of(source: Source, scale: Scale | None = None) -> Decisions:
    """Return the decisions of any source."""
    if isinstance(source, Decisions):
        return source if scale is None else source.on_scale(*scale)
    if isinstance(source, Bandit):
        return Decisions.of_bandit(source, scale=scale)
    if isinstance(source, str | os.PathLike):
        return Decisions.read_csv(source, scale=scale)
    if not hasattr(source, "decisions"):
        raise ParameterError(f"source must be Decisions, a Bandit, a Study or the path of a CSV file, got {source!r}")
    return Decisions.of_study(source, scale=scale)


def _contrasts(decisions: Decisions, level: float, floor: float | None) -> tuple[Contrasts | None, str]:
    try:
        return contrasts(decisions, level=level, floor=floor), ""
    except StudyError as error:
        return None, str(error)
