"""The probability that each arm's posterior draw is the highest, by quadrature.

    P(a is best) = integral of  prod_{b != a} F_b(x)  dF_a(x)

All distribution functions are laid over one grid that follows every posterior, and the integral is the trapezoidal rule
in F_a. No random numbers: the same posterior gives the same probabilities.
"""

from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from trueward.kernel import Floats

GRID = 40_000  # points in all
POINTS = 801  # points per arm, at most; errors are of order 1e-6
REACH = 8.5  # standard deviations to either side; beyond lies 1e-17


def best_arm_probabilities(centres: Floats, spreads: Floats, cdf: Callable[[Floats], Floats]) -> Floats:
    """Return P(a is best); `cdf` gives every arm's distribution function, (arms, points), on a grid.

    `centres` and `spreads` say where each posterior lies, so that the grid can follow it.
    """
    points = max(9, min(POINTS, GRID // centres.size))
    around = np.linspace(-REACH, REACH, points)
    grid = np.unique(centres[:, None] + spreads[:, None] * around)
    f = cdf(grid)  # (arms, points)
    with np.errstate(divide="ignore"):  # ln 0 = -inf is what is meant: a factor of zero
        log_f = np.log(f)
    others = np.empty_like(f)
    for arm in range(centres.size):
        others[arm] = np.exp(np.delete(log_f, arm, axis=0).sum(axis=0))
    steps = np.diff(f, axis=1, prepend=0.0)
    before = np.concatenate([others[:, :1], others[:, :-1]], axis=1)
    mass = (0.5 * (before + others) * steps).sum(axis=1)
    return np.asarray(mass / mass.sum())


def normal_cdf(z: Floats) -> Floats:
    """Return the standard normal distribution function."""
    return np.asarray(np.vectorize(NormalDist().cdf, otypes=[np.float64])(z))


def density_cdf(log_density: Floats, grid: Floats) -> Floats:
    """Return distribution functions on a grid from unnormalised log densities, (arms, points)."""
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    pieces = 0.5 * (density[:, 1:] + density[:, :-1]) * np.diff(grid)
    cumulative = np.concatenate([np.zeros((density.shape[0], 1)), np.cumsum(pieces, axis=1)], axis=1)
    return np.asarray(cumulative / cumulative[:, -1:])
