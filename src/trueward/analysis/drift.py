"""Did an arm's ratings change in time? The change of ranks that also guards policies, here for each arm at the end.

A robust interval assumes that honest ratings do not drift: where this says that they did, it is for the mean of nobody.
See `trueward.statistics.rank_change` for the statistic, and its reference.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.engine.kernel import Floats
from trueward.statistics.rank_change import BAR, FIRST_TEST, SHORTEST, change_point


@dataclass(frozen=True)
class Change:
    """Where an arm's ratings are most unlike before and after."""

    arm: str
    ratings: int
    z_squared: float  # 0 with too few ratings, or all of them equal
    bar: float  # what it must exceed for a change
    after: int  # the number of the last decision before the change; 0 for none
    mean_before: float
    mean_after: float

    @property
    def changed(self) -> bool:
        """Whether there was a change."""
        return self.z_squared > self.bar

    def __str__(self) -> str:
        if not self.changed:
            return f"{self.arm}: no change in time"
        return f"{self.arm}: CHANGED after decision {self.after}, from {self.mean_before:.2f} to {self.mean_after:.2f}"


@dataclass(frozen=True)
class Drift:
    """The change of every arm."""

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
        from trueward.analysis.check_charts import draw_drift

        return draw_drift(self.table(), self.scale)


def drift(decisions: Decisions) -> Drift:
    """Look for a change in each arm's ratings, in the order of asking."""
    rated = decisions.counting.filter(status="rated")
    by_arm = [rated.filter(arm=a) for a in range(len(decisions.arms))]
    found = zip(decisions.arms, by_arm, strict=True)
    changes = tuple(_change(arm, rows["rating"].to_numpy(), rows["number"].to_list()) for arm, rows in found)
    return Drift(changes, decisions.scale)


def _change(arm: str, ratings: Floats, numbers: list[int]) -> Change:
    n = ratings.size
    bar = BAR * math.log(max(n, SHORTEST))
    z_squared, k = change_point(np.ascontiguousarray(ratings), np.empty(n)) if n >= FIRST_TEST else (0.0, 0)
    if k == 0:
        return Change(arm, n, 0.0, bar, 0, math.nan, math.nan)
    return Change(arm, n, z_squared, bar, numbers[k - 1], float(ratings[:k].mean()), float(ratings[k:].mean()))
