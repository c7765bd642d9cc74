"""The constraint on the adversary: at most a fraction epsilon of every prefix of an arm's rewards is contaminated."""

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE
from trueward.errors import ParameterError
from trueward.parameters import Share, checked


@checked
def first_violation(mask: ArrayLike, *, epsilon: Share) -> int:
    """Return the number of the first reward at which the constraint on the adversary is violated.

        for every n:   mask_1 + … + mask_n <= epsilon n

    One contaminated reward that comes too early violates it, however few there are in the end.

    Parameters
    ----------
    mask : array_like of bool
        True for each contaminated reward of one arm, in the order in which the rewards were observed.
    epsilon : float
        Fraction of contaminated rewards that is allowed, from 0 to 1.

    Returns
    -------
    int
        The number of that reward, counted from 1; 0 if every prefix satisfies the constraint.

    Examples
    --------
    >>> first_violation([0, 0, 0, 1, 0], epsilon=0.2)
    4

    References
    ----------
    Niss & Tewari (2020), section 2.1.
    """
    contaminated = np.asarray(mask)
    if contaminated.ndim != 1 or not np.isin(contaminated, (0, 1)).all():
        raise ParameterError(f"mask must be a list of true and false, got {mask!r}")
    n = np.arange(1, contaminated.size + 1)
    violations = np.flatnonzero(np.cumsum(contaminated.astype(np.int64)) > epsilon * n + ROUNDING_TOLERANCE)
    return int(violations[0]) + 1 if violations.size else 0


def satisfies_prefix_constraint(mask: ArrayLike, *, epsilon: float) -> bool:
    """Return whether every prefix of the rewards satisfies the constraint on the adversary.

    Parameters
    ----------
    mask : array_like of bool
        True for each contaminated reward of one arm, in the order in which the rewards were observed.
    epsilon : float
        Fraction of contaminated rewards that is allowed, from 0 to 1.

    Returns
    -------
    bool
        True if `first_violation` finds no violation.

    Examples
    --------
    >>> satisfies_prefix_constraint([0, 0, 0, 0, 1], epsilon=0.2)
    True
    >>> satisfies_prefix_constraint([0, 0, 0, 1, 0], epsilon=0.2)
    False

    References
    ----------
    Niss & Tewari (2020), section 2.1.
    """
    return first_violation(mask, epsilon=epsilon) == 0
