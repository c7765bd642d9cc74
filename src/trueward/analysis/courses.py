"""Two courses: the intervals against the share that is assumed bad, and the intervals as they were over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.break_even import break_even
from trueward.analysis.decisions import Decisions
from trueward.analysis.leaderboard import Leaderboard, assumption, leaderboard
from trueward.analysis.wealth import Bad, Level
from trueward.engine.kernel import Floats
from trueward.parameters import Share, checked

EPSILONS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
MOMENTS = 30


@dataclass(frozen=True, eq=False)
class Course:
    """Intervals of every arm along something: epsilon, or the decisions made so far."""

    along: str
    title: str
    scale: tuple[float, float]
    arms: tuple[str, ...]
    rows: pl.DataFrame
    break_even: float | None = None  # along epsilon: up to where the leader is ahead

    def table(self) -> pl.DataFrame:
        """Return a row per value and arm."""
        return self.rows

    def plot(self) -> Any:
        """Return a chart: a band per arm."""
        from trueward.analysis.charts import draw_course

        return draw_course(self.rows, self.along, self.title, self.scale, self.arms, break_even=self.break_even)


@checked
def against_epsilon(
    decisions: Decisions,
    *,
    bad: Bad = "careless",
    level: Level = 0.95,
    epsilons: Sequence[float] = EPSILONS,
    share: float | None = None,
) -> Course:
    """Return every arm's interval, and which is ahead if any, against the share assumed bad; break-even at `share`."""
    boards = [leaderboard(decisions, epsilon=float(epsilon), bad=bad, level=level) for epsilon in epsilons]
    rows = _stacked(boards, pl.Series("epsilon", epsilons, dtype=pl.Float64))
    title = assumption(0.1, bad, level).replace("10 %", "ε")
    known = break_even(decisions, bad=bad, level=level).share if share is None else share
    return Course("epsilon", title, decisions.scale, decisions.arms, rows, known)


@checked
def over_time(
    decisions: Decisions, *, epsilon: Share = 0.0, bad: Bad = "careless", level: Level = 0.95, moments: int = MOMENTS
) -> Course:
    """Return every arm's interval as it was after so many decisions: all of these hold at once."""
    last = decisions.table.height
    after = np.unique(np.linspace(max(1, last // moments), last, moments).astype(np.int64))
    boards = [leaderboard(_as_of(decisions, int(t)), epsilon=epsilon, bad=bad, level=level) for t in after]
    rows = _stacked(boards, pl.Series("decisions", after))
    return Course("decisions", assumption(epsilon, bad, level), decisions.scale, decisions.arms, rows)


def _stacked(boards: Sequence[Leaderboard], along: pl.Series) -> pl.DataFrame:
    """Return a row per value and arm; `ahead` is the arm that is certainly ahead, empty if there is none."""
    tables = [
        board.table().with_columns(pl.lit(value).alias(along.name), ahead=pl.lit(board.leader if board.decided else ""))
        for board, value in zip(boards, along, strict=True)
    ]
    return pl.concat(tables).select(along.name, "arm", "mean", "low", "high", "ahead")


def _as_of(decisions: Decisions, t: int) -> Decisions:
    """Return the first decisions, those whose rating came later still pending."""
    later = pl.col("known").fill_null(0) > t
    rated = pl.col("status") == "rated"
    first = decisions.table.head(t).with_columns(
        pl.when(later & rated).then(None).otherwise("rating").alias("rating"),
        pl.when(later & rated).then(pl.lit("pending")).otherwise("status").alias("status"),
    )
    p: Floats | None = None if decisions.probabilities is None else decisions.probabilities[:t]
    return replace(decisions, table=first, probabilities=p, available=decisions.available[:t])
