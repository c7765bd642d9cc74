"""The leaderboard: every arm with its robust interval, and whether one arm is ahead of all others."""

from dataclasses import dataclass
from typing import Any

import polars as pl

from trueward.analysis.betting import Bad, Level
from trueward.analysis.decisions import Decisions, arm_samples
from trueward.analysis.intervals import Interval, sample_interval
from trueward.parameters import Share, checked


@dataclass(frozen=True)
class Leaderboard:
    """The robust interval of every arm; all of them hold at once and at all times. `board["video"]` is one of them.

    For K arms at level 1 - delta, each bound ever passes the true mean of its arm with probability at most
    delta / (2 K), however often you look at the results and whenever you stop. Epsilon is a share of *each arm's*
    participants who were asked; all ratings of a bad participant may be bad.

    Parameters
    ----------
    arms : tuple of str
        Names of the arms.
    intervals : tuple of Interval
        Interval of each arm, in the same order.
    scale : tuple of float
        Lowest and highest possible rating.
    epsilon, bad, level
        What was assumed: see `analyse`.
    """

    arms: tuple[str, ...]
    intervals: tuple[Interval, ...]
    scale: tuple[float, float]
    epsilon: float
    bad: Bad
    level: float

    @property
    def leader(self) -> str:
        """The arm with the highest mean."""
        return self.arms[index_of_highest([each.mean for each in self.intervals])]

    @property
    def decided(self) -> bool:
        """Whether the leader's lower bound is above the upper bound of every other arm."""
        return self._leader_is_above([each.whole for each in self.intervals])

    @property
    def decided_if_clean(self) -> bool:
        """Whether the leader would be ahead if nobody were bad and no rating missing."""
        return self._leader_is_above([each.sampling for each in self.intervals])

    def _leader_is_above(self, intervals: list[tuple[float, float]]) -> bool:
        lead = self.arms.index(self.leader)
        return intervals[lead][0] > max(high for arm, (_, high) in enumerate(intervals) if arm != lead)

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
        from trueward.analysis.analysis_charts import draw_leaderboard

        return draw_leaderboard(self.table(), self.scale, self.assumption)

    @property
    def assumption(self) -> str:
        """The contamination assumption and the level, as text."""
        return assumption_text(self.epsilon, self.bad, self.level)


def index_of_highest(means: list[float]) -> int:
    """Return the index of the highest mean; NaN counts as the lowest."""
    return max(range(len(means)), key=lambda a: means[a] if means[a] == means[a] else float("-inf"))


ASSUMPTIONS = {
    "careless": "each participant bad with probability at most {}",
    "capped": "at most {} of each arm's participants bad, whatever the true ratings",
    "chosen": "at most {} of each arm's participants bad, chosen by their true ratings",
}


def assumption_text(epsilon: float, bad: Bad, level: float) -> str:
    """Return the contamination assumption and the level as text.

    >>> assumption_text(0.1, "careless", 0.95)
    'each participant bad with probability at most 10 %; level 95 %, for all arms and at all times'
    """
    share = ASSUMPTIONS[bad].format(f"{100 * epsilon:.3g} %") if epsilon else "no participant bad"
    return f"{share}; level {100 * level:.4g} %, for all arms and at all times"


@checked
def leaderboard(
    decisions: Decisions, *, epsilon: Share = 0.0, bad: Bad = "careless", level: Level = 0.95
) -> Leaderboard:
    """Return the robust interval of every arm; the parameters are those of `analyse`."""
    delta = (1.0 - level) / len(decisions.arms)
    intervals = [
        sample_interval(sample, decisions.scale, epsilon=epsilon, bad=bad, delta=delta)
        for sample in arm_samples(decisions)
    ]
    return Leaderboard(decisions.arms, tuple(intervals), decisions.scale, epsilon, bad, level)
