"""The range of means and medians that contamination can give a distribution."""

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats
from trueward.errors import ParameterError
from trueward.parameters import BelowHalf, Range, at_least, below, check_array, checked
from trueward.theory.identifiability import check_probabilities

FinitePmf = tuple[ArrayLike, ArrayLike]  # values, probabilities
RangeModel = Literal["mixture", "replacement"]


def _sorted_pmf(distribution: FinitePmf) -> tuple[Floats, Floats]:
    """Return the values in increasing order, and their probabilities."""
    values, p = check_array("values", distribution[0]), check_probabilities("probabilities", distribution[1])
    if values.size != p.size:
        raise ParameterError(f"probabilities must be as many as the values, {values.size}, got {p.size}")
    order = np.argsort(values, kind="stable")
    return values[order], p[order]


def _lower_partial_mean(values: Floats, p: Floats, epsilon: float) -> float:
    """Return the sum of value times probability over the lowest probability mass epsilon."""
    mass_below = np.cumsum(p) - p
    return float((values * np.clip(epsilon - mass_below, 0.0, p)).sum())


@checked
def contaminated_mean_range(
    distribution: FinitePmf,
    *,
    epsilon: Annotated[float, at_least(0), below(1)],
    range: Range,
    model: RangeModel = "mixture",
) -> tuple[float, float]:
    """Return the lowest and highest mean of a finite distribution when a fraction epsilon becomes values of `range`.

    A `mixture` gives means from (1 - epsilon) mean + epsilon low to (1 - epsilon) mean + epsilon high. A
    `replacement` first removes the highest (or lowest) epsilon of the probability mass.

    Parameters
    ----------
    distribution : tuple of array_like
        Values and their probabilities.
    epsilon : float
        Fraction of contaminated rewards, at least 0 and below 1.
    range : tuple of float
        Lowest and highest contaminated value.
    model : {"mixture", "replacement"}
        Whether the contaminated rewards are chosen at random or by their values.

    Returns
    -------
    tuple of float
        The lowest and the highest mean.

    Examples
    --------
    >>> ratings = [0, 5, 10], [0.1, 0.2, 0.7]
    >>> [round(mean, 6) for mean in contaminated_mean_range(ratings, epsilon=0.1, range=(0, 10))]
    [7.2, 8.2]
    >>> [round(mean, 6) for mean in contaminated_mean_range(ratings, epsilon=0.1, range=(0, 10), model="replacement")]
    [7.0, 9.0]

    References
    ----------
    Both ranges follow from the definitions of the two models.
    """
    low, high = range
    values, p = _sorted_pmf(distribution)
    mean = float((values * p).sum())
    if model == "mixture":
        return (1.0 - epsilon) * mean + epsilon * low, (1.0 - epsilon) * mean + epsilon * high
    lowest = _lower_partial_mean(values, p, epsilon)
    highest = -_lower_partial_mean(-values[::-1], p[::-1], epsilon)
    return min(mean, mean - highest + epsilon * low), max(mean, mean - lowest + epsilon * high)


@checked
def median_range(
    distribution: FinitePmf | Callable[[float], float], *, epsilon: BelowHalf, model: RangeModel = "mixture"
) -> tuple[float, float]:
    """Return the lowest and highest median that contamination can give a distribution.

    Whatever the contaminated values are, the median stays between the true quantiles at

        mixture        (1/2 - epsilon) / (1 - epsilon)   and   (1/2) / (1 - epsilon)
        replacement     1/2 - epsilon                    and    1/2 + epsilon

    Parameters
    ----------
    distribution : tuple of array_like, or callable
        Values and their probabilities, or a quantile function.
    epsilon : float
        Fraction of contaminated rewards, at least 0 and below 1/2.
    model : {"mixture", "replacement"}
        Whether the contaminated rewards are chosen at random or by their values.

    Returns
    -------
    tuple of float
        The lowest and the highest median.

    Examples
    --------
    >>> ratings = [0, 5, 10], [0.1, 0.2, 0.7]
    >>> median_range(ratings, epsilon=0.1), median_range(ratings, epsilon=0.3)
    ((10.0, 10.0), (5.0, 10.0))

    References
    ----------
    Altschuler, Brunel & Malek (2019), for an oblivious and a malicious adversary.
    """
    if model == "replacement":
        levels = 0.5 - epsilon, 0.5 + epsilon
    else:
        levels = (0.5 - epsilon) / (1.0 - epsilon), 0.5 / (1.0 - epsilon)
    if callable(distribution):
        return distribution(levels[0]), distribution(levels[1])
    values, p = _sorted_pmf(distribution)
    values, p = values[p > 0], p[p > 0]
    cdf = np.cumsum(p)
    first = int(np.searchsorted(cdf, levels[0] - ROUNDING_TOLERANCE, side="left"))
    last = int(np.searchsorted(cdf, levels[1] + ROUNDING_TOLERANCE, side="right"))
    return float(values[first]), float(values[min(last, values.size - 1)])
