"""Whether the robust interval would decide, for many studies: from counts, without computing every interval.

The leader's lower end is above another arm's upper end if and only if the other's ratings rule out *the leader's lower
end* as too high. So of each study one end is computed, and tried on the others; and none where already the highest mean
of the others is not ruled out for the leader.
"""

import math

import numpy as np

from trueward.analysis.betting import Bad, log_wealth
from trueward.analysis.bounds import lower_bound
from trueward.analysis.leaderboard import index_of_highest
from trueward.engine.kernel import Floats, Ints


def counts_of(arms: Ints, observed: Floats, values: Floats, n_arms: int) -> Floats:
    """Return how often each value was given to each arm, and behind them the missing: (games, arms, values + 1)."""
    games, step = arms.shape[0], (values[-1] - values[0]) / (values.size - 1)
    nearest = np.clip(np.rint((observed - values[0]) / step), 0, values.size - 1)
    place = np.where(np.isnan(observed), values.size, nearest).astype(np.int64)
    cell = (np.arange(games)[:, None] * n_arms + arms) * (values.size + 1) + place
    shape = games, n_arms, values.size + 1
    return np.bincount(cell.ravel(), minlength=math.prod(shape)).reshape(shape).astype(np.float64)


NOBODY = -1


def decided_for(counts: Floats, values: Floats, *, epsilon: float, bad: Bad, level: float) -> Ints:
    """Return for each study the arm whose interval is above all others, as `Leaderboard.decided` has it, or NOBODY."""
    return np.array([decided_for_one(each, values, epsilon=epsilon, bad=bad, level=level) for each in counts])


def decided_for_one(counts: Floats, values: Floats, *, epsilon: float, bad: Bad, level: float) -> int:
    """Return the same for the counts of one study: (arms, values + 1), the missing last."""
    given = counts[:, :-1]
    if (given.sum(axis=1) == 0).any():
        return NOBODY
    places = (values - values[0]) / (values[-1] - values[0])
    means = given @ places / given.sum(axis=1)
    lead = index_of_highest(means.tolist())
    others = np.delete(np.arange(means.size), lead)
    delta = (1.0 - level) / (2 * means.size)
    below = _with_missing(given[lead], counts[lead, -1], 0)
    enough = -math.log(delta)
    next_best = float(means[others].max())
    if next_best > 0.0 and log_wealth(places, below, next_best, epsilon=epsilon, bad=bad) <= enough:
        return NOBODY
    end = lower_bound((places, below), delta=delta, epsilon=epsilon, bad=bad)
    above = np.stack([_with_missing(given[a], counts[a, -1], -1)[::-1] for a in others])
    against = log_wealth(1.0 - places[::-1], above, 1.0 - end, epsilon=epsilon, bad=bad) if end < 1.0 else np.zeros(1)
    return lead if (against > enough).all() else NOBODY


def _with_missing(given: Floats, missing: float, place: int) -> Floats:
    """Return the counts, those who gave none counted as the lowest rating, or the highest."""
    all_of_them = given.copy()
    all_of_them[place] += missing
    return all_of_them
