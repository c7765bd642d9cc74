"""How far contamination moves the mean and the median of a law.

Mean, contamination within (low, high): a `mixture` gives (1 - epsilon) mean + epsilon low … high; `replacement` first
takes away the epsilon highest (lowest) rewards. Median: any contamination moves it at most to the quantiles at

    mixture        (1/2 - epsilon) / (1 - epsilon)   and   (1/2) / (1 - epsilon)
    replacement     1/2 - epsilon                    and    1/2 + epsilon

>>> ratings = [0, 5, 10], [0.1, 0.2, 0.7]
>>> [round(end, 6) for end in contaminated_mean_range(ratings, epsilon=0.1, range=(0, 10))]
[7.2, 8.2]
>>> [round(end, 6) for end in contaminated_mean_range(ratings, epsilon=0.1, range=(0, 10), model="replacement")]
[7.0, 9.0]
>>> median_range(ratings, epsilon=0.1), median_range(ratings, epsilon=0.3)
((10.0, 10.0), (5.0, 10.0))

Reference: Altschuler, Brunel & Malek (2019) for the median, under an oblivious and a malicious adversary.
"""

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats
from trueward.errors import ParameterError
from trueward.parameters import BelowHalf, Range, at_least, below, check_array, checked
from trueward.theory.identifiability import probabilities

FiniteLaw = tuple[ArrayLike, ArrayLike]  # values, probabilities
RangeModel = Literal["mixture", "replacement"]


def _finite_law(distribution: FiniteLaw) -> tuple[Floats, Floats]:
    """Return the values in increasing order, and their probabilities."""
    values, p = check_array("values", distribution[0]), probabilities("probabilities", distribution[1])
    if values.size != p.size:
        raise ParameterError(f"probabilities must be as many as the values, {values.size}, got {p.size}")
    order = np.argsort(values, kind="stable")
    return values[order], p[order]


def _lowest_part(values: Floats, p: Floats, epsilon: float) -> float:
    """Return the sum of value times mass over the lowest mass epsilon."""
    before = np.cumsum(p) - p
    return float((values * np.clip(epsilon - before, 0.0, p)).sum())


@checked
def contaminated_mean_range(
    distribution: FiniteLaw,
    *,
    epsilon: Annotated[float, at_least(0), below(1)],
    range: Range,
    model: RangeModel = "mixture",
) -> tuple[float, float]:
    """Return the lowest and highest mean of a finite law when a fraction epsilon becomes values of `range`."""
    e, (low, high) = epsilon, range
    values, p = _finite_law(distribution)
    mean = float((values * p).sum())
    if model == "mixture":
        return (1.0 - e) * mean + e * low, (1.0 - e) * mean + e * high
    lowest, highest = _lowest_part(values, p, e), -_lowest_part(-values[::-1], p[::-1], e)
    return min(mean, mean - highest + e * low), max(mean, mean - lowest + e * high)


@checked
def median_range(
    distribution: FiniteLaw | Callable[[float], float], *, epsilon: BelowHalf, model: RangeModel = "mixture"
) -> tuple[float, float]:
    """Return the lowest and highest median that contamination can give a law: a finite one, or a quantile function."""
    e = epsilon
    levels = (0.5 - e, 0.5 + e) if model == "replacement" else ((0.5 - e) / (1.0 - e), 0.5 / (1.0 - e))
    if callable(distribution):
        return distribution(levels[0]), distribution(levels[1])
    values, p = _finite_law(distribution)
    values, p = values[p > 0], p[p > 0]
    upto = np.cumsum(p)
    first = int(np.searchsorted(upto, levels[0] - ROUNDING_TOLERANCE, side="left"))
    last = int(np.searchsorted(upto, levels[1] + ROUNDING_TOLERANCE, side="right"))
    return float(values[first]), float(values[min(last, values.size - 1)])
