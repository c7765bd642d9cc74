"""The probability that each arm is the best, for independent posteriors, by quadrature."""

import functools
import math
from collections.abc import Callable

import numpy as np

from trueward.engine.kernel import Floats

MAX_POINTS = 1201  # of the grid, per arm
MIN_POINTS = 9
MAX_EVALUATIONS = 2_000_000  # approximate limit on arms times grid points
REACH = 27.0  # sds to either side: an exponential tail, the longest of any Beta posterior, has mass 1e-12 beyond
JUMPS = (0.0, 1.0)  # where the density of a Beta posterior may jump: these points must be on the grid
NODES = 8  # of the quadrature rule, enough for any number of arms if there are hundreds of values
FEW_VALUES = 600  # with fewer values, more draws tie, and the rule needs more nodes


def best_arm_probabilities(means: Floats, sds: Floats, cdf: Callable[[Floats], Floats]) -> Floats:
    """Return the probability that each arm's posterior draw is the highest.

        P(a is best) = integral of  prod_{b != a} F_b(x)  dF_a(x)

    `cdf` returns every arm's distribution function, (arms, points), on a grid that is dense where any posterior has
    its mass, according to `means` and `sds`. The integral is the trapezoidal rule in F_a. There are no random numbers:
    the same posterior gives the same probabilities. Errors are below 1e-5 up to 30 arms.
    """
    f = cdf(_grid(means, sds))  # (arms, points)
    others = products_of_other_rows(f)
    steps = np.diff(f, axis=1, prepend=0.0)
    before = np.concatenate([others[:, :1], others[:, :-1]], axis=1)
    probabilities = (0.5 * (before + others) * steps).sum(axis=1)
    return np.asarray(probabilities / probabilities.sum())


def _grid(means: Floats, sds: Floats) -> Floats:
    """Return points that are dense around every mean and sparse in the tails."""
    points = max(MIN_POINTS, min(MAX_POINTS, MAX_EVALUATIONS // means.size**2))
    standardised = np.sinh(np.linspace(-math.asinh(REACH), math.asinh(REACH), points))
    return np.unique(np.append(means[:, None] + sds[:, None] * standardised, JUMPS))


def products_of_other_rows(f: Floats) -> Floats:
    """Return, for each row, the product of all other rows: of those above it times those below it."""
    above, below = np.ones_like(f), np.ones_like(f)
    np.cumprod(f[:-1], axis=0, out=above[1:])
    np.cumprod(f[:0:-1], axis=0, out=below[-2::-1])
    return np.asarray(above * below)


def best_arm_probabilities_normal(means: Floats, sds: Floats) -> Floats:
    """Return the probability that each of independent normal draws is the highest."""
    from scipy.special import ndtr  # here, because this import takes longer than that of all policies

    centred = means - means.max()  # only differences matter: means of 1e300 do no harm
    return best_arm_probabilities(centred, sds, lambda grid: ndtr((grid - centred[:, None]) / sds[:, None]))


def normal_cdf(z: Floats) -> Floats:
    """Return the standard normal distribution function.

    It is accurate to the last bit, because games use tables computed from it.
    """
    erfc = np.vectorize(math.erfc, otypes=[np.float64])
    return np.asarray(0.5 * erfc(-z / math.sqrt(2.0)))


def cdf_from_log_density(log_density: Floats, grid: Floats) -> Floats:
    """Return distribution functions on a grid from unnormalised log densities, (arms, points).

    The log density is interpolated linearly between two points: there is no mass between a point of density zero and
    the next.
    """
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    left, right = density[:, :-1], density[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):  # ln 0, where the mean is 0, and 0 / 0, which is replaced
        mean = (right - left) / (np.log(right) - np.log(left))
    mean = np.where(np.abs(right - left) > 1e-4 * right, mean, 0.5 * (left + right))
    cumulative = np.cumsum(mean * np.diff(grid), axis=1)
    return np.pad(cumulative / cumulative[:, -1:], ((0, 0), (1, 0)))


def best_arm_probabilities_discrete(pmf: Floats) -> Floats:
    """Return the probability that each arm's draw is the highest, ties broken at random; `pmf` is (arms, values).

    The probability of winning a tie with J other arms, 1 / (1 + J), is the integral of u^J over [0, 1]: if the mass of
    each value is spread evenly, there are no ties left. The integrand is a polynomial in u of degree arms - 1.
    """
    nodes, weights = _gauss_legendre(*pmf.shape)
    below = np.pad(np.cumsum(pmf, axis=1)[:, :-1], ((0, 0), (1, 0)))
    others = products_of_other_rows(below[:, :, None] + pmf[:, :, None] * nodes)  # (arms, values, nodes)
    probabilities = (pmf * (others @ weights)).sum(axis=1)
    return np.asarray(probabilities / probabilities.sum())


@functools.cache
def _gauss_legendre(n_arms: int, n_values: int) -> tuple[Floats, Floats]:
    """Return nodes and weights on [0, 1] that are exact up to 16 arms, and accurate to 1e-9 beyond."""
    n_nodes = min((n_arms + 1) // 2, max(NODES, FEW_VALUES // n_values))  # q nodes are exact up to degree 2 q - 1
    nodes, weights = np.polynomial.legendre.leggauss(n_nodes)
    return (nodes + 1.0) / 2.0, weights / 2.0
