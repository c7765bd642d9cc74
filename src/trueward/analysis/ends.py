"""The ends of a robust interval: the lowest and the highest mean that the ratings do not rule out.

Counts of equal values are all that is needed, so that ten million clicks take no longer than ten. Beyond 1,024
different values, each is moved outwards by less than a thousandth of the scale.
"""

import math
from collections.abc import Callable

import numpy as np

from trueward.analysis.wealth import Bad, log_wealth, worst_case
from trueward.engine.kernel import Floats

MOST_VALUES = 1024
SMALLEST = 1e-9  # of the scale: the lower end is 0 where even this mean is not ruled out
FIRST_STEP, EXACT = 0.01, 1e-9  # of the search from the mean downwards

Counted = tuple[Floats, Floats]
"""Values from 0 to 1, the first of them 0, and how often each was given."""


def counted(ratings: Floats) -> Counted:
    """Return ratings from 0 to 1 as values and counts, for a lower end: none is rounded up."""
    values, counts = np.unique(ratings, return_counts=True)
    if values.size > MOST_VALUES:
        values, counts = np.unique(np.floor(ratings * MOST_VALUES) / MOST_VALUES, return_counts=True)
    if values.size == 0 or values[0] > 0.0:
        values, counts = np.append(0.0, values), np.append(0, counts)
    return values, counts.astype(np.float64)


def lower_end(sample: Counted, *, delta: float, epsilon: float = 0.0, bad: Bad = "careless") -> float:
    """Return the lowest mean that is not ruled out: it ever exceeds the truth with probability at most delta."""
    values, counts = sample

    def excess(mean: float) -> float:
        return float(log_wealth(values, counts, mean, epsilon=epsilon, bad=bad)) + math.log(delta)

    return _crossing(excess, sample)


def lower_end_with(sample: Counted, n_bad: int, *, delta: float, bad: Bad) -> float:
    """Return the same when just so many ratings may be bad: chosen ones, or else any."""
    values, counts = sample
    model: Bad = "chosen" if bad == "chosen" else "capped"

    def excess(mean: float) -> float:
        left = worst_case(values, counts, mean, n_bad, model)
        return float(log_wealth(values, left, mean, epsilon=0.0, bad="careless")) + math.log(delta)

    return _crossing(excess, sample)


def _crossing(excess: Callable[[float], float], sample: Counted) -> float:
    """Return where the excess evidence, which falls as the mean rises, is used up."""
    from scipy.optimize import brentq  # here, because its import takes longer than that of all of this package

    values, counts = sample
    if counts.sum() == 0.0 or excess(SMALLEST) <= 0.0:
        return 0.0
    above = float(counts @ values / counts.sum())  # never ruled out: bets on ratings of that very mean lose
    step = FIRST_STEP
    while (below := above - step) > SMALLEST and excess(below) <= 0.0:
        above, step = below, 2.0 * step
    return float(brentq(excess, max(below, SMALLEST), above, xtol=EXACT))
