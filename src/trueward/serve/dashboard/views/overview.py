"""The page of a study: who is ahead and what that withstands, the leaderboard, and how it came about."""

import math
from dataclasses import dataclass

from trueward.analysis.analyse import Analysis
from trueward.analysis.intervals import Interval
from trueward.reporting.labels import count
from trueward.serve.dashboard.views.look import Look

LINE, MARK = 0.3, 0.8  # widths in the picture of an interval, in percent
SHARES = (0.0, 0.05, 0.1, 0.2)  # of bad participants, to choose among


@dataclass(frozen=True)
class Segment:
    """A piece of an interval's picture, in percent of the scale's width."""

    part: str
    start: float
    width: float


@dataclass(frozen=True)
class Row:
    """An arm on the leaderboard; an interval is there once somebody has answered."""

    arm: str
    retired: bool
    leads: bool
    shown: int
    rated: int
    pending: int
    missing: int
    void: int
    aside: int  # ratings that the policy leaves out, or believes bad
    mean: float | None
    estimate: float | None  # what the policy believes
    probability: float  # of being shown next
    low: float
    high: float
    segments: tuple[Segment, ...]
    tick: float | None  # where the mean's mark begins, in percent
    words: str  # the interval, for who cannot see it


@dataclass(frozen=True)
class Board:
    """The leaderboard, the highest mean first, on a scale."""

    rows: tuple[Row, ...]
    scale: tuple[float, float]
    assumption: str
    ticks: tuple[float, ...]

    @property
    def grid(self) -> tuple[float, ...]:
        """Where lines behind the intervals begin, in percent."""
        return tuple(round(_percent(tick, self.scale) * (1 - LINE / 100), 2) for tick in self.ticks)


@dataclass(frozen=True)
class Verdict:
    """One sentence, and the break-even share that stands behind it; `tone` is decided, open or early."""

    sentence: str
    tone: str
    share: float | None = None
    detail: str = ""
    notes: tuple[str, ...] = ()


def verdict_of(analysis: Analysis | None, problem: str) -> Verdict:
    """Return the verdict of an analysis, or why there is none yet."""
    if analysis is None:
        return Verdict(problem, "early")
    even = analysis.break_even
    detail = (
        f"Of the means alone, without chance: {100 * even.sample_share:.1f} %, or "
        f"{count(even.sample_fewest, 'bad participant')}. {even.rival} would come level first."
    )
    tone = "decided" if analysis.leaderboard.decided else "open"
    return Verdict(analysis.verdict, tone, even.share, detail, analysis.notes)


def board_of(look: Look, analysis: Analysis | None) -> Board:
    """Return the leaderboard; without an analysis, only what was counted."""
    if analysis is None:
        rows = [_row(look, arm.name, None, (0.0, 1.0), "") for arm in look.arms]
        return Board(tuple(rows), (0.0, 1.0), "", ())
    board = analysis.leaderboard
    known = dict(zip(board.arms, board.intervals, strict=True))
    rows = [_row(look, arm.name, known.get(arm.name), board.scale, board.leader) for arm in look.arms]
    rows.sort(key=lambda row: -math.inf if row.mean is None else row.mean, reverse=True)
    return Board(tuple(rows), board.scale, board.assumption, _ticks(*board.scale))


def _row(look: Look, arm: str, interval: Interval | None, scale: tuple[float, float], leader: str) -> Row:
    mine = look.table.filter(arm=arm)
    counts = {status: mine.filter(status=status).height for status in ("rated", "pending", "missing", "void")}
    believed = look.explanation[arm]
    mean = None if interval is None or math.isnan(interval.mean) else interval.mean
    return Row(
        arm=arm,
        retired=next(each.retired for each in look.arms if each.name == arm),
        leads=arm == leader,
        shown=mine.height,
        **counts,
        aside=len(believed.trimmed),
        mean=mean,
        estimate=None if math.isnan(believed.estimate) else believed.estimate,
        probability=look.probabilities.get(arm, 0.0),
        low=scale[0] if interval is None else interval.low,
        high=scale[1] if interval is None else interval.high,
        segments=() if interval is None else _segments(interval, scale),
        tick=None if mean is None else min(max(0.0, _percent(mean, scale) - MARK / 2), 100.0 - MARK),
        words="" if interval is None else _words(interval),
    )


def _segments(interval: Interval, scale: tuple[float, float]) -> tuple[Segment, ...]:
    """Return the pieces from outside to inside: each is drawn over the one before."""
    parts = {"missing": interval.whole, "contamination": interval.contaminated, "sampling": interval.sampling}
    ends = [(part, _percent(low, scale), _percent(high, scale)) for part, (low, high) in parts.items()]
    return tuple(Segment(part, low, high - low) for part, low, high in ends)


def _percent(value: float, scale: tuple[float, float]) -> float:
    return round(100.0 * (value - scale[0]) / (scale[1] - scale[0]), 2)


def _words(interval: Interval) -> str:
    parts = interval.parts
    adds = [f"{name} {parts[name]:.2f}" for name in ("sampling", "contamination", "missing")]
    return f"from {interval.low:.2f} to {interval.high:.2f}; of its width are {', '.join(adds)}"


def _ticks(low: float, high: float) -> tuple[float, ...]:
    """Return where the scale is labelled: whole numbers if they are few, else five places."""
    if high - low <= 10 and float(low).is_integer() and float(high).is_integer():
        whole = int(high - low)
        step = 1 if whole <= 5 else 2 if whole % 2 == 0 else whole
        return tuple(low + i for i in range(0, whole + 1, step))
    return tuple(low + (high - low) * i / 4 for i in range(5))
