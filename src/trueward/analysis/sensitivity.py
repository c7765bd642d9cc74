"""Intervals against the share assumed bad, and intervals over time."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.betting import Bad, Level
from trueward.analysis.break_even import break_even
from trueward.analysis.decisions import Decisions
from trueward.analysis.leaderboard import Leaderboard, assumption_text, leaderboard
from trueward.engine.kernel import Floats
from trueward.parameters import Share, checked

EPSILONS = (0.0, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3)
MOMENTS = 30


@dataclass(frozen=True, eq=False)
class IntervalCurves:
    """The intervals of every arm as a function of epsilon, or of the number of decisions made so far.

    Parameters
    ----------
    variable : str
        "epsilon" or "decisions".
    title : str
        What was assumed, as text.
    scale : tuple of float
        Lowest and highest possible rating.
    arms : tuple of str
        Names of the arms.
    rows : polars.DataFrame
        A row per value and arm: the variable, arm, mean, low, high, and ahead (the arm that is certainly ahead, or "").
    break_even : float, optional
        Largest epsilon at which the leader is ahead.
    """

    variable: str
    title: str
    scale: tuple[float, float]
    arms: tuple[str, ...]
    rows: pl.DataFrame
    break_even: float | None = None

    def table(self) -> pl.DataFrame:
        """Return a row per value and arm."""
        return self.rows

    def plot(self) -> Any:
        """Return a chart: a band per arm."""
        from trueward.analysis.analysis_charts import draw_interval_curves

        return draw_interval_curves(
            self.rows, self.variable, self.title, self.scale, self.arms, break_even=self.break_even
        )


@checked
def against_epsilon(
    decisions: Decisions,
    *,
    bad: Bad = "careless",
    level: Level = 0.95,
    epsilons: Sequence[float] = EPSILONS,
    share: float | None = None,
) -> IntervalCurves:
    """Return the interval of every arm against the share assumed bad, and which arm is certainly ahead.

    Parameters
    ----------
    decisions : Decisions
        What was shown and rated.
    bad, level
        What is assumed: see `analyse`.
    epsilons : sequence of float, optional
        Shares to assume.
    share : float, optional
        Break-even share, if it was computed before.
    """
    boards = [leaderboard(decisions, epsilon=float(epsilon), bad=bad, level=level) for epsilon in epsilons]
    rows = _stacked(boards, pl.Series("epsilon", epsilons, dtype=pl.Float64))
    title = assumption_text(0.1, bad, level).replace("10 %", "ε")
    known = break_even(decisions, bad=bad, level=level).share if share is None else share
    return IntervalCurves("epsilon", title, decisions.scale, decisions.arms, rows, known)


@checked
def over_time(
    decisions: Decisions, *, epsilon: Share = 0.0, bad: Bad = "careless", level: Level = 0.95, moments: int = MOMENTS
) -> IntervalCurves:
    """Return the interval of every arm as it was after a number of decisions; all of these hold at once.

    Parameters
    ----------
    decisions : Decisions
        What was shown and rated.
    epsilon, bad, level
        What is assumed: see `analyse`.
    moments : int, optional
        Number of moments, evenly spaced.
    """
    last = decisions.table.height
    after = np.unique(np.linspace(max(1, last // moments), last, moments).astype(np.int64))
    boards = [leaderboard(_as_of(decisions, int(t)), epsilon=epsilon, bad=bad, level=level) for t in after]
    rows = _stacked(boards, pl.Series("decisions", after))
    return IntervalCurves("decisions", assumption_text(epsilon, bad, level), decisions.scale, decisions.arms, rows)


def _stacked(boards: Sequence[Leaderboard], values: pl.Series) -> pl.DataFrame:
    tables = [
        board.table().with_columns(
            pl.lit(value).alias(values.name), ahead=pl.lit(board.leader if board.decided else "")
        )
        for board, value in zip(boards, values, strict=True)
    ]
    return pl.concat(tables).select(values.name, "arm", "mean", "low", "high", "ahead")


def _as_of(decisions: Decisions, t: int) -> Decisions:
    """Return the first t decisions; those whose rating arrived later are still pending."""
    later = pl.col("told_after").fill_null(0) > t
    rated = pl.col("status") == "rated"
    first = decisions.table.head(t).with_columns(
        pl.when(later & rated).then(None).otherwise("rating").alias("rating"),
        pl.when(later & rated).then(pl.lit("pending")).otherwise("status").alias("status"),
    )
    p: Floats | None = None if decisions.probabilities is None else decisions.probabilities[:t]
    return replace(decisions, table=first, probabilities=p, available=decisions.available[:t])
