"""Check whether the ratings of an arm changed over time."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.engine.kernel import Floats
from trueward.statistics.rank_change import FIRST_TEST, MIN_HORIZON, THRESHOLD_FACTOR, find_change_point


@dataclass(frozen=True)
class Change:
    """The moment at which an arm's ratings before and after it differ most.

    Parameters
    ----------
    arm : str
        Name of the arm.
    ratings : int
        Number of its ratings.
    z_squared : float
        Squared standardised rank statistic; 0 with too few ratings or if all are equal.
    threshold : float
        Value that z_squared must exceed for a change.
    after : int
        Number of the last decision before the change; 0 if there is none.
    mean_before, mean_after : float
        Mean rating before and after it.
    """

    arm: str
    ratings: int
    z_squared: float
    threshold: float
    after: int
    mean_before: float
    mean_after: float

    @property
    def changed(self) -> bool:
        """Whether the ratings changed."""
        return self.z_squared > self.threshold

    def __str__(self) -> str:
        if not self.changed:
            return f"{self.arm}: no change in time"
        return f"{self.arm}: CHANGED after decision {self.after}, from {self.mean_before:.2f} to {self.mean_after:.2f}"


@dataclass(frozen=True)
class Drift:
    """The largest change of every arm; `changed` names the arms whose ratings did change.

    Parameters
    ----------
    changes : tuple of Change
        Largest change of each arm.
    scale : tuple of float
        Lowest and highest possible rating.
    """

    changes: tuple[Change, ...]
    scale: tuple[float, float]

    @property
    def changed(self) -> tuple[str, ...]:
        """The arms whose ratings changed."""
        return tuple(change.arm for change in self.changes if change.changed)

    def __str__(self) -> str:
        return "drift: " + ("; ".join(str(each) for each in self.changes if each.changed) or "no arm changed in time")

    def table(self) -> pl.DataFrame:
        """Return a row per arm."""
        return pl.DataFrame([{**vars(change), "changed": change.changed} for change in self.changes])

    def plot(self) -> Any:
        """Return a chart of the means before and after."""
        from trueward.analysis.analysis_charts import draw_drift

        return draw_drift(self.table(), self.scale)


def drift(decisions: Decisions) -> Drift:
    """Look for a change in each arm's ratings, in the order of asking.

    Robust intervals assume that honest ratings do not drift: where they did, the mean describes no moment of the study.
    See `trueward.statistics.rank_change` for the test and its reference.
    """
    rated = decisions.included.filter(status="rated")
    by_arm = [rated.filter(arm=a) for a in range(len(decisions.arms))]
    named = zip(decisions.arms, by_arm, strict=True)
    changes = tuple(_change(arm, rows["rating"].to_numpy(), rows["number"].to_list()) for arm, rows in named)
    return Drift(changes, decisions.scale)


def _change(arm: str, ratings: Floats, numbers: list[int]) -> Change:
    n = ratings.size
    threshold = THRESHOLD_FACTOR * math.log(max(n, MIN_HORIZON))
    z_squared, k = find_change_point(np.ascontiguousarray(ratings), np.empty(n)) if n >= FIRST_TEST else (0.0, 0)
    if k == 0:
        return Change(arm, n, 0.0, threshold, 0, math.nan, math.nan)
    return Change(arm, n, z_squared, threshold, numbers[k - 1], float(ratings[:k].mean()), float(ratings[k:].mean()))
