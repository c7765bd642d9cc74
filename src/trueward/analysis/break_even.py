"""The break-even share: how much contamination a verdict withstands."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import polars as pl

from trueward.analysis.betting import Bad, Level, most_bad, worst_case
from trueward.analysis.bounds import ValueCounts, lower_bound, lower_bound_given_count, value_counts
from trueward.analysis.decisions import ArmSample, Decisions, arm_samples
from trueward.analysis.leaderboard import index_of_highest
from trueward.parameters import checked

TOLERANCE = 1e-5  # of the share
STEPS = 500  # of the search: with n participants in the larger arm, its result is at most 2 n // 500 too large

LowerBound = Callable[[ValueCounts], float]
BoundByCount = Callable[[int], float]
"""The lower bound of a sample, as a function of the number of bad participants."""


@dataclass(frozen=True)
class BreakEven:
    """The contamination that the verdict withstands.

    The break-even share is the largest epsilon at which the leader's lower bound is above the upper bound of every
    other arm. It is a share of *each arm's* participants: the same share of all participants together could be most of
    a small arm. `fewest` counts bad participants placed anywhere: some of the leader's are left out (or count as the
    lowest rating, if bad is "chosen"), and some of one other arm's are left out (or count as the highest). Both are
    also given for the *sample alone*, one-sided trimmed means without sampling error: how far the means themselves are
    from changing places.

    Parameters
    ----------
    leader : str
        Arm with the highest mean.
    share : float
        Break-even share; 0 if nothing is decided even at epsilon 0.
    fewest : int
        Smallest number of bad participants that undoes the verdict; 0 if nothing is decided.
    rival : str
        Arm that catches up first.
    sample_share, sample_fewest
        The same for the sample alone.
    bad, level
        What was assumed: see `analyse`.
    """

    leader: str
    share: float
    fewest: int
    rival: str
    sample_share: float
    sample_fewest: int
    bad: Bad
    level: float

    def table(self) -> pl.DataFrame:
        """Return a row for the verdict, and one for the sample alone."""
        kinds = ["verdict", "sample alone"]
        return pl.DataFrame(
            {"basis": kinds, "share": [self.share, self.sample_share], "fewest": [self.fewest, self.sample_fewest]}
        )

    def plot(self) -> Any:
        """Return a chart of both shares."""
        from trueward.analysis.analysis_charts import draw_break_even

        return draw_break_even(self.table(), self.leader)


@checked
def break_even(decisions: Decisions, *, bad: Bad = "careless", level: Level = 0.95) -> BreakEven:
    """Return the break-even share, and the smallest number of bad participants that undoes the verdict."""
    samples = arm_samples(decisions)
    lead = index_of_highest([float(each.observed.mean()) if each.observed.size else np.nan for each in samples])
    delta = (1.0 - level) / (2 * len(samples))  # Bonferroni: two sides per arm
    with_missing, answered = _sides(samples, lead, missing=True), _sides(samples, lead, missing=False)

    def verdict(epsilon: float) -> LowerBound:
        return lambda sample: lower_bound(sample, delta=delta, epsilon=epsilon, bad=bad)

    def sample_alone(epsilon: float) -> LowerBound:
        return lambda sample: worst_mean(sample, int(most_bad(sample[1], epsilon)), bad)

    fewest, rival = _fewest(with_missing, lambda sample, n: lower_bound_given_count(sample, n, delta=delta, bad=bad))
    sample_fewest, _ = _fewest(answered, lambda sample, n: worst_mean(sample, n, bad))
    return BreakEven(
        leader=decisions.arms[lead],
        share=_largest_share(with_missing, verdict),
        fewest=fewest,
        rival=decisions.arms[[a for a in range(len(samples)) if a != lead][rival]],
        sample_share=_largest_share(answered, sample_alone),
        sample_fewest=sample_fewest,
        bad=bad,
        level=level,
    )


def worst_mean(sample: ValueCounts, n_bad: int, bad: Bad) -> float:
    """Return the lowest mean of a sample with `n_bad` bad ratings: left out, or counted as 0 if they are chosen."""
    values, counts = sample
    if bad != "chosen" and n_bad >= counts.sum():
        return 0.0
    remaining = worst_case(values, counts, -1.0, n_bad, bad)
    return float(remaining @ values / remaining.sum())


def _sides(samples: list[ArmSample], lead: int, *, missing: bool) -> tuple[ValueCounts, list[ValueCounts]]:
    """Return the leader's sample and the mirrored samples of the others, so that all bounds are lower bounds."""
    others = [each.high if missing else each.observed for a, each in enumerate(samples) if a != lead]
    leader = samples[lead].low if missing else samples[lead].observed
    return value_counts(leader), [value_counts(1.0 - each) for each in others]


def _ahead(sides: tuple[ValueCounts, list[ValueCounts]], bound: LowerBound) -> bool:
    leader, others = sides
    lower = bound(leader)
    return all(lower > 1.0 - bound(other) for other in others)


def _largest_share(sides: tuple[ValueCounts, list[ValueCounts]], bound_at: Callable[[float], LowerBound]) -> float:
    """Return the largest epsilon at which the leader is ahead, by bisection: more contamination never helps it."""
    if not _ahead(sides, bound_at(0.0)):
        return 0.0
    low, high = 0.0, 1.0
    while high - low > TOLERANCE:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _ahead(sides, bound_at(middle)) else (low, middle)
    return low


def _fewest(
    sides: tuple[ValueCounts, list[ValueCounts]], bound: Callable[[ValueCounts, int], float]
) -> tuple[int, int]:
    """Return the smallest number of bad participants that lets another arm catch up, and the index of that arm."""
    leader, others = sides
    n_leader = int(leader[1].sum())
    lower = cache(lambda n_bad: bound(leader, n_bad))
    best, rival = n_leader + max(int(other[1].sum()) for other in others), 0
    for place, other in enumerate(others):
        number = _fewest_against(lower, n_leader, cache(partial(bound, other)), int(other[1].sum()), best)
        if number < best:
            best, rival = number, place
    return best, rival


def _fewest_against(lower: BoundByCount, n_leader: int, mirrored: BoundByCount, n_other: int, best: int) -> int:
    """Search the pairs (bad on the leader, bad on the other arm) that just suffice, from none on the leader upwards."""
    step = 1 + max(n_leader, n_other) // STEPS

    def caught_up(on_leader: int, on_other: int) -> bool:
        return lower(on_leader) <= 1.0 - mirrored(on_other)

    on_leader, on_other = 0, bisect_left(range(n_other), True, key=lambda n: caught_up(0, n))
    best = min(best, on_other) if caught_up(0, on_other) else best
    while on_leader + step < best and on_other > 0:
        on_leader += step
        while on_other > 0 and caught_up(on_leader, max(0, on_other - step)):
            on_other = max(0, on_other - step)
        if caught_up(on_leader, on_other):
            best = min(best, on_leader + on_other)
    return best
