import numpy as np
import pytest
from scipy.optimize import linprog
from scipy.stats import binom

from trueward.errors import ParameterError
from trueward.theory import hidden_distance, identifiability_threshold, identifiable, total_variation
from trueward.theory.identifiability import CONTAMINATION_MODELS

SCALE = np.arange(11)
BEST, OTHER = binom.pmf(SCALE, 10, 0.9), binom.pmf(SCALE, 10, 0.8)


def random_pairs(count=15, size=6):
    rng = np.random.default_rng(8)
    return [rng.dirichlet(np.full(size, 0.7), 2) for _ in range(count)]


def least_contamination(p, q, model):
    """Return, by linear programming, the smallest epsilon that gives both arms the same distribution r.

    Variables: epsilon, r, and for replacement the positive parts u >= p - r and v >= q - r.
    """
    k = len(p)
    cost = np.r_[1, np.zeros(3 * k)]
    eye, zero, one = np.eye(k), np.zeros((k, k)), np.ones((1, k))
    if model == "mixture":  # r >= (1 - epsilon) p and r >= (1 - epsilon) q
        less = np.vstack([np.c_[-distribution, -eye, zero, zero] for distribution in (p, q)])
        limit = np.r_[-p, -q]
    else:  # sum (p - r)_+ <= epsilon, and the same for q, or r = p
        less = np.vstack(
            [
                np.c_[np.zeros(k), -eye, -eye, zero],
                np.c_[np.zeros(k), -eye, zero, -eye],
                np.c_[-1, np.zeros((1, k)), one, np.zeros((1, k))],
                np.c_[-1, np.zeros((1, k)), np.zeros((1, k)), one],
            ]
        )
        limit = np.r_[-p, -q, 0, 0]
    equal, total = np.c_[0, one, np.zeros((1, 2 * k))], [1.0]
    if model == "one-sided":
        equal, total = np.vstack([equal, np.c_[np.zeros(k), eye, zero, zero]]), [1.0, *p]
    solution = linprog(cost, A_ub=less, b_ub=limit, A_eq=equal, b_eq=total, bounds=(0, None))
    assert solution.status == 0
    return solution.fun


def test_total_variation_of_the_two_paper_arms():
    assert total_variation(BEST, OTHER) == pytest.approx(0.3602893, abs=5e-8)


def test_total_variation_is_the_largest_difference_over_all_events():
    for p, q in random_pairs():
        events = (np.arange(2**6)[:, None] >> np.arange(6)) & 1
        assert total_variation(p, q) == pytest.approx(np.abs(events @ (p - q)).max())


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
def test_identifiability_threshold_solves_its_linear_program(model):
    for p, q in [*random_pairs(), (BEST, OTHER)]:
        threshold = identifiability_threshold(total_variation(p, q), model=model)
        assert threshold == pytest.approx(least_contamination(p, q, model), abs=1e-7)


@pytest.mark.parametrize(("model", "value"), [("mixture", 0.265), ("replacement", 0.180), ("one-sided", 0.360)])
def test_identifiability_threshold_of_the_two_paper_arms(model, value):
    assert identifiability_threshold(total_variation(BEST, OTHER), model=model) == pytest.approx(value, abs=5e-4)
    assert identifiable(BEST, OTHER, epsilon=value - 0.001, model=model)
    assert not identifiable(BEST, OTHER, epsilon=value + 0.001, model=model)


def test_least_favourable_mixture_has_a_closed_form():
    tv = total_variation(BEST, OTHER)
    epsilon = identifiability_threshold(tv, model="mixture")
    seen = np.maximum(BEST, OTHER) / (1 + tv)
    for distribution in (BEST, OTHER):
        contamination = (seen - (1 - epsilon) * distribution) / epsilon
        assert contamination.min() > -1e-12
        assert contamination.sum() == pytest.approx(1)


def test_one_sided_mixture_can_need_more_than_the_total_variation():
    # to make q look like p by adding alone, epsilon >= 1 - min p/q: more than TV unless p/q takes two values
    epsilon = 1 - (BEST / OTHER).min()
    assert epsilon > 0.999 > identifiability_threshold(total_variation(BEST, OTHER), model="one-sided")


@pytest.mark.parametrize("model", CONTAMINATION_MODELS)
def test_hidden_distance_is_the_inverse_of_the_threshold(model):
    for tv in np.linspace(0, 1, 11):
        epsilon = identifiability_threshold(tv, model=model)
        assert hidden_distance(epsilon, model=model) == pytest.approx(tv)
    assert hidden_distance(1.0, model=model) == 1.0


def test_equal_arms_are_never_identifiable_and_disjoint_arms_up_to_one_half():
    assert not identifiable([0.5, 0.5], [0.5, 0.5], epsilon=0)
    assert identifiable([1, 0], [0, 1], epsilon=0.49)
    assert not identifiable([1, 0], [0, 1], epsilon=0.5)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: total_variation([0.5, 0.6], [0.5, 0.5]), "p must add up to 1, got a sum of 1.1"),
        (lambda: total_variation([0.5, 0.5], [1.0]), "q must have as many entries as p, 2, got 1"),
        (lambda: total_variation([1.5, -0.5], [0.5, 0.5]), r"p\[0\] must be at least 0 and at most 1"),
        (lambda: identifiability_threshold(1.2), "tv must be at least 0 and at most 1, got 1.2"),
        (lambda: identifiable([1], [1], epsilon=-0.1), "epsilon must be at least 0 and at most 1, got -0.1"),
        (lambda: hidden_distance(0.1, model="huber"), "model must be one of 'mixture'"),
    ],
)
def test_identifiability_functions_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()
