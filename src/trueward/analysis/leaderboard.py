"""The leaderboard: every arm with its robust interval, and whether one of them is ahead of all others."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.intervals import Interval, interval_of
from trueward.analysis.participants import units_of
from trueward.analysis.wealth import Bad, Level
from trueward.parameters import Share, checked


@dataclass(frozen=True)
class Leaderboard:
    """Intervals of all arms that hold at once, at every moment; in the order of the arms."""

    arms: tuple[str, ...]
    intervals: tuple[Interval, ...]
    scale: tuple[float, float]
    epsilon: float
    bad: Bad
    level: float

    @property
    def leader(self) -> str:
        """The arm with the highest mean."""
        return self.arms[leading([each.mean for each in self.intervals])]

    @property
    def decided(self) -> bool:
        """Whether the leader's lower end is above the upper end of every other arm."""
        return self._apart([each.whole for each in self.intervals])

    @property
    def decided_by_answers(self) -> bool:
        """Whether it would be so if nobody were bad and nothing missing."""
        return self._apart([each.sampling for each in self.intervals])

    def _apart(self, ends: list[tuple[float, float]]) -> bool:
        lead = self.arms.index(self.leader)
        return ends[lead][0] > max(high for arm, (_, high) in enumerate(ends) if arm != lead)

    def __getitem__(self, arm: str) -> Interval:
        """Return the interval of an arm."""
        return self.intervals[self.arms.index(arm)]

    def table(self) -> pl.DataFrame:
        """Return a row per arm, the highest mean first."""
        rows = [
            {
                "arm": arm,
                "participants": each.participants,
                "answered": each.answered,
                "ratings": each.ratings,
                "mean": each.mean,
                "low": each.low,
                "high": each.high,
                "sampling_low": each.sampling[0],
                "sampling_high": each.sampling[1],
                "contaminated_low": each.contaminated[0],
                "contaminated_high": each.contaminated[1],
            }
            for arm, each in zip(self.arms, self.intervals, strict=True)
        ]
        return pl.DataFrame(rows).sort(pl.col("mean").fill_nan(None), descending=True, nulls_last=True)

    def plot(self) -> Any:
        """Return a chart of the intervals in their three parts."""
        from trueward.analysis.charts import draw_leaderboard

        return draw_leaderboard(self.table(), self.scale, self.assumption)

    @property
    def assumption(self) -> str:
        """What was assumed, in words."""
        return assumption(self.epsilon, self.bad, self.level)


def leading(means: list[float]) -> int:
    """Return which mean is the highest; NaN is none."""
    return max(range(len(means)), key=lambda a: means[a] if means[a] == means[a] else float("-inf"))


WORDS = {
    "careless": "each participant bad with probability at most {}",
    "capped": "at most {} of each arm's participants bad, whatever the true ratings",
    "chosen": "at most {} of each arm's participants bad, chosen by their true ratings",
}


def assumption(epsilon: float, bad: Bad, level: float) -> str:
    """Return an assumption in words.

    >>> assumption(0.1, "careless", 0.95)
    'each participant bad with probability at most 10 %; level 95 %, for all arms and at all times'
    """
    words = WORDS[bad].format(f"{100 * epsilon:.3g} %") if epsilon else "no participant bad"
    return f"{words}; level {100 * level:.4g} %, for all arms and at all times"


@checked
def leaderboard(
    decisions: Decisions, *, epsilon: Share = 0.0, bad: Bad = "careless", level: Level = 0.95
) -> Leaderboard:
    """Return the robust interval of every arm."""
    delta = (1.0 - level) / len(decisions.arms)
    intervals = [
        interval_of(units, decisions.scale, epsilon=epsilon, bad=bad, delta=delta) for units in units_of(decisions)
    ]
    return Leaderboard(decisions.arms, tuple(intervals), decisions.scale, epsilon, bad, level)
