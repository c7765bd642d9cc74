"""Who did not answer: the share of each arm's decisions without a rating, and whether it differs by arm.

The unit is the participant, the interval that of `wealth` with nobody bad: for all arms at once, at all times. What is
pending is not counted: it may still come.
"""

from dataclasses import dataclass
from typing import Any

import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.intervals import interval_of
from trueward.analysis.participants import WHOSE, Units


@dataclass(frozen=True)
class Missing:
    """The share of missing ratings of every arm, with intervals that hold at once."""

    arms: tuple[str, ...]
    closed: tuple[int, ...]  # decisions that are not pending
    missing: tuple[int, ...]
    pending: tuple[int, ...]
    share: tuple[float, ...]  # of an arm's participants, the mean; NaN for none
    low: tuple[float, ...]
    high: tuple[float, ...]

    @property
    def differs(self) -> tuple[tuple[str, str], ...]:
        """Pairs of arms of which the first loses more than the second."""
        pairs = ((a, b) for a in range(len(self.arms)) for b in range(len(self.arms)))
        return tuple((self.arms[a], self.arms[b]) for a, b in pairs if self.low[a] > self.high[b])

    def __str__(self) -> str:
        total = f"missing: {sum(self.missing)} of {sum(self.closed)} ratings, {sum(self.pending)} pending"
        return "; ".join([total, *(f"{more} loses more than {less}" for more, less in self.differs)])

    def table(self) -> pl.DataFrame:
        """Return a row per arm."""
        return pl.DataFrame(vars(self)).rename({"arms": "arm"})

    def plot(self) -> Any:
        """Return a chart of the share of missing ratings, with intervals."""
        from trueward.analysis.check_charts import draw_missing

        return draw_missing(self.table())


def missing(decisions: Decisions, *, level: float = 0.95) -> Missing:
    """Return the share of missing ratings by arm."""
    rows = decisions.counting.with_columns(
        WHOSE,
        (pl.col("status") == "missing").cast(pl.Float64).alias("lost"),
    )
    arms = range(len(decisions.arms))
    pending = [rows.filter(arm=a, status="pending").height for a in arms]
    closed = [rows.filter(pl.col("status") != "pending", arm=a) for a in arms]
    shares = [
        each.group_by("whose", maintain_order=True).agg(pl.col("lost").mean())["lost"].to_numpy() for each in closed
    ]
    delta = (1.0 - level) / len(decisions.arms)
    found = [
        interval_of(Units(each, each, each, each.size), (0.0, 1.0), epsilon=0.0, bad="careless", delta=delta)
        for each in shares
    ]
    return Missing(
        decisions.arms,
        tuple(each.height for each in closed),
        tuple(int(each["lost"].sum()) for each in closed),
        tuple(pending),
        tuple(each.mean for each in found),
        tuple(each.low for each in found),
        tuple(each.high for each in found),
    )
