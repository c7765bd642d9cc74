"""The two heavy computations of Wary, written as array expressions for studies and as loops for games.

NumPy runs array expressions fast, and Numba compiles loops fast. Both forms give the same numbers up to rounding.
"""

import math
from typing import Any

import numpy as np
from numba.extending import overload, register_jitable

from trueward.engine.kernel import Floats, Ints
from trueward.policies.wary.constants import NEGLIGIBLE

OPTIONS: Any = {"error_model": "numpy"}


def condition(log_prior: Floats, log_likelihood: Floats, counts: Ints, posterior: Floats) -> Floats:
    """Fill in the posterior of the mean in each cell, and return the log evidence of each cell.

        posterior = prior L^counts / evidence,    evidence = sum over the means of prior L^counts

    Shapes: `log_prior` and `posterior` (cells, means), `log_likelihood` (ratings, cells * means), `counts` (ratings,).
    """
    log_weights = log_prior + (counts @ log_likelihood).reshape(log_prior.shape)
    top = log_weights.max(axis=1, keepdims=True)
    np.exp(log_weights - top, out=posterior)
    total = posterior.sum(axis=1, keepdims=True)
    posterior /= total
    return np.asarray((top + np.log(total)).ravel())


@overload(condition, jit_options=OPTIONS, strict=False)
def _compile_condition(*_: Any) -> Any:
    def loop(log_prior: Floats, log_likelihood: Floats, counts: Ints, posterior: Floats) -> Floats:
        n_cells, n_means = log_prior.shape
        log_weights, log_evidence = np.empty(n_means), np.empty(n_cells)
        for cell in range(n_cells):
            for m in range(n_means):
                log_weights[m] = log_prior[cell, m]
            for rating in range(counts.size):
                if counts[rating] > 0:
                    for m in range(n_means):
                        log_weights[m] += counts[rating] * log_likelihood[rating, cell * n_means + m]
            top, total = log_weights.max(), 0.0
            for m in range(n_means):
                relative = log_weights[m] - top
                posterior[cell, m] = math.exp(relative) if relative > NEGLIGIBLE else 0.0
                total += posterior[cell, m]
            for m in range(n_means):
                posterior[cell, m] /= total
            log_evidence[cell] = top + math.log(total)
        return log_evidence

    return loop


def log_rising(counts: Ints, table: Floats, mass: float) -> Floats:
    """Return ln Gamma(c + mass) - ln Gamma(mass) of counts: from a table, or beyond its end from ln Gamma."""
    if counts.max(initial=0) < table.size:
        return np.asarray(table[counts])
    from scipy.special import gammaln

    return np.asarray(gammaln(counts + mass) - gammaln(mass))


def log_marginals(before: Ints, first: int, last: int, prior: Any) -> Floats:
    """Return the log probability of the ratings, if those from piece `first` to before each later piece are apart.

        ln D(inside) + ln D(outside),    D a Dirichlet-multinomial for each arm

    `before` is (pieces + 1, arms, ratings): the counts before each piece. The result is for `first` < piece <= `last`.
    """
    inside = before[first + 1 : last + 1] - before[first]
    tables = np.array([inside, before[-1] - inside])  # (2, intervals, arms, ratings)
    by_rating = log_rising(tables, prior.by_rating, prior.mass / before.shape[2])
    by_arm = log_rising(tables.sum(axis=3), prior.by_arm, prior.mass)
    return np.asarray(by_rating.sum(axis=(0, 2, 3)) - by_arm.sum(axis=(0, 2)))


@overload(log_marginals, jit_options=OPTIONS, strict=False)
def _compile_log_marginals(*_: Any) -> Any:
    def loop(before: Ints, first: int, last: int, prior: Any) -> Floats:
        _, n_arms, n_ratings = before.shape
        mass = prior.mass / n_ratings
        result = np.zeros(last - first)
        for i in range(last - first):
            for arm in range(n_arms):
                n_inside, n_outside = 0, 0
                for rating in range(n_ratings):
                    inside = before[first + 1 + i, arm, rating] - before[first, arm, rating]
                    outside = before[-1, arm, rating] - inside
                    result[i] += one_log_rising(inside, prior.by_rating, mass)
                    result[i] += one_log_rising(outside, prior.by_rating, mass)
                    n_inside, n_outside = n_inside + inside, n_outside + outside
                result[i] -= one_log_rising(n_inside, prior.by_arm, prior.mass)
                result[i] -= one_log_rising(n_outside, prior.by_arm, prior.mass)
        return result

    return loop


@register_jitable(**OPTIONS)
def one_log_rising(count: int, table: Floats, mass: float) -> float:
    return table[count] if count < table.size else math.lgamma(count + mass) - math.lgamma(mass)
