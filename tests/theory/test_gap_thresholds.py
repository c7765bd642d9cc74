import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import linprog
from scipy.stats import norm

from trueward.errors import ParameterError
from trueward.theory import (
    bernoulli_example,
    bounded_gap_threshold,
    gaussian_gap_threshold,
    hidden_distance,
    identifiable,
    subgaussian_gap_range,
)
from trueward.theory.identifiability import CONTAMINATION_MODELS

EPSILONS = (0.01, 0.05, 0.1, 0.2, 0.3)


@pytest.mark.parametrize(("epsilon", "gap"), [(0.05, 0.1320), (0.1, 0.2794), (0.2, 0.6373)])
def test_gaussian_gap_threshold_under_mixture_matches_the_closed_form(epsilon, gap):
    assert gaussian_gap_threshold(epsilon, sigma=1) == pytest.approx(gap, abs=5e-5)
    closed = 2 * 3 * norm.ppf(1 / (2 * (1 - epsilon)))
    assert gaussian_gap_threshold(epsilon, sigma=3) == pytest.approx(closed)


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_gaussians_at_the_gap_threshold_have_the_hidden_distance(epsilon, model):
    gap = gaussian_gap_threshold(epsilon, sigma=1, model=model)
    tv = quad(lambda x: max(norm.pdf(x) - norm.pdf(x - gap), 0), -12, gap / 2)[0]
    assert tv == pytest.approx(hidden_distance(epsilon, model=model), abs=1e-7)


@pytest.mark.parametrize("model", ["mixture", "replacement"])
def test_gap_thresholds_are_maximal_from_epsilon_one_half(model):
    assert gaussian_gap_threshold(0.5, sigma=1, model=model) == math.inf
    assert subgaussian_gap_range(0.5, sigma=1, model=model) == (math.inf, math.inf)
    assert bounded_gap_threshold(0.5, width=3, model=model) == 3


def test_gap_thresholds_are_zero_without_contamination():
    assert gaussian_gap_threshold(0, sigma=1) == bounded_gap_threshold(0, width=1) == 0
    assert subgaussian_gap_range(0, sigma=1) == (0, 0)


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_bounded_gap_threshold_solves_its_linear_program(epsilon, model):
    # linear program over p, q on a grid of [0, 10], and w >= p - q with sum w <= the distance
    x, k = np.linspace(0, 10, 9), 9
    eye = np.eye(k)
    less = np.vstack([np.c_[eye, -eye, -eye], np.r_[np.zeros(2 * k), np.ones(k)]])
    limit = np.r_[np.zeros(k), hidden_distance(epsilon, model=model)]
    equal = np.vstack([np.r_[np.ones(k), np.zeros(2 * k)], np.r_[np.zeros(k), np.ones(k), np.zeros(k)]])
    solution = linprog(np.r_[-x, x, np.zeros(k)], A_ub=less, b_ub=limit, A_eq=equal, b_eq=[1, 1])
    assert bounded_gap_threshold(epsilon, width=10, model=model) == pytest.approx(-solution.fun)


def test_bounded_gap_threshold_reaches_one_point_at_five_percent_replacement():
    assert bounded_gap_threshold(0.05, width=10, model="replacement") == pytest.approx(1.0)
    assert bounded_gap_threshold(1 / 11, width=10, model="mixture") == pytest.approx(1.0)


def two_point_pair(epsilon, sigma, model):
    """Return values, p and q: mass delta on +v or on -v, the rest on 0."""
    delta = hidden_distance(epsilon, model=model)
    v = subgaussian_gap_range(epsilon, sigma=sigma, model=model)[0] / (2 * delta)
    return np.array([-v, 0, v]), np.array([0, 1 - delta, delta]), np.array([delta, 1 - delta, 0])


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
@pytest.mark.parametrize("epsilon", [0.01, 0.05, 0.1, 0.2])
def test_subgaussian_gap_range_low_is_attained_by_a_hidden_pair(epsilon, model):
    x, p, q = two_point_pair(epsilon, 2.0, model)
    assert not identifiable(p, q, epsilon=epsilon + 1e-9, model=model)
    assert p @ x - q @ x == pytest.approx(subgaussian_gap_range(epsilon, sigma=2.0, model=model)[0])
    # and it is sub-Gaussian: ln E exp(s (X - mean)) <= sigma^2 s^2 / 2, with equality somewhere
    s = np.linspace(-8, 8, 4001)
    log_mgf = np.log(np.exp(np.outer(s, x - p @ x)) @ p)
    assert (log_mgf <= 2.0 * s**2 + 1e-9).all()
    assert (log_mgf[s > 0] / (2.0 * s[s > 0] ** 2)).max() > 0.999


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subgaussian_gap_range_is_ordered_and_above_the_gaussian_threshold(epsilon, model):
    low, high = subgaussian_gap_range(epsilon, sigma=1, model=model)
    assert gaussian_gap_threshold(epsilon, sigma=1, model=model) < high
    assert low <= high


def test_subgaussian_gap_range_closes_as_epsilon_vanishes():
    low, high = subgaussian_gap_range(1e-6, sigma=1)
    assert high / low == pytest.approx(1, abs=1e-5)
    assert low / (2e-6 * math.sqrt(2 * math.log(1e6))) == pytest.approx(1, abs=1e-5)


def test_subgaussian_gap_range_high_exceeds_the_gap_from_a_gaussian_tail():
    # the worst event of mass delta is a tail; the normal distribution comes close for small delta
    for delta in (0.001, 0.01, 0.1):
        moved = norm.pdf(norm.isf(delta)) / (1 - delta)  # E[X | X below the tail] of a standard normal
        high = subgaussian_gap_range(delta, sigma=1, model="one-sided")[1]
        assert 0.4 * high < 2 * moved < high


@pytest.mark.parametrize(("p", "gap"), [(0.5, 0.1), (0.9, 0.3), (1.0, 0.2)])
def test_bernoulli_example_makes_the_two_arms_equal(p, gap):
    both, worse_arm, worse_arm_unseen = bernoulli_example(p, gap=gap)
    worse = p - gap
    assert worse + worse_arm == pytest.approx(p)  # zeros become ones, with mass epsilon
    assert (1 - worse_arm_unseen) * worse + worse_arm_unseen == pytest.approx(p)  # any reward becomes a one
    assert worse + both == pytest.approx(p - both)  # and the best arm's ones become zeros
    assert not identifiable([1 - p, p], [1 - worse, worse], epsilon=both + 1e-12, model="replacement")
    assert identifiable([1 - p, p], [1 - worse, worse], epsilon=both - 1e-6, model="replacement")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: gaussian_gap_threshold(1.5, sigma=1), "epsilon must be at least 0 and at most 1, got 1.5"),
        (lambda: gaussian_gap_threshold(0.1, sigma=0), "sigma must be above 0, got 0"),
        (lambda: bounded_gap_threshold(0.1, width=-1), "width must be above 0, got -1"),
        (lambda: subgaussian_gap_range(0.1, sigma=1, model="x"), "model must be one of"),
        (
            lambda: bernoulli_example(0.5, gap=0.6),
            "gap must be above 0 and at most 0.5, got 0.6",
        ),
    ],
)
def test_gap_threshold_functions_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
