"""Raters with two or more ratings: what is unusual about them, and the lead without them."""

from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions, arm_samples
from trueward.analysis.leaderboard import index_of_highest
from trueward.engine.kernel import Floats
from trueward.estimators.trimmed_mean import TrimmedMean

MIN_RUN, RUN_RATIO = 5, 3  # equal answers in a row, and how many times the median run
DEVIATIONS, MAD_TO_SD = 3.0, 1.4826  # for a normal distribution, the SD is 1.4826 median absolute deviations
FAST_RATIO = 1 / 3  # of the median time
MOST_SUSPICIOUS = 20


@dataclass(frozen=True)
class Rater:
    """A participant with two or more ratings, and what is unusual about them.

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
        The raters.
    """

    leader: str
    lead: float
    raters: tuple[Rater, ...]

    @property
    def flagged(self) -> tuple[Rater, ...]:
        """The raters with at least one flag."""
        return tuple(rater for rater in self.raters if rater.flags)

    def __str__(self) -> str:
        return f"raters: {len(self.flagged)} of {len(self.raters)} with two ratings or more are flagged"

    def table(self) -> pl.DataFrame:
        """Return a row per rater."""
        rows = [{**vars(rater), "flags": ", ".join(rater.flags)} for rater in self.raters]
        return pl.DataFrame(rows, schema_overrides={"lead": pl.Float64})

    def plot(self) -> Any:
        """Return a chart of the lead without each of the most suspicious raters."""
        from trueward.analysis.analysis_charts import draw_raters

        return draw_raters(self.table().drop_nulls("lead"), self.leader, self.lead)


def raters(decisions: Decisions) -> Raters:
    """Return all participants with two or more ratings, and flag what is unusual about them. It excludes nobody.

        run          equal answers in a row: at least five, and three times the median
        far          mean distance from each arm's trimmed mean: more than three (scaled) median absolute deviations
                     above the median
        fast         seconds per answer: less than a third of the median
        check        a failed attention check
        duplicate    at least five answers, all equal to those of an earlier rater to the same arms in the same order

    References
    ----------
    Curran (2016), Methods for the detection of carelessly invalid responses in survey data; Meade & Craig (2012),
    Identifying careless responses in survey data.
    """
    leader, lead = _lead(decisions)
    everybody = _answers(decisions)
    duplicates = _duplicates(everybody)
    known = [_describe(own, duplicates.get(own.participant, "")) for own in everybody]
    limits = _limits(known) if known else FlagLimits(0.0, 0.0, 0.0)
    flagged = sorted((_with_flags(rater, limits) for rater in known), key=lambda r: (-len(r.flags), -r.distance))
    most_suspicious = [
        replace(rater, lead=_lead(decisions.without(rater.participant), leader)[1])
        for rater in flagged[:MOST_SUSPICIOUS]
    ]
    return Raters(decisions.arms[leader], lead, (*most_suspicious, *flagged[MOST_SUSPICIOUS:]))


class RaterAnswers(NamedTuple):
    """The answers of a participant in the order of asking, and their summary."""

    participant: str
    arms: list[int]
    ratings: list[float]
    sd: float
    distance: float
    seconds: float
    failed_checks: int


def _answers(decisions: Decisions) -> list[RaterAnswers]:
    """Return the answers of participants with two or more ratings."""
    rated = decisions.included.filter(pl.col("participant").is_not_null(), status="rated")
    centres = {arm: float(TrimmedMean(0.1)(of_arm["rating"].to_numpy())) for (arm,), of_arm in rated.group_by("arm")}
    centre = pl.col("arm").replace_strict(centres, return_dtype=pl.Float64)
    grouped = rated.group_by("participant", maintain_order=True).agg(
        "arm",
        "rating",
        sd=pl.col("rating").std(),
        distance=(pl.col("rating") - centre).abs().mean(),
        seconds=pl.col("seconds").median().fill_null(np.nan),
        failed_checks=(pl.col("check") == 0.0).sum(),
    )
    return [RaterAnswers(*row) for row in grouped.filter(pl.col("rating").list.len() >= 2).iter_rows()]


def _duplicates(everybody: list[RaterAnswers]) -> dict[str, str]:
    """Return the earlier rater that each duplicate repeats."""
    seen: dict[tuple[Any, ...], str] = {}
    earliest = {own.participant: seen.setdefault((*own.arms, *own.ratings), own.participant) for own in everybody}
    long = {own.participant for own in everybody if len(own.ratings) >= MIN_RUN}
    return {name: earlier for name, earlier in earliest.items() if earlier != name and name in long}


def _describe(own: RaterAnswers, duplicate_of: str) -> Rater:
    return Rater(
        participant=own.participant,
        ratings=len(own.ratings),
        longest_run=max(len(list(run)) for _, run in groupby(own.ratings)),
        sd=own.sd,
        distance=own.distance,
        seconds=own.seconds,
        failed_checks=own.failed_checks,
        duplicate_of=duplicate_of,
        flags=(),
    )


class FlagLimits(NamedTuple):
    """Values beyond which a rater is unusual."""

    run: float
    distance: float
    seconds: float  # below this


def _limits(everybody: list[Rater]) -> FlagLimits:
    runs, distances, seconds = (
        np.array([getattr(each, name) for each in everybody]) for name in ("longest_run", "distance", "seconds")
    )
    known = seconds[~np.isnan(seconds)]
    fast = FAST_RATIO * float(np.median(known)) if known.size else 0.0
    return FlagLimits(max(MIN_RUN, RUN_RATIO * float(np.median(runs))), _far(distances), fast)


def _with_flags(rater: Rater, limits: FlagLimits) -> Rater:
    flags = {
        "run": rater.longest_run >= limits.run,
        "far": rater.distance > limits.distance,
        "fast": rater.seconds < limits.seconds,
        "check": rater.failed_checks > 0,
        "duplicate": bool(rater.duplicate_of),
    }
    return replace(rater, flags=tuple(name for name, raised in flags.items() if raised))


def _far(distances: Floats) -> float:
    middle = np.median(distances)
    return float(middle + DEVIATIONS * MAD_TO_SD * np.median(np.abs(distances - middle)))


def _lead(decisions: Decisions, leader: int | None = None) -> tuple[int, float]:
    """Return the leading arm, unless it is given, and by how much it is ahead of the best other arm."""
    means = [float(each.observed.mean()) if each.observed.size else np.nan for each in arm_samples(decisions)]
    first = index_of_highest(means) if leader is None else leader
    others = [mean for arm, mean in enumerate(means) if arm != first and mean == mean]
    width = decisions.scale[1] - decisions.scale[0]
    return first, width * (means[first] - max(others, default=np.nan))
