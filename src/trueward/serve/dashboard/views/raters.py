"""Raters: what is unusual about each, how much the lead depends on them, and who was taken out.

By default nothing here says which arm would gain: who decides about a rater should not know.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import polars as pl

from trueward.analysis.analyse import Analysis
from trueward.analysis.break_even import break_even
from trueward.analysis.decisions import Decisions
from trueward.analysis.raters import Rater
from trueward.errors import TruewardError
from trueward.serve.dashboard.views.look import Look
from trueward.study.previewing import Preview

FLAGS = {
    "run": "same answer many times in a row",
    "far": "far from what others say",
    "fast": "answers very fast",
    "check": "failed an attention check",
    "duplicate": "same answers as another rater",
}
"""What a flag means."""

State = Literal["counts", "out"]


@dataclass(frozen=True)
class RaterRow:
    """A rater on the page; `change` is what leaving the rater out does to the lead, where it was computed."""

    pseudonym: str
    state: State
    ratings: int
    longest_run: int | None = None
    spread: float | None = None
    distance: float | None = None
    seconds: float | None = None
    failed_checks: int = 0
    duplicate_of: str = ""
    flags: tuple[str, ...] = ()
    change: float | None = None
    reason: str = ""  # why the rater is out
    aside: int = 0  # ratings that the policy leaves out


@dataclass(frozen=True)
class RatersPage:
    """All raters with two ratings or more, the most suspicious first, and those taken out."""

    rows: tuple[RaterRow, ...]
    out: tuple[RaterRow, ...]
    leader: str
    lead: float | None
    single: int  # raters with one rating: nothing can be said of them
    rules: str = ""  # whom the rules of the study leave out


def raters_of(look: Look, analysis: Analysis | None) -> RatersPage:
    """Return the raters."""
    out = tuple(_outsider(look, who) for who in _taken_out(look))
    everybody = look.table.filter(pl.col("participant").is_not_null(), status="rated")
    single = everybody.group_by("participant").len().filter(pl.col("len") == 1).height
    if analysis is None:
        return RatersPage((), out, "", None, single)
    found = analysis.raters
    whose = dict(look.table.select("number", "participant").iter_rows())
    aside: dict[str, int] = {}
    for number in look.aside:
        aside[whose[number]] = aside.get(whose[number], 0) + 1
    rows = tuple(_row(rater, found.lead, aside.get(rater.participant, 0)) for rater in found.raters)
    rules = str(analysis.exclusion) if analysis.exclusion is not None and analysis.exclusion.participants else ""
    return RatersPage(rows, out, found.leader, found.lead, single, rules)


def _row(rater: Rater, lead: float, aside: int) -> RaterRow:
    return RaterRow(
        pseudonym=rater.participant,
        state="counts",
        ratings=rater.ratings,
        longest_run=rater.longest_run,
        spread=rater.sd,
        distance=rater.distance,
        seconds=None if rater.seconds != rater.seconds else rater.seconds,
        failed_checks=rater.failed_checks,
        duplicate_of=rater.duplicate_of,
        flags=rater.flags,
        change=None if rater.lead is None or rater.lead != rater.lead else rater.lead - lead,
        aside=aside,
    )


def _taken_out(look: Look) -> list[str]:
    """Return who was taken out, the last one first: those whose decisions, all or those to come, are void."""
    named = look.table.filter(pl.col("participant").is_not_null())
    void = named.group_by("participant").agg((pl.col("status") == "void").all().alias("all"), pl.col("number").max())
    all_void = set(void.filter("all")["participant"].to_list())
    last = dict(void.select("participant", "number").iter_rows())
    return sorted(all_void | (look.shut_out & set(last)), key=lambda who: -last[who])


def _outsider(look: Look, who: str) -> RaterRow:
    mine = look.table.filter(participant=who)
    numbers = set(mine["number"].to_list())
    reasons = [event.reason for event in look.events if event.kind == "void" and numbers & set(event.numbers)]
    return RaterRow(who, "out", mine["reward"].count(), reason=reasons[0] if reasons else "")


@dataclass(frozen=True)
class Change:
    """What a void would do to one arm, which has no name while it is hidden."""

    arm: str
    before: float | None
    after: float | None
    shown_before: float
    shown_after: float


@dataclass(frozen=True)
class PreviewPage:
    """What a void would change."""

    decisions: int
    ratings: int
    changes: tuple[Change, ...]
    largest: float  # change of an estimate, without its sign
    best_changes: bool
    best: tuple[str, str]  # before and after
    mean_moves: float | None  # the plain mean that moves most, without its sign
    even: tuple[float, float] | None  # the break-even share before and after; None while it is hidden
    blind: bool


def preview_page(look: Look, preview: Preview, *, blind: bool) -> PreviewPage:
    """Return a preview for people; if it is blind, without anything that says which arm would gain."""
    before, after = preview.before, preview.after
    rows = [
        Change(
            arm,
            _known(before.estimates[arm]),
            _known(after.estimates[arm]),
            before.probabilities.get(arm, 0.0),
            after.probabilities.get(arm, 0.0),
        )
        for arm in before.estimates
    ]
    moved = [abs(row.after - row.before) for row in rows if row.before is not None and row.after is not None]
    return PreviewPage(
        decisions=len(preview.numbers),
        ratings=preview.ratings,
        changes=() if blind else tuple(rows),
        largest=max(moved, default=0.0),
        best_changes=before.best != after.best,
        best=("", "") if blind else (before.best or "none", after.best or "none"),
        mean_moves=_mean_moves(look, preview.numbers),
        even=None if blind else _even(look, preview.numbers),
        blind=blind,
    )


def _mean_moves(look: Look, numbers: Sequence[int]) -> float | None:
    rated = look.table.filter(status="rated")
    without = rated.filter(~pl.col("number").is_in(numbers))
    now, then = (dict(each.group_by("arm").agg(pl.col("reward").mean()).iter_rows()) for each in (rated, without))
    return max((abs(then[arm] - mean) for arm, mean in now.items() if arm in then), default=None)


def _even(look: Look, numbers: Sequence[int]) -> tuple[float, float] | None:
    """Return the break-even share as it is, and as it would be."""
    try:
        decisions = Decisions.from_source(look)
        return break_even(decisions).share, break_even(_without(decisions, numbers)).share
    except TruewardError:
        return None  # too early to say


def _without(decisions: Decisions, numbers: Sequence[int]) -> Decisions:
    out = pl.when(pl.col("number").is_in(numbers)).then(pl.lit("void")).otherwise("status").alias("status")
    return replace(decisions, table=decisions.table.with_columns(out))


def _known(value: float) -> float | None:
    return None if value != value else value
