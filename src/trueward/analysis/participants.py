"""Participants: what each of them gave an arm, on a scale from 0 to 1.

A participant counts once per arm, with the mean of the ratings. Where some are pending or missing, they count as the
lowest rating for a lower end and as the highest for an upper: exact, and right for drop-out that depends on the rating.
"""

from typing import NamedTuple

import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.engine.kernel import Floats

WHOSE = pl.coalesce(pl.format("named {}", "participant"), pl.format("unnamed {}", "number")).alias("whose")


class Units(NamedTuple):
    """The participants of an arm, in the order of their first ask."""

    given: Floats  # (those with a rating) the mean of their ratings
    low: Floats  # (all) the mean with what is not there as 0
    high: Floats  # (all) and as 1
    ratings: int


def units_of(decisions: Decisions) -> list[Units]:
    """Return the participants of every arm."""
    low, high = decisions.scale
    share = (pl.col("rating") - low) / (high - low)
    rows = decisions.counting.with_columns(pl.when(pl.col("status") == "rated").then(share).alias("share"), WHOSE)
    means = {"given": pl.col("share").mean(), "low": pl.col("share").fill_null(0.0).mean()}
    means |= {"high": pl.col("share").fill_null(1.0).mean(), "ratings": pl.col("share").count()}
    units = rows.group_by("arm", "whose", maintain_order=True).agg(**means)
    return [_units(units.filter(pl.col("arm") == arm)) for arm in range(len(decisions.arms))]


def _units(of_arm: pl.DataFrame) -> Units:
    given = of_arm["given"].drop_nulls().to_numpy()
    return Units(given, of_arm["low"].to_numpy(), of_arm["high"].to_numpy(), int(of_arm["ratings"].sum()))
