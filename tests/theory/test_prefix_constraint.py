import numpy as np
import pytest

from trueward.errors import ParameterError
from trueward.theory import first_violation, satisfies_prefix_constraint


@pytest.mark.parametrize(
    ("mask", "epsilon", "first"),
    [
        ([], 0.1, 0),
        ([0, 0, 0], 0.0, 0),
        ([0, 0, 1], 0.0, 3),
        ([1], 0.5, 1),
        ([0, 1], 0.5, 0),
        ([0, 1, 1], 0.5, 3),
        ([0, 1, 0, 1, 0, 0, 1, 1], 0.5, 0),
        ([1, 1, 1], 1.0, 0),
    ],
)
def test_first_violation_returns_the_first_reward_above_the_budget(mask, epsilon, first):
    assert first_violation(mask, epsilon=epsilon) == first
    assert satisfies_prefix_constraint(mask, epsilon=epsilon) == (first == 0)


@pytest.mark.parametrize("epsilon", [0.05, 0.1, 0.3, 0.35])
def test_prefix_constraint_accepts_an_exactly_exhausted_budget_despite_rounding(epsilon):
    # floor(epsilon n) jumps where epsilon n is whole; there floats err on either side, to n = 10^6
    n = np.arange(1, 1_000_001)
    budget = (n * round(epsilon * 100)) // 100  # in whole numbers
    mask = np.diff(budget, prepend=0)
    assert satisfies_prefix_constraint(mask, epsilon=epsilon)
    k = int(np.flatnonzero(mask)[-1])
    mask[k], mask[k - 1] = 0, 1  # the last one a reward too early
    assert first_violation(mask, epsilon=epsilon) == k


def test_bernoulli_contamination_violates_the_prefix_constraint_in_most_games():
    # exact, by dynamic programming over the number of bad rewards: 0.906 at epsilon = 0.1 within 200 pulls
    epsilon, pulls, games = 0.1, 200, 4000
    distribution = np.zeros(pulls + 1)
    distribution[0] = 1.0
    for n in range(1, pulls + 1):
        distribution[1:] = (1 - epsilon) * distribution[1:] + epsilon * distribution[:-1]
        distribution[0] *= 1 - epsilon
        distribution[int(np.floor(epsilon * n + 1e-9)) + 1 :] = 0.0
    broken = 1 - distribution.sum()
    assert broken == pytest.approx(0.906, abs=5e-4)
    masks = np.random.default_rng(3).random((games, pulls)) < epsilon
    seen = np.mean([not satisfies_prefix_constraint(mask, epsilon=epsilon) for mask in masks])
    assert abs(seen - broken) < 4 * np.sqrt(broken * (1 - broken) / games)  # four standard errors


@pytest.mark.parametrize(
    ("mask", "epsilon", "message"),
    [
        ([0, 2], 0.1, "mask must be a list of true and false"),
        ([[0, 1]], 0.1, "mask must be a list of true and false"),
        ([0, 1], 1.5, "epsilon must be at least 0 and at most 1, got 1.5"),
    ],
)
def test_prefix_constraint_functions_name_the_invalid_parameter(mask, epsilon, message):
    with pytest.raises(ParameterError, match=message):
        satisfies_prefix_constraint(mask, epsilon=epsilon)
