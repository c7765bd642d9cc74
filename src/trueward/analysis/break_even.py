"""The break-even share: how much of *each arm* may be bad before the leader is not ahead any more.

    the largest epsilon at which the leader's lower end is above the upper end of every other arm

0 means that not even clean ratings would decide. It is a share of each arm's participants: the same share of all
participants together could be most of a small arm. Beside it stands the fewest bad participants, placed anywhere, that
undo the verdict: so many of the leader left out (or, if `chosen`, counted as the lowest) and so many of one other arm
left out (or counted as the highest). And both for the *sample alone*, one-sided trimmed means without sampling error:
how far the means themselves are from changing places.
"""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.decisions import Decisions
from trueward.analysis.ends import Counted, counted, lower_end, lower_end_with
from trueward.analysis.leaderboard import leading
from trueward.analysis.participants import Units, units_of
from trueward.analysis.wealth import Bad, Level, most_bad, worst_case
from trueward.parameters import checked

EXACT = 1e-5  # of the share
STEPS = 500  # in the search for the fewest: with n participants in the larger arm, it is exact to 2 n // 500

LowerEnd = Callable[[Counted], float]
End = Callable[[int], float]
"""The lower end of a sample of which so many are bad."""


@dataclass(frozen=True)
class BreakEven:
    """How much contamination the verdict withstands."""

    leader: str
    share: float  # of each arm; 0 if not even clean ratings decide
    fewest: int  # bad participants, placed anywhere, that undo the verdict; 0 if there is none
    rival: str  # the arm that comes level first
    sample_share: float  # the same for the means alone
    sample_fewest: int
    bad: Bad
    level: float

    def table(self) -> pl.DataFrame:
        """Return a row for the verdict, and one for the sample alone."""
        kinds = ["verdict", "sample alone"]
        return pl.DataFrame(
            {"of": kinds, "share": [self.share, self.sample_share], "fewest": [self.fewest, self.sample_fewest]}
        )

    def plot(self) -> Any:
        """Return a chart of both shares."""
        from trueward.analysis.check_charts import draw_break_even

        return draw_break_even(self.table(), self.leader)


@checked
def break_even(decisions: Decisions, *, bad: Bad = "careless", level: Level = 0.95) -> BreakEven:
    """Return the break-even share, and the fewest bad participants that undo the verdict."""
    units = units_of(decisions)
    lead = leading([float(each.given.mean()) if each.given.size else np.nan for each in units])
    delta = (1.0 - level) / (2 * len(units))
    whole, answers = _sides(units, lead, missing=True), _sides(units, lead, missing=False)

    def verdict(epsilon: float) -> LowerEnd:
        return lambda sample: lower_end(sample, delta=delta, epsilon=epsilon, bad=bad)

    def sample_alone(epsilon: float) -> LowerEnd:
        return lambda sample: worst_mean(sample, int(most_bad(sample[1], epsilon)), bad)

    fewest, rival = _fewest(whole, lambda sample, n: lower_end_with(sample, n, delta=delta, bad=bad))
    sample_fewest, _ = _fewest(answers, lambda sample, n: worst_mean(sample, n, bad))
    return BreakEven(
        leader=decisions.arms[lead],
        share=_largest_share(whole, verdict),
        fewest=fewest,
        rival=decisions.arms[[a for a in range(len(units)) if a != lead][rival]],
        sample_share=_largest_share(answers, sample_alone),
        sample_fewest=sample_fewest,
        bad=bad,
        level=level,
    )


def worst_mean(sample: Counted, n_bad: int, bad: Bad) -> float:
    """Return the lowest mean of a sample of which so many are bad: left out, or if chosen counted as 0."""
    values, counts = sample
    if bad != "chosen" and n_bad >= counts.sum():
        return 0.0
    left = worst_case(values, counts, -1.0, n_bad, bad)
    return float(left @ values / left.sum())


def _sides(units: list[Units], lead: int, *, missing: bool) -> tuple[Counted, list[Counted]]:
    """Return the leader's sample, and the mirrored samples of the others: lower ends of both tell who is ahead."""
    others = [each.high if missing else each.given for a, each in enumerate(units) if a != lead]
    return counted(units[lead].low if missing else units[lead].given), [counted(1.0 - each) for each in others]


def _ahead(sides: tuple[Counted, list[Counted]], end: LowerEnd) -> bool:
    leader, others = sides
    lower = end(leader)
    return all(lower > 1.0 - end(other) for other in others)


def _largest_share(sides: tuple[Counted, list[Counted]], end_at: Callable[[float], LowerEnd]) -> float:
    """Return the largest epsilon at which the leader is ahead, by bisection: more contamination never helps it."""
    if not _ahead(sides, end_at(0.0)):
        return 0.0
    low, high = 0.0, 1.0
    while high - low > EXACT:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _ahead(sides, end_at(middle)) else (low, middle)
    return low


def _fewest(sides: tuple[Counted, list[Counted]], end: Callable[[Counted, int], float]) -> tuple[int, int]:
    """Return the fewest bad participants that let another arm come level, and which; the first of several."""
    leader, others = sides
    n_leader = int(leader[1].sum())
    lower = cache(lambda n_bad: end(leader, n_bad))
    best, rival = n_leader + max(int(other[1].sum()) for other in others), 0
    for place, other in enumerate(others):
        found = _fewest_against(lower, n_leader, cache(partial(end, other)), int(other[1].sum()), best)
        if found < best:
            best, rival = found, place
    return best, rival


def _fewest_against(lower: End, n_leader: int, mirrored: End, n_other: int, best: int) -> int:
    """Walk along the edge: from all bad ones on the other arm, to more and more of them on the leader."""
    step = 1 + max(n_leader, n_other) // STEPS

    def level(on_leader: int, on_other: int) -> bool:
        return lower(on_leader) <= 1.0 - mirrored(on_other)

    on_leader, on_other = 0, bisect_left(range(n_other), True, key=lambda n: level(0, n))
    best = min(best, on_other) if level(0, on_other) else best
    while on_leader + step < best and on_other > 0:
        on_leader += step
        while on_other > 0 and level(on_leader, max(0, on_other - step)):
            on_other = max(0, on_other - step)
        if level(on_leader, on_other):
            best = min(best, on_leader + on_other)
    return best
