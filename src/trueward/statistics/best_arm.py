"""The probability that each arm's posterior draw is the highest, by quadrature.

    P(a is best) = integral of  prod_{b != a} F_b(x)  dF_a(x)

All distribution functions are laid over one grid that follows every posterior, and the integral is the trapezoidal rule
in F_a. No random numbers: the same posterior gives the same probabilities. Errors are below 1e-5
up to 30 arms.
"""

import functools
import itertools
import math
from collections.abc import Callable

import numpy as np

from trueward.engine.compiling import compiled_if_on_disk
from trueward.engine.kernel import Floats, interpreted_as
from trueward.engine.rows import (
    add_number,
    add_over_lines,
    fill,
    fill_over_line,
    fill_with_line,
    multiply,
    multiply_by_line,
    multiply_by_lines,
    total_of,
)

POINTS = 1201  # points per arm, at most
LEAST_POINTS = 9  # and at least
CELLS = 2_000_000  # arms times points, about
REACH = 27.0  # spreads to either side: an exponential tail, the longest that a Beta posterior has, holds 1e-12 beyond
NODES = 8  # of Gauss's rule, which are enough for any number of arms where there are hundreds of values
TIED = 600  # values, with fewer of which it takes more
NEGLIGIBLE = 1e-10  # a chance that changes no other
FIRST, LAST, LARGEST = range(3)  # of an arm: values that it does not reach, those it may be at, its largest atom
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
    fill_highest(np.array(atoms, order="C"), gauss_rules(*atoms.shape), mass)
    return mass


@compiled_if_on_disk
def fill_highest(atoms: Floats, rules: Floats, mass: Floats) -> None:
    """Fill in these probabilities."""
    below, reach, first, last = np.empty(atoms.shape), np.empty(3), 0, 0
    for arm in range(atoms.shape[0]):
        stack_up(atoms[arm], below[arm], reach)
        first, last = max(first, int(reach[FIRST])), max(last, int(reach[LAST]))
    highest_atoms(atoms, below, first, last, rules[rules.shape[0] - 1], mass)


def _stack_up(atoms: Floats, below: Floats, reach: Floats) -> None:
    quarter, level = atoms.size // 4, 0.0
    for first, last in itertools.pairwise([0, quarter, 2 * quarter, 3 * quarter, atoms.size]):
        levels = np.cumsum(np.append(0.0, atoms[first:last]))
        below[first:last] = levels[:-1] + level
        level += levels[-1]
    reach[FIRST], reach[LAST] = (below + atoms <= NEGLIGIBLE).sum(), (below < 1.0 - NEGLIGIBLE).sum()
    reach[LARGEST] = atoms.max()


@interpreted_as(_stack_up)
def stack_up(atoms: Floats, below: Floats, reach: Floats) -> None:
    """Fill in how likely an arm's draw is below each value, and how far it reaches: see `highest_atoms`.

    The four quarters are added up side by side: each sum has to wait for the one before it, but for no other.
    """
    quarter, a, b, c, d, most_a, most_b, most_c, most_d = atoms.size // 4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(quarter):
        j, k, m = quarter + i, 2 * quarter + i, 3 * quarter + i
        below[i], below[j], below[k], below[m] = a, b, c, d
        a, b, c, d = a + atoms[i], b + atoms[j], c + atoms[k], d + atoms[m]
        most_a, most_b = max(most_a, atoms[i]), max(most_b, atoms[j])
        most_c, most_d = max(most_c, atoms[k]), max(most_d, atoms[m])
    for i in range(4 * quarter, atoms.size):
        below[i], d, most_d = d, d + atoms[i], max(most_d, atoms[i])
    add_number(below[quarter : 2 * quarter], a)
    add_number(below[2 * quarter : 3 * quarter], a + b)
    add_number(below[3 * quarter :], a + b + c)
    unreached, left = 0, 0
    for value in range(atoms.size):
        unreached += below[value] + atoms[value] <= NEGLIGIBLE
        left += below[value] < 1.0 - NEGLIGIBLE
    reach[FIRST], reach[LAST], reach[LARGEST] = unreached, left, max(most_a, most_b, most_c, most_d)


@compiled_if_on_disk
def highest_atoms(atoms: Floats, below: Floats, first: int, last: int, rule: Floats, mass: Floats) -> None:
    """Fill in these probabilities, by a rule of `gauss_rules`."""
    atoms_against(atoms, atoms, below, first, last, rule, mass)
    total = 0.0
    for arm in range(mass.size):
        total += mass[arm]
    for arm in range(mass.size):
        mass[arm] /= total


@compiled_if_on_disk
def atoms_against(own: Floats, atoms: Floats, below: Floats, first: int, last: int, rule: Floats, mass: Floats) -> None:
    """Fill in how likely a draw of each arm's `own` atoms is the highest among draws of all others' `atoms`.

    The chance to win a draw with J others that tie, 1/(1 + J), is the integral of u^J: spread each atom evenly over
    [0, 1] and no ties are left. The integrand is a polynomial in u of degree arms - 1, so Gauss's rule is exact. No arm
    wins with a value below `first`, which another has next to no chance to stay below or equal, nor with one from
    `last` on, which none has a chance to reach. Values come innermost, in slices that begin at 0, so that a processor
    takes several at a time; and nodes in pairs, of which one division does for both.
    """
    n_arms, n_values, n_nodes = atoms.shape[0], last - first, int(rule[0, 0])
    nodes, products, won = rule[1], np.empty((n_nodes, n_values)), np.empty(n_values)
    for node in range(n_nodes):
        fill_with_line(products[node], rule[2, node], below[0, first:last], atoms[0, first:last], nodes[node])
    for arm in range(1, n_arms):
        lower, here = below[arm, first:last], atoms[arm, first:last]
        for node in range(0, n_nodes - 1, 2):
            multiply_by_lines(products[node], products[node + 1], lower, here, nodes[node], nodes[node + 1])
        if n_nodes % 2 == 1:
            multiply_by_line(products[n_nodes - 1], lower, here, nodes[n_nodes - 1])
    for arm in range(n_arms):
        lower, here = below[arm, first:last], atoms[arm, first:last]
        if n_nodes % 2 == 1:
            fill_over_line(won, products[n_nodes - 1], lower, here, nodes[n_nodes - 1])
        else:
            fill(won, 0.0)
        for node in range(0, n_nodes - 1, 2):
            add_over_lines(won, products[node], products[node + 1], lower, here, nodes[node], nodes[node + 1])
        multiply(won, own[arm, first:last])
        mass[arm] = total_of(won)


@functools.cache
def gauss_rules(n_arms: int, n_values: int) -> Floats:
    """Return Gauss's rules on [0, 1], with one node, with two and so on: (rules, 3, nodes).

    Of each, how many nodes it has, and how far it may be off; then the nodes, and their weights. The last is exact up
    to 16 arms, else to 1e-9. One with q nodes integrates what is left of a polynomial behind the degree 2 q - 1 wrong:
    where no atom is larger than m, the integral of an arm is off by no more than

        (q!)^4 / ((2 q + 1) ((2 q)!)^3)  *  (arms - 1)! / (arms - 1 - 2 q)!  *  m^(2 q)
    """
    most = min((n_arms + 1) // 2, max(NODES, TIED // n_values))
    rules = np.zeros((most, 3, max(2, most)))
    for q in range(1, most + 1):
        nodes, weights = np.polynomial.legendre.leggauss(q)
        left_out = math.perm(n_arms - 1, 2 * q) if q < most else 0
        rules[q - 1, 0, :2] = q, left_out * math.factorial(q) ** 4 / ((2 * q + 1) * math.factorial(2 * q) ** 3)
        rules[q - 1, 1, :q], rules[q - 1, 2, :q] = (nodes + 1.0) / 2.0, weights / 2.0
    return rules


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
