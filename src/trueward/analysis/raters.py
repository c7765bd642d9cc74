"""Raters with two ratings or more: what is unusual about them, and what the leader's lead would be without them.

Nobody is left out by this: it flags, and a person voids, by a rule that was written down before, or with a reason.

    run          answers in a row that are equal: five at least, and three times the usual
    far          from each arm's trimmed mean on average: more than three (scaled) median deviations above the usual
    fast         seconds per answer: less than a third of the usual
    check        an attention check that was failed
    duplicate    the same answers to the same arms in the same order as another rater, five at least

Reference: Curran (2016), Methods for the detection of carelessly invalid responses in survey data; Meade & Craig
(2012), Identifying careless responses in survey data.
"""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.leaderboard import leading
from trueward.analysis.participants import units_of
from trueward.engine.kernel import Floats
from trueward.estimators.trimmed_mean import TrimmedMean

LONG, TIMES_USUAL = 5, 3
DEVIATIONS, SCALED = 3.0, 1.4826  # a median deviation times this is a normal law's standard deviation
HASTE = 1 / 3
MOST_SUSPICIOUS = 20


@dataclass(frozen=True)
class Rater:
    """One rater; `lead` is the leader's lead without this rater, for the most suspicious."""

    participant: str
    ratings: int
    longest_run: int
    spread: float  # the standard deviation of the answers
    distance: float  # of the answers from each arm's trimmed mean, on average
    seconds: float  # the median; NaN where not known
    failed_checks: int
    duplicate_of: str
    flags: tuple[str, ...]
    lead: float | None = None


@dataclass(frozen=True)
class Raters:
    """The raters, the most suspicious first; and the lead with all of them."""

    leader: str
    lead: float
    raters: tuple[Rater, ...]

    @property
    def flagged(self) -> tuple[Rater, ...]:
        """Those with a flag at least."""
        return tuple(rater for rater in self.raters if rater.flags)

    def __str__(self) -> str:
        return f"raters: {len(self.flagged)} of {len(self.raters)} with two ratings or more are flagged"

    def table(self) -> pl.DataFrame:
        """Return a row per rater."""
        rows = [{**vars(rater), "flags": ", ".join(rater.flags)} for rater in self.raters]
        return pl.DataFrame(rows, schema_overrides={"lead": pl.Float64})

    def plot(self) -> Any:
        """Return a chart of what leaving out each of the most suspicious would do to the lead."""
        from trueward.analysis.charts import draw_raters

        return draw_raters(self.table().drop_nulls("lead"), self.leader, self.lead)


def raters(decisions: Decisions) -> Raters:
    """Return what is unusual about each rater."""
    leader, lead = _lead(decisions)
    everybody = _answers(decisions)
    duplicates = _duplicates(everybody)
    known = [_describe(own, duplicates.get(own.participant, "")) for own in everybody]
    usual = _usual(known) if known else Usual(0.0, 0.0, 0.0)
    flagged = sorted((_flagged(rater, usual) for rater in known), key=lambda r: (-len(r.flags), -r.distance))
    first = [
        replace(rater, lead=_lead(decisions.without(rater.participant), leader)[1])
        for rater in flagged[:MOST_SUSPICIOUS]
    ]
    return Raters(decisions.arms[leader], lead, (*first, *flagged[MOST_SUSPICIOUS:]))


class Answers(NamedTuple):
    """What a participant gave, in the order of asking; and of all of it: spread, distance, haste and failed checks."""

    participant: str
    arms: list[int]
    ratings: list[float]
    spread: float
    distance: float  # of a rating from its arm's trimmed mean
    seconds: float
    failed_checks: int


def _answers(decisions: Decisions) -> list[Answers]:
    """Return the answers of whoever gave two ratings or more."""
    rated = decisions.counting.filter(pl.col("participant").is_not_null(), status="rated")
    usual = {arm: float(TrimmedMean(0.1)(of_arm["rating"].to_numpy())) for (arm,), of_arm in rated.group_by("arm")}
    middle = pl.col("arm").replace_strict(usual, return_dtype=pl.Float64)
    grouped = rated.group_by("participant", maintain_order=True).agg(
        "arm",
        "rating",
        spread=pl.col("rating").std(),
        distance=(pl.col("rating") - middle).abs().mean(),
        seconds=pl.col("seconds").median().fill_null(np.nan),
        failed_checks=(pl.col("check") == 0.0).sum(),
    )
    return [Answers(*row) for row in grouped.filter(pl.col("rating").list.len() >= 2).iter_rows()]


def _duplicates(everybody: list[Answers]) -> dict[str, str]:
    """Return of whom a rater is a duplicate, for those who are."""
    seen: dict[tuple[Any, ...], str] = {}
    found = {own.participant: seen.setdefault((*own.arms, *own.ratings), own.participant) for own in everybody}
    long = {own.participant for own in everybody if len(own.ratings) >= LONG}
    return {name: earlier for name, earlier in found.items() if earlier != name and name in long}


def _describe(own: Answers, duplicate_of: str) -> Rater:
    return Rater(
        participant=own.participant,
        ratings=len(own.ratings),
        longest_run=max(len(list(run)) for _, run in groupby(own.ratings)),
        spread=own.spread,
        distance=own.distance,
        seconds=own.seconds,
        failed_checks=own.failed_checks,
        duplicate_of=duplicate_of,
        flags=(),
    )


class Usual(NamedTuple):
    """From where on a rater is unusual."""

    run: float
    distance: float
    seconds: float  # below this


def _usual(everybody: list[Rater]) -> Usual:
    runs, distances, seconds = (
        np.array([getattr(each, name) for each in everybody]) for name in ("longest_run", "distance", "seconds")
    )
    known = seconds[~np.isnan(seconds)]
    haste = HASTE * float(np.median(known)) if known.size else 0.0
    return Usual(max(LONG, TIMES_USUAL * float(np.median(runs))), _far(distances), haste)


def _flagged(rater: Rater, usual: Usual) -> Rater:
    """Return a rater with flags."""
    flags = {
        "run": rater.longest_run >= usual.run,
        "far": rater.distance > usual.distance,
        "fast": rater.seconds < usual.seconds,
        "check": rater.failed_checks > 0,
        "duplicate": bool(rater.duplicate_of),
    }
    return replace(rater, flags=tuple(name for name, raised in flags.items() if raised))


def _far(distances: Floats) -> float:
    middle = np.median(distances)
    return float(middle + DEVIATIONS * SCALED * np.median(np.abs(distances - middle)))


def _lead(decisions: Decisions, leader: int | None = None) -> tuple[int, float]:
    """Return the arm that leads, or the one given, and by how much it is ahead of the best other arm."""
    means = [float(each.given.mean()) if each.given.size else np.nan for each in units_of(decisions)]
    first = leading(means) if leader is None else leader
    others = [mean for arm, mean in enumerate(means) if arm != first and mean == mean]
    width = decisions.scale[1] - decisions.scale[0]
    return first, width * (means[first] - max(others, default=np.nan))
