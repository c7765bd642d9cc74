"""The share of each arm's decisions without a rating, and whether it differs between arms."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from trueward.analysis.decisions import PARTICIPANT_KEY, ArmSample, Decisions
from trueward.analysis.intervals import sample_interval


@dataclass(frozen=True)
class Missing:
    """The share of missing ratings of every arm, with intervals that hold for all arms and at all times at once.

    Pending ratings are not missing: they may still arrive. The unit is the participant.

    Parameters
    ----------
    arms : tuple of str
        Names of the arms.
    closed : tuple of int
        Decisions of each arm that are not pending.
    missing, pending : tuple of int
        Missing and pending ratings of each arm.
    share : tuple of float
        Mean share of missing ratings per participant; NaN without participants.
    low, high : tuple of float
        Bounds of the interval of the share.
    """

    arms: tuple[str, ...]
    closed: tuple[int, ...]
    missing: tuple[int, ...]
    pending: tuple[int, ...]
    share: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def unequal_pairs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of arms of which the first certainly loses more ratings than the second."""
        pairs = ((a, b) for a in range(len(self.arms)) for b in range(len(self.arms)))
        return tuple((self.arms[a], self.arms[b]) for a, b in pairs if self.low[a] > self.high[b])

    def __str__(self) -> str:
        total = f"missing: {sum(self.missing)} of {sum(self.closed)} ratings, {sum(self.pending)} pending"
        return "; ".join([total, *(f"{more} loses more than {less}" for more, less in self.unequal_pairs)])

    def table(self) -> pl.DataFrame:
        """Return a row per arm."""
        return pl.DataFrame(vars(self)).rename({"arms": "arm"})

    def plot(self) -> Any:
        """Return a chart of the share of missing ratings, with intervals."""
        from trueward.analysis.analysis_charts import draw_missing

        return draw_missing(self.table())


def missing(decisions: Decisions, *, level: float = 0.95) -> Missing:
    """Return the share of missing ratings by arm."""
    rows = decisions.included.with_columns(
        PARTICIPANT_KEY,
        (pl.col("status") == "missing").cast(pl.Float64).alias("lost"),
    )
    arms = range(len(decisions.arms))
    pending = [rows.filter(arm=a, status="pending").height for a in arms]
    closed = [rows.filter(pl.col("status") != "pending", arm=a) for a in arms]
    shares = [
        each.group_by("key", maintain_order=True).agg(pl.col("lost").mean())["lost"].to_numpy() for each in closed
    ]
    delta = (1.0 - level) / len(decisions.arms)
    intervals = [
        sample_interval(ArmSample(each, each, each, each.size), (0.0, 1.0), epsilon=0.0, bad="careless", delta=delta)
        for each in shares
    ]
    return Missing(
        decisions.arms,
        tuple(each.height for each in closed),
        tuple(int(each["lost"].sum()) for each in closed),
        tuple(pending),
        tuple(each.mean for each in intervals),
        tuple(each.low for each in intervals),
        tuple(each.high for each in intervals),
    )
