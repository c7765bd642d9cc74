"""The probability that each arm is the best, for independent posteriors, by quadrature."""

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

MAX_POINTS = 1201  # of the grid, per arm
MIN_POINTS = 9
MAX_EVALUATIONS = 2_000_000  # approximate limit on arms times grid points
REACH = 27.0  # sds to either side: an exponential tail, the longest of any Beta posterior, has mass 1e-12 beyond
JUMPS = (0.0, 1.0)  # where the density of a Beta posterior may jump: these points must be on the grid
NODES = 8  # of the quadrature rule, enough for any number of arms if there are hundreds of values
FEW_VALUES = 600  # with fewer values, more draws tie, and the rule needs more nodes
NEGLIGIBLE = 1e-10  # a probability that does not affect the others
FIRST_VALUE, STOP_VALUE, LARGEST_MASS = range(3)  # the columns of an arm's extent, see `cumulate`


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
    """Return the probability that each arm's draw is the highest, ties broken at random; `pmf` is (arms, values)."""
    probabilities = np.empty(pmf.shape[0])
    fill_best_arm_probabilities(np.array(pmf, order="C"), gauss_legendre_rules(*pmf.shape), probabilities)
    return probabilities


@compiled_if_on_disk
def fill_best_arm_probabilities(pmf: Floats, rules: Floats, probabilities: Floats) -> None:
    below, extent, first, stop = np.empty(pmf.shape), np.empty(3), 0, 0
    for arm in range(pmf.shape[0]):
        cumulate(pmf[arm], below[arm], extent)
        first, stop = max(first, int(extent[FIRST_VALUE])), max(stop, int(extent[STOP_VALUE]))
    best_arm_probabilities_by_rule(pmf, below, first, stop, rules[rules.shape[0] - 1], probabilities)


def _cumulate_with_numpy(pmf: Floats, below: Floats, extent: Floats) -> None:
    quarter, level = pmf.size // 4, 0.0
    for first, last in itertools.pairwise([0, quarter, 2 * quarter, 3 * quarter, pmf.size]):
        levels = np.cumsum(np.append(0.0, pmf[first:last]))
        below[first:last] = levels[:-1] + level
        level += levels[-1]
    extent[FIRST_VALUE], extent[STOP_VALUE] = (below + pmf <= NEGLIGIBLE).sum(), (below < 1.0 - NEGLIGIBLE).sum()
    extent[LARGEST_MASS] = pmf.max()


@interpreted_as(_cumulate_with_numpy)
def cumulate(pmf: Floats, below: Floats, extent: Floats) -> None:
    """Fill in P(draw < value) for one arm, and its extent.

    The extent is the first likely value, one past the last likely value, and the largest mass.

    The four quarters are summed side by side: each addition waits for the one before it in its quarter, but for no
    other.
    """
    quarter, a, b, c, d, most_a, most_b, most_c, most_d = pmf.size // 4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(quarter):
        j, k, m = quarter + i, 2 * quarter + i, 3 * quarter + i
        below[i], below[j], below[k], below[m] = a, b, c, d
        a, b, c, d = a + pmf[i], b + pmf[j], c + pmf[k], d + pmf[m]
        most_a, most_b = max(most_a, pmf[i]), max(most_b, pmf[j])
        most_c, most_d = max(most_c, pmf[k]), max(most_d, pmf[m])
    for i in range(4 * quarter, pmf.size):
        below[i], d, most_d = d, d + pmf[i], max(most_d, pmf[i])
    add_number(below[quarter : 2 * quarter], a)
    add_number(below[2 * quarter : 3 * quarter], a + b)
    add_number(below[3 * quarter :], a + b + c)
    first, stop = 0, 0
    for value in range(pmf.size):
        first += below[value] + pmf[value] <= NEGLIGIBLE
        stop += below[value] < 1.0 - NEGLIGIBLE
    extent[FIRST_VALUE], extent[STOP_VALUE], extent[LARGEST_MASS] = first, stop, max(most_a, most_b, most_c, most_d)


@compiled_if_on_disk
def best_arm_probabilities_by_rule(
    pmf: Floats, below: Floats, first: int, stop: int, rule: Floats, probabilities: Floats
) -> None:
    """Fill in the probability that each arm's draw is the highest, with one of the `gauss_legendre_rules`."""
    win_probabilities(pmf, pmf, below, first, stop, rule, probabilities)
    total = 0.0
    for arm in range(probabilities.size):
        total += probabilities[arm]
    for arm in range(probabilities.size):
        probabilities[arm] /= total


@compiled_if_on_disk
def win_probabilities(
    own_pmf: Floats, pmf: Floats, below: Floats, first: int, stop: int, rule: Floats, probabilities: Floats
) -> None:
    """Fill in how likely a draw from each arm's `own_pmf` is the highest among draws from the other arms' `pmf`.

    The probability of winning a tie with J other arms, 1 / (1 + J), is the integral of u^J: if each atom is spread
    evenly over [0, 1], there are no ties left. The integrand is a polynomial in u of degree arms - 1, for which
    Gauss-Legendre quadrature is exact. No arm wins with a value below `first`, because some other arm almost surely
    exceeds it, nor with a value from `stop` on, which no arm reaches. Values are the innermost loop, in slices that
    start at 0, so that the processor handles several at a time; nodes come in pairs, which share one division.
    """
    n_arms, n_values, n_nodes = pmf.shape[0], stop - first, int(rule[0, 0])
    nodes, products, won = rule[1], np.empty((n_nodes, n_values)), np.empty(n_values)
    for node in range(n_nodes):
        fill_with_line(products[node], rule[2, node], below[0, first:stop], pmf[0, first:stop], nodes[node])
    for arm in range(1, n_arms):
        lower, here = below[arm, first:stop], pmf[arm, first:stop]
        for node in range(0, n_nodes - 1, 2):
            multiply_by_lines(products[node], products[node + 1], lower, here, nodes[node], nodes[node + 1])
        if n_nodes % 2 == 1:
            multiply_by_line(products[n_nodes - 1], lower, here, nodes[n_nodes - 1])
    for arm in range(n_arms):
        lower, here = below[arm, first:stop], pmf[arm, first:stop]
        if n_nodes % 2 == 1:
            fill_over_line(won, products[n_nodes - 1], lower, here, nodes[n_nodes - 1])
        else:
            fill(won, 0.0)
        for node in range(0, n_nodes - 1, 2):
            add_over_lines(won, products[node], products[node + 1], lower, here, nodes[node], nodes[node + 1])
        multiply(won, own_pmf[arm, first:stop])
        probabilities[arm] = total_of(won)


@functools.cache
def gauss_legendre_rules(n_arms: int, n_values: int) -> Floats:
    """Return the Gauss-Legendre rules on [0, 1] with 1, 2, … nodes: (rules, 3, nodes).

    Row 0 of a rule has its number of nodes and its error factor, row 1 the nodes, row 2 the weights. The last rule is
    exact up to 16 arms, and accurate to 1e-9 beyond. A rule with q nodes is exact up to degree 2 q - 1. If no atom is
    larger than m, its error for one arm is at most

        (q!)^4 / ((2 q + 1) ((2 q)!)^3)  *  (arms - 1)! / (arms - 1 - 2 q)!  *  m^(2 q)
    """
    max_nodes = min((n_arms + 1) // 2, max(NODES, FEW_VALUES // n_values))
    rules = np.zeros((max_nodes, 3, max(2, max_nodes)))
    for q in range(1, max_nodes + 1):
        nodes, weights = np.polynomial.legendre.leggauss(q)
        remaining = math.perm(n_arms - 1, 2 * q) if q < max_nodes else 0
        rules[q - 1, 0, :2] = q, remaining * math.factorial(q) ** 4 / ((2 * q + 1) * math.factorial(2 * q) ** 3)
        rules[q - 1, 1, :q], rules[q - 1, 2, :q] = (nodes + 1.0) / 2.0, weights / 2.0
    return rules
