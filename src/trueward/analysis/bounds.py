"""Bounds of a robust interval: the lowest mean that the ratings do not rule out."""

import math
from collections.abc import Callable

import numpy as np

from trueward.analysis.betting import Bad, log_wealth, worst_case
from trueward.engine.kernel import Floats

MOST_VALUES = 1024
SMALLEST = 1e-9  # of the scale: the lower bound is 0 if even this mean is not ruled out
FIRST_STEP, TOLERANCE = 0.01, 1e-9  # of the search from the mean downwards

ValueCounts = tuple[Floats, Floats]
"""Values from 0 to 1, of which the first is 0, and how often each was given."""


def value_counts(ratings: Floats) -> ValueCounts:
    """Return ratings from 0 to 1 as values and counts, so that ten million clicks take no longer than ten.

    More than 1,024 different values are rounded down by less than a thousandth of the scale: a bound stays valid.
    """
    values, counts = np.unique(ratings, return_counts=True)
    if values.size > MOST_VALUES:
        values, counts = np.unique(np.floor(ratings * MOST_VALUES) / MOST_VALUES, return_counts=True)
    if values.size == 0 or values[0] > 0.0:
        values, counts = np.append(0.0, values), np.append(0, counts)
    return values, counts.astype(np.float64)


def lower_bound(sample: ValueCounts, *, delta: float, epsilon: float = 0.0, bad: Bad = "careless") -> float:
    """Return the lowest mean that is not ruled out; it ever exceeds the true mean with probability at most delta."""
    values, counts = sample

    def excess(mean: float) -> float:
        return float(log_wealth(values, counts, mean, epsilon=epsilon, bad=bad)) + math.log(delta)

    return _crossing(excess, sample)


def lower_bound_given_count(sample: ValueCounts, n_bad: int, *, delta: float, bad: Bad) -> float:
    """Return the lower bound for a number of bad ratings, chosen ones or any, instead of a share."""
    values, counts = sample
    model: Bad = "chosen" if bad == "chosen" else "capped"

    def excess(mean: float) -> float:
        remaining = worst_case(values, counts, mean, n_bad, model)
        return float(log_wealth(values, remaining, mean, epsilon=0.0, bad="careless")) + math.log(delta)

    return _crossing(excess, sample)


def _crossing(excess: Callable[[float], float], sample: ValueCounts) -> float:
    """Return the mean at which the excess evidence, which falls as the mean rises, reaches 0."""
    from scipy.optimize import brentq  # here, because SciPy takes long to import

    values, counts = sample
    if counts.sum() == 0.0 or excess(SMALLEST) <= 0.0:
        return 0.0
    above = float(counts @ values / counts.sum())  # the sample mean is never ruled out: bets against it lose
    step = FIRST_STEP
    while (below := above - step) > SMALLEST and excess(below) <= 0.0:
        above, step = below, 2.0 * step
    return float(brentq(excess, max(below, SMALLEST), above, xtol=TOLERANCE))
