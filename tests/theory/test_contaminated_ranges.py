from statistics import NormalDist

import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom, norm

from trueward.errors import ParameterError
from trueward.theory import contaminated_mean_range, median_range

SCALE = np.arange(11.0)


def distribution(p):
    return SCALE, binom.pmf(SCALE, 10, p)


def random_pmfs(count=20):
    rng = np.random.default_rng(4)
    return [(rng.permutation(SCALE), rng.dirichlet(np.full(11, 0.5))) for _ in range(count)]


def median_interval(values, p):
    """Return the lowest and the highest value that splits the mass in halves."""
    order = np.argsort(values)
    below = np.cumsum(p[order])
    return values[order][np.argmax(below >= 0.5 - 1e-12)], values[order][np.argmax(below > 0.5 + 1e-12)]


def moved(values, p, epsilon, model, to):
    """Return the distribution after contamination that sends mass epsilon to the value `to`, 100 or -100."""
    p = p.copy()
    if model == "mixture":
        p *= 1 - epsilon
    else:
        left = epsilon
        for i in np.argsort(values * np.sign(to)):  # from the far end
            taken = min(left, p[i])
            p[i], left = p[i] - taken, left - taken
    return np.r_[values, to], np.r_[p, epsilon]


@pytest.mark.parametrize("model", ["mixture", "replacement"])
@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.2, 0.4])
def test_median_range_equals_the_effect_of_mass_moved_far_away(model, epsilon):
    for values, p in random_pmfs():
        low, high = median_range((values, p), epsilon=epsilon, model=model)
        assert low == median_interval(*moved(values, p, epsilon, model, -100.0))[0]
        assert high == median_interval(*moved(values, p, epsilon, model, 100.0))[1]


@pytest.mark.parametrize("model", ["mixture", "replacement"])
@pytest.mark.parametrize(("p", "median"), [(0.9, 9), (0.8, 8)])
def test_median_range_of_the_paper_arms_is_a_point_at_ten_percent(p, median, model):
    assert median_range(distribution(p), epsilon=0.1, model=model) == (median, median)
    assert median_range(distribution(p), epsilon=0.2, model="replacement") != (median, median)


def test_median_range_of_a_gaussian_is_given_by_its_quantiles():
    quantile = NormalDist(5, 2).inv_cdf
    low, high = median_range(quantile, epsilon=0.1)
    assert high == pytest.approx(5 + 2 * norm.ppf(0.5 + 0.1 / 1.8))
    assert low == pytest.approx(10 - high)
    assert median_range(quantile, epsilon=0.1, model="replacement")[1] == pytest.approx(5 + 2 * norm.ppf(0.6))


def replacement_extremes(values, p, epsilon):
    """Return min and max of the mean over distributions r with sum (p - r)_+ <= epsilon, by linear programming."""
    k = len(p)
    less = np.vstack([np.c_[-np.eye(k), -np.eye(k)], np.r_[np.zeros(k), np.ones(k)]])
    limit, equal = np.r_[-p, epsilon], [np.r_[np.ones(k), np.zeros(k)]]
    ends = [linprog(s * np.r_[values, np.zeros(k)], A_ub=less, b_ub=limit, A_eq=equal, b_eq=[1]) for s in (1, -1)]
    return ends[0].fun, -ends[1].fun


@pytest.mark.parametrize("epsilon", [0.0, 0.05, 0.3])
def test_replacement_mean_range_solves_its_linear_program(epsilon):
    for values, p in random_pmfs(8):
        ends = contaminated_mean_range((values, p), epsilon=epsilon, range=(0, 10), model="replacement")
        assert ends == pytest.approx(replacement_extremes(values, p, epsilon), abs=1e-7)


def test_mixture_mean_range_has_hand_computed_value():
    low, high = contaminated_mean_range(distribution(0.9), epsilon=0.1, range=(0, 10))
    assert (low, high) == pytest.approx((8.1, 9.1))


def test_replacement_mean_range_contains_the_mixture_mean_range():
    for values, p in random_pmfs():
        mixed = contaminated_mean_range((values, p), epsilon=0.2, range=(0, 10))
        replaced = contaminated_mean_range((values, p), epsilon=0.2, range=(0, 10), model="replacement")
        assert replaced[0] <= mixed[0] <= mixed[1] <= replaced[1]


def test_replacement_by_high_values_does_not_lower_the_mean():
    low, high = contaminated_mean_range(([0, 1], [0.5, 0.5]), epsilon=0.1, range=(2, 3), model="replacement")
    assert low == 0.5
    assert high == pytest.approx(0.8)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: median_range(distribution(0.9), epsilon=0.5), "epsilon must be at least 0 and below 0.5, got 0.5"),
        (lambda: median_range(([1, 2], [1.0]), epsilon=0.1), "probabilities must be as many as the values, 2, got 1"),
        (
            lambda: median_range(distribution(0.9), epsilon=0.1, model="one-sided"),
            "model must be one of 'mixture', 'repl",
        ),
        (
            lambda: contaminated_mean_range(distribution(0.9), epsilon=0.1, range=(1, 0)),
            "range must have low below high",
        ),
        (lambda: contaminated_mean_range(([1], [0.5]), epsilon=0.1, range=(0, 1)), "probabilities must add up to 1"),
    ],
)
def test_contaminated_range_functions_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
