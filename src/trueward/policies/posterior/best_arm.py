"""The probability that each arm's posterior draw is the highest, by quadrature.

    P(a is best) = integral of  prod_{b != a} F_b(x)  dF_a(x)

All distribution functions are laid over one grid that follows every posterior, and the integral is the trapezoidal rule
in F_a. No random numbers: the same posterior gives the same probabilities. Errors are below 1e-5
up to 30 arms.
"""

import functools
import math
from collections.abc import Callable

import numpy as np

from trueward.engine.compiling import always_compiled
from trueward.engine.kernel import Floats

POINTS = 1201  # points per arm, at most
LEAST_POINTS = 9  # and at least
CELLS = 2_000_000  # arms times points, about
REACH = 27.0  # spreads to either side: an exponential tail, the longest that a Beta posterior has, holds 1e-12 beyond
NODES = 8  # of Gauss's rule, which are enough for any number of arms where there are hundreds of values
TIED = 600  # values, with fewer of which it takes more
NEGLIGIBLE = 1e-12  # a chance that changes no other
ENDS = (0.0, 1.0)  # where the density of a Beta posterior may jump: the grid must not step over them


def best_arm_probabilities(centres: Floats, spreads: Floats, cdf: Callable[[Floats], Floats]) -> Floats:
    """Return P(a is best); `cdf` gives every arm's distribution function, (arms, points), on a grid.

    `centres` and `spreads` say where each posterior lies, so that the grid can follow it.
    """
    f = cdf(_grid(centres, spreads))  # (arms, points)
    others = products_of_others(f)
    steps = np.diff(f, axis=1, prepend=0.0)
    before = np.concatenate([others[:, :1], others[:, :-1]], axis=1)
    mass = (0.5 * (before + others) * steps).sum(axis=1)
    return np.asarray(mass / mass.sum())


def _grid(centres: Floats, spreads: Floats) -> Floats:
    """Return points that are dense around every centre, and sparse in the tails."""
    points = max(LEAST_POINTS, min(POINTS, CELLS // centres.size**2))
    around = np.sinh(np.linspace(-math.asinh(REACH), math.asinh(REACH), points))
    return np.unique(np.append(centres[:, None] + spreads[:, None] * around, ENDS))


def products_of_others(f: Floats) -> Floats:
    """Return, for each row, the product of all other rows: of those above it times those below it."""
    above, below = np.ones_like(f), np.ones_like(f)
    np.cumprod(f[:-1], axis=0, out=above[1:])
    np.cumprod(f[:0:-1], axis=0, out=below[-2::-1])
    return np.asarray(above * below)


def highest_atom_probabilities(atoms: Floats) -> Floats:
    """Return the probability that each arm's draw is the highest, ties shared evenly; `atoms` are (arms, values)."""
    mass = np.empty(atoms.shape[0])
    highest_atoms(np.array(atoms, order="C"), *gauss_rule(*atoms.shape), mass)
    return mass


@always_compiled
def highest_atoms(atoms: Floats, nodes: Floats, shares: Floats, mass: Floats) -> None:
    """Fill in these probabilities.

    The chance to win a draw with J others that tie, 1/(1 + J), is the integral of u^J: spread each atom evenly over
    [0, 1] and no ties are left. The integrand is a polynomial in u of degree arms - 1, so Gauss's rule is exact. No arm
    wins with a value that another has next to no chance to stay below or equal, nor with one that it has next to no
    chance to reach. Values come innermost, so that a processor takes several at a time.
    """
    n_arms, n_values = atoms.shape
    below, won, product = np.empty((n_arms, n_values)), np.zeros((n_arms, n_values)), np.empty(n_values)
    first, last, total = 0, 0, 0.0
    for arm in range(n_arms):
        level, reached, left = 0.0, 0, 0
        for value in range(n_values):
            below[arm, value] = level
            left += level < 1.0 - NEGLIGIBLE
            level += atoms[arm, value]
            reached += level <= NEGLIGIBLE
        first, last = max(first, reached), max(last, left)
    for node in range(nodes.size):
        u = nodes[node]
        for value in range(first, last):
            product[value] = shares[node]
        for arm in range(n_arms):
            for value in range(first, last):
                product[value] *= below[arm, value] + u * atoms[arm, value]
        for arm in range(n_arms):
            for value in range(first, last):
                won[arm, value] += product[value] / (below[arm, value] + u * atoms[arm, value])
    for arm in range(n_arms):
        mass[arm] = 0.0
        for value in range(first, last):
            mass[arm] += won[arm, value] * atoms[arm, value]
        total += mass[arm]
    for arm in range(n_arms):
        mass[arm] /= total


@functools.cache
def gauss_rule(n_arms: int, n_values: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss's rule on [0, 1]: exact up to 16 arms, else to 1e-9."""
    nodes, weights = np.polynomial.legendre.leggauss(min((n_arms + 1) // 2, max(NODES, TIED // n_values)))
    return (nodes + 1.0) / 2.0, weights / 2.0


def normal_cdf(z: Floats) -> Floats:
    """Return the standard normal distribution function, to the last bit: tables that games read are made of it."""
    erfc = np.vectorize(math.erfc, otypes=[np.float64])
    return np.asarray(0.5 * erfc(-z / math.sqrt(2.0)))


def highest_draw_probabilities(centres: Floats, spreads: Floats) -> Floats:
    """Return the probability that each of independent normal draws is the highest, by quadrature."""
    from scipy.special import ndtr  # here, because the import takes longer than that of all policies

    around = centres - centres.max()  # differences only: centres of 1e300 do no harm
    return best_arm_probabilities(around, spreads, lambda grid: ndtr((grid - around[:, None]) / spreads[:, None]))


def density_cdf(log_density: Floats, grid: Floats) -> Floats:
    """Return distribution functions on a grid from unnormalised log densities, (arms, points).

    Between two points the logarithm of the density is taken for linear: nothing lies between a point where the density
    is zero and the next.
    """
    density = np.exp(log_density - log_density.max(axis=1, keepdims=True))
    left, right = density[:, :-1], density[:, 1:]
    with np.errstate(divide="ignore", invalid="ignore"):  # ln 0, where the mean is 0, and 0 / 0, where none is taken
        mean = (right - left) / (np.log(right) - np.log(left))
    mean = np.where(np.abs(right - left) > 1e-4 * right, mean, 0.5 * (left + right))
    cumulative = np.cumsum(mean * np.diff(grid), axis=1)
    return np.pad(cumulative / cumulative[:, -1:], ((0, 0), (1, 0)))
