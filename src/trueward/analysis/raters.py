"""Raters with two or more ratings: unusual patterns in their ratings, and the lead without them."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions, arm_samples
from trueward.analysis.leaderboard import index_of_highest
from trueward.engine.kernel import Floats
from trueward.estimators.trimmed_mean import TrimmedMean

MIN_RUN = 5  # equal ratings in a row
RUN_RATIO = 3  # run, relative to the median run
MIN_DUPLICATE = 5  # ratings of a duplicate
DEVIATIONS = 3.0  # distance above the median, in scaled median absolute deviations
MAD_TO_SD = 1.4826  # for a normal distribution, the SD is 1.4826 median absolute deviations
TRIMMED_SHARE = 0.1  # at each end, of the trimmed mean of an arm's ratings
FAST_RATIO = 1 / 3  # of the median time
MOST_SUSPICIOUS = 20  # raters whose influence on the lead is computed


@dataclass(frozen=True)
class Rater:
    """A participant with two or more ratings, and unusual patterns in them.

    Parameters
    ----------
    participant : str
        Name or pseudonym.
    ratings : int
        Number of ratings.
    longest_run : int
        Largest number of equal ratings in a row.
    sd : float
        Standard deviation of the ratings.
    distance : float
        Mean distance of the ratings from the trimmed mean of their arm.
    seconds : float
        Median time per rating; NaN if unknown.
    failed_checks : int
        Number of failed attention checks.
    duplicate_of : str
        Earlier rater with the same ratings of the same arms in the same order, or "".
    flags : tuple of str
        Why the rater is suspicious: see `raters`.
    lead : float, optional
        The leader's lead without this rater; only for the most suspicious.
    """

    participant: str
    ratings: int
    longest_run: int
    sd: float
    distance: float
    seconds: float
    failed_checks: int
    duplicate_of: str
    flags: tuple[str, ...]
    lead: float | None = None


@dataclass(frozen=True)
class Raters:
    """All raters with two or more ratings, the most suspicious first.

    Parameters
    ----------
    leader : str
        Arm with the highest mean.
    lead : float
        Its lead over the next arm with all raters included.
    raters : tuple of Rater
        The raters, those with the most flags first, then by their distance.
    """

    leader: str
    lead: float
    raters: tuple[Rater, ...]

    @property
    def flagged(self) -> tuple[Rater, ...]:
        """The raters with at least one flag."""
        return tuple(rater for rater in self.raters if rater.flags)

    def __str__(self) -> str:
        return f"raters: {len(self.flagged)} of {len(self.raters)} raters with at least two ratings are flagged"

    def table(self) -> pl.DataFrame:
        """Return a row per rater."""
        rows = [{**vars(rater), "flags": ", ".join(rater.flags)} for rater in self.raters]
        return pl.DataFrame(rows, schema_overrides={"lead": pl.Float64})

    def plot(self) -> Any:
        """Return a chart of the lead without each of the most suspicious raters."""
        from trueward.analysis.analysis_charts import draw_raters

        return draw_raters(self.table().drop_nulls("lead"), self.leader, self.lead)


def raters(decisions: Decisions) -> Raters:
    """Return all participants with two or more ratings, and flag unusual patterns in their ratings. It excludes nobody.

        run          equal ratings in a row: at least five, and three times the median
        far          mean distance from each arm's trimmed mean: more than three (scaled) median absolute deviations
                     above the median
        fast         seconds per rating: less than a third of the median
        check        a failed attention check
        duplicate    at least five ratings, all equal to an earlier rater's of the same arms in the same order

    References
    ----------
    Curran (2016), Methods for the detection of carelessly invalid responses in survey data; Meade & Craig (2012),
    Identifying careless responses in survey data.
    """
    leader, lead = _lead(decisions)
    records = _records(decisions)
    duplicates = _duplicates(records)
    described = [_describe(record, duplicates.get(record.participant, "")) for record in records]
    limits = _limits(described) if described else FlagLimits(0.0, 0.0, 0.0)
    ordered = sorted((_with_flags(rater, limits) for rater in described), key=lambda r: (-len(r.flags), -r.distance))
    most_suspicious = [
        replace(rater, lead=_lead(decisions.without_participant(rater.participant), leader)[1])
        for rater in ordered[:MOST_SUSPICIOUS]
    ]
    return Raters(decisions.arms[leader], lead, (*most_suspicious, *ordered[MOST_SUSPICIOUS:]))


class RaterRecord(NamedTuple):
    """The ratings of a participant in chronological order, and their summary."""

    participant: str
    arms: list[int]
    ratings: list[float]
    sd: float
    distance: float
    seconds: float
    failed_checks: int


def _records(decisions: Decisions) -> list[RaterRecord]:
    """Return the records of participants with two or more ratings."""
    rated = decisions.included.filter(pl.col("participant").is_not_null(), status="rated")
    trimmed_mean = TrimmedMean(TRIMMED_SHARE)
    centres = {arm: float(trimmed_mean(of_arm["rating"].to_numpy())) for (arm,), of_arm in rated.group_by("arm")}
    centre = pl.col("arm").replace_strict(centres, return_dtype=pl.Float64)
    grouped = rated.group_by("participant", maintain_order=True).agg(
        "arm",
        "rating",
        sd=pl.col("rating").std(),
        distance=(pl.col("rating") - centre).abs().mean(),
        seconds=pl.col("seconds").median().fill_null(np.nan),
        failed_checks=(pl.col("check") == 0.0).sum(),
    )
    return [RaterRecord(*row) for row in grouped.filter(pl.col("rating").list.len() >= 2).iter_rows()]


def _duplicates(records: list[RaterRecord]) -> dict[str, str]:
    """Return the earlier rater that each duplicate repeats."""
    seen: dict[tuple[Any, ...], str] = {}
    earliest = {one.participant: seen.setdefault((*one.arms, *one.ratings), one.participant) for one in records}
    long_enough = {one.participant for one in records if len(one.ratings) >= MIN_DUPLICATE}
    return {name: earlier for name, earlier in earliest.items() if earlier != name and name in long_enough}


def _describe(record: RaterRecord, duplicate_of: str) -> Rater:
    return Rater(
        participant=record.participant,
        ratings=len(record.ratings),
        longest_run=max(len(list(run)) for _, run in groupby(record.ratings)),
        sd=record.sd,
        distance=record.distance,
        seconds=record.seconds,
        failed_checks=record.failed_checks,
        duplicate_of=duplicate_of,
        flags=(),
    )


class FlagLimits(NamedTuple):
    """Values beyond which a rater is unusual."""

    run: float
    distance: float
    seconds: float  # minimum


def _limits(raters: list[Rater]) -> FlagLimits:
    runs, distances, seconds = (
        np.array([getattr(each, name) for each in raters]) for name in ("longest_run", "distance", "seconds")
    )
    known_seconds = seconds[~np.isnan(seconds)]
    fast = FAST_RATIO * float(np.median(known_seconds)) if known_seconds.size else 0.0
    return FlagLimits(max(MIN_RUN, RUN_RATIO * float(np.median(runs))), _distance_limit(distances), fast)


def _with_flags(rater: Rater, limits: FlagLimits) -> Rater:
    flags = {
        "run": rater.longest_run >= limits.run,
        "far": rater.distance > limits.distance,
        "fast": rater.seconds < limits.seconds,
        "check": rater.failed_checks > 0,
        "duplicate": bool(rater.duplicate_of),
    }
    return replace(rater, flags=tuple(name for name, raised in flags.items() if raised))


def _distance_limit(distances: Floats) -> float:
    middle = np.median(distances)
    return float(middle + DEVIATIONS * MAD_TO_SD * np.median(np.abs(distances - middle)))


def _lead(decisions: Decisions, leader: int | None = None) -> tuple[int, float]:
    """Return the leading arm (or `leader`, if passed) and its lead over the next best."""
    means = [float(each.observed.mean()) if each.observed.size else np.nan for each in arm_samples(decisions)]
    first = index_of_highest(means) if leader is None else leader
    others = [mean for arm, mean in enumerate(means) if arm != first and not np.isnan(mean)]
    width = decisions.scale[1] - decisions.scale[0]
    return first, width * (means[first] - max(others, default=np.nan))
