"""Analyse a study: the verdict and the results behind it."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Optional

import polars as pl

from trueward.analysis.assignment import Assignment, assignment
from trueward.analysis.betting import Bad, Level
from trueward.analysis.break_even import BreakEven, break_even
from trueward.analysis.decisions import Decisions, DecisionSource
from trueward.analysis.differences import Differences, Floor, differences
from trueward.analysis.drift import Drift, drift
from trueward.analysis.exclusion import Exclusion, Rule, exclude, parse_rules
from trueward.analysis.leaderboard import Leaderboard, leaderboard
from trueward.analysis.missing import Missing, missing
from trueward.analysis.raters import Raters, raters
from trueward.errors import StudyError
from trueward.parameters import Range, Share, checked
from trueward.reporting.labels import count

Source = Decisions | DecisionSource | str | os.PathLike[str]

SEVERAL_DECISIONS = "participants: some have several decisions, none of which own ratings can have led to"
FIRST_DECISIONS = "participants: only the first decision of each is included"


@dataclass(frozen=True, eq=False, repr=False)
class Analysis:
    """The result of `analyse`: a verdict in one sentence, and the parts that it is based on.

    `print(analysis)` shows the verdict, the intervals and the notes. Every part has a `table()`, and most have a
    `plot()`.

    Parameters
    ----------
    decisions : Decisions
        The decisions analysed.
    leaderboard : Leaderboard
        Robust interval of every arm.
    break_even : BreakEven
        Share of bad participants that would overturn the verdict.
    assignment, missing, drift, raters
        The checks that are always run: were arms drawn with the logged probabilities, do arms differ in missing
        ratings, did ratings change over time, and which raters are suspicious.
    differences : Differences or None
        Differences between arms, which assume that no rating is bad.
    no_differences : str
        Why they were not estimated.
    exclusion : Exclusion, optional
        Result of the exclusion rules; None without rules.
    without_rules : Analysis, optional
        The analysis without exclusions, if the rules exclude anybody.
    of_first_decisions : Analysis, optional
        The analysis of each participant's first decision, if their own ratings may have influenced later ones.
    """

    decisions: Decisions
    leaderboard: Leaderboard
    break_even: BreakEven
    assignment: Assignment
    missing: Missing
    drift: Drift
    raters: Raters
    differences: Differences | None
    no_differences: str
    exclusion: Exclusion | None = None
    without_rules: Optional["Analysis"] = None
    of_first_decisions: Optional["Analysis"] = None

    @property
    def verdict(self) -> str:
        """Which arm is ahead, and how much contamination that withstands, in one sentence."""
        board, break_even = self.leaderboard, self.break_even
        share, assumed = f"{100 * break_even.share:.1f} %", f"{100 * board.epsilon:.3g} %"
        if board.decided:
            undone = f"{count(break_even.fewest, 'bad participant')}, placed anywhere, would be needed to undo that"
            return (
                f"{board.leader} is ahead, and stays so even if {share} of each arm's participants are bad; {undone}."
            )
        if break_even.share > 0.0:
            return (
                f"{board.leader} leads, but with {assumed} of each arm's participants bad that is not certain: "
                f"it is up to {share}."
            )
        if board.decided_if_clean:
            lost = sum(self.missing.missing) + sum(self.missing.pending)
            return (
                f"{board.leader} leads, but that is not certain: {count(lost, 'missing or pending rating')} "
                "could undo it, even if no participant is bad."
            )
        return f"{board.leader} leads, but that is not certain, not even if no participant is bad."

    @property
    def notes(self) -> tuple[str, ...]:
        """The assumptions, and the results of the checks."""
        low, high = self.decisions.scale
        from_ratings = f"scale {low:g} to {high:g}, taken from the ratings: declare it if it is another"
        notes = [self.leaderboard.assumption, *([] if self.decisions.scale_declared else [from_ratings])]
        notes += [self.participants_note] if self.participants_note else []
        checks = [str(check) for check in (self.assignment, self.missing, self.drift, self.raters)]
        rules = [] if self.exclusion is None else [str(self.exclusion)]
        rules += [] if self.without_rules is None else [f"without the rules: {self.without_rules.verdict}"]
        return (*notes, *checks, *([self.no_differences] if self.differences is None else []), *rules)

    @property
    def participants_note(self) -> str:
        """A note about participants with several decisions, or "" if there are none."""
        if self.of_first_decisions is not None:
            after = self.decisions.after_own_ratings
            return (
                f"participants: {after:,} of {self.decisions.n:,} decisions were made AFTER OWN RATINGS; "
                "if these led to the arm, intervals may be wrong. The first of each alone, which cannot be led "
                f"(first=True, or --first): {self.of_first_decisions.verdict} Next time let participants keep their "
                "arm (one_arm), or ask for all that they will see before they rate"
            )
        if self.decisions.first_only:
            return FIRST_DECISIONS
        return SEVERAL_DECISIONS if self.decisions.has_repeated_participants else ""

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
    """Analyse a study, a bandit, a CSV file or `Decisions`: which arm is best if some of the ratings are bad?

    The intervals hold simultaneously for all arms and times, under any allocation rule. They assume that honest ratings
    do not drift, and that nobody is shown an arm because of their own earlier ratings.

    Parameters
    ----------
    source : Decisions, str, path, or an object with `.decisions()`
        The decisions to analyse.
    epsilon : float, optional
        Share of each arm's participants who may be bad.
    bad : "careless", "capped" or "chosen", optional
        Model of bad participants. "careless": each is bad with probability at most epsilon; "capped": at most that
        share is bad; "chosen": at most that share, selected by true rating.
    level : float, optional
        Confidence level of all intervals together.
    scale : tuple of float, optional
        Lowest and highest possible rating. Default: as declared by the source, or else the range of the ratings.
    rules : sequence, optional
        Exclusion rules, such as FasterThan(2) or "faster than 2 s". Default: the rules of the source, if it is a study.
    first : bool, optional
        Include only the first decision of each participant. Needed if participants' own ratings change what they are
        shown next.
    floor : float, optional
        Guaranteed minimum assignment probability, if the source does not provide it; used by `differences`.

    Examples
    --------
    >>> from trueward.analysis import Decisions, analyse
    >>> decisions = Decisions.from_columns(arm=["video", "text"] * 60, rating=[9, 3] * 60, scale=(0, 10))
    >>> analyse(decisions, epsilon=0.05).leaderboard.decided
    True
    """
    everybody, parsed_rules = Decisions.from_source(source, scale=scale), _rules(source, rules)
    options: dict[str, Any] = {"epsilon": epsilon, "bad": bad, "level": level, "floor": floor}
    if not parsed_rules:
        return _analyse_all(everybody, options, first=first)
    kept, exclusion = exclude(everybody, parsed_rules)
    if exclusion.participants == exclusion.n_participants:
        raise StudyError(f"the rules exclude all {exclusion.n_participants} participants: there is nothing to analyse")
    without_rules = _analyse_all(everybody, options, first=first) if exclusion.participants else None
    analysis = _analyse_all(kept, options, first=first)
    return replace(analysis, exclusion=exclusion, without_rules=without_rules)


def _rules(source: Source, rules: Any) -> tuple[Rule | str, ...]:
    return getattr(source, "rules", ()) if rules is None else parse_rules(rules)


def _analyse_all(decisions: Decisions, options: dict[str, Any], *, first: bool) -> Analysis:
    """Analyse the decisions, and separately the first decisions if own ratings may have influenced the others."""
    if first:
        return _analyse(decisions.first_decisions(), **options)
    analysis = _analyse(decisions, **options)
    if not decisions.after_own_ratings:
        return analysis
    return replace(analysis, of_first_decisions=_analyse(decisions.first_decisions(), **options))


def _analyse(decisions: Decisions, *, epsilon: float, bad: Bad, level: float, floor: float | None) -> Analysis:
    if decisions.included["rating"].count() == 0:
        raise StudyError("there are no ratings to analyse yet")
    estimated, reason = _differences(decisions, level, floor)
    return Analysis(
        decisions,
        leaderboard(decisions, epsilon=epsilon, bad=bad, level=level),
        break_even(decisions, bad=bad, level=level),
        assignment(decisions),
        missing(decisions, level=level),
        drift(decisions),
        raters(decisions),
        estimated,
        reason,
    )


def _differences(decisions: Decisions, level: float, floor: float | None) -> tuple[Differences | None, str]:
    try:
        return differences(decisions, level=level, floor=floor), ""
    except StudyError as error:
        return None, str(error)
