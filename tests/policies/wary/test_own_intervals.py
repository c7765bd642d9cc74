"""The interval of an arm's own ratings: it covers on clean ratings, whatever their distribution."""

import numpy as np
import pytest
from scipy.stats import beta

import trueward as tw
from loading import script
from trueward.engine.protocol import make_observation, update
from trueward.errors import ParameterError
from trueward.policies.wary.summary import own_intervals

coverage = script("wary_intervals")


@pytest.mark.parametrize("n", coverage.SIZES)
@pytest.mark.parametrize("n_ratings", [5, 7, 11])
@pytest.mark.parametrize("kind", coverage.first_arms(11))
def test_95_percent_interval_misses_at_most_8_percent_of_clean_samples(kind, n_ratings, n):
    """2,000 samples: the standard error of 6.5 % is .55 %."""
    pmf = coverage.first_arms(n_ratings)[kind]
    counts = np.random.default_rng(0).multinomial(n, pmf, 2000)
    low, high = own_intervals(counts, 0.95)
    mean = pmf @ np.linspace(0, 1, n_ratings)
    assert ((low > mean) | (high < mean)).mean() <= 0.08


def test_interval_on_two_values_is_that_of_jeffreys():
    low, high = own_intervals(np.array([[3, 7], [0, 5]]), 0.9)
    np.testing.assert_allclose(low, beta.ppf(0.05, [7.5, 5.5], [3.5, 0.5]))
    np.testing.assert_allclose(high, beta.ppf(0.95, [7.5, 5.5], [3.5, 0.5]))


def test_interval_has_the_quantiles_of_the_bayesian_bootstrap():
    """Drawn from the Dirichlet posterior, with half a rating at either end."""
    counts = np.array([2, 0, 5, 9, 14])
    prior = np.array([0.5, 1e-9, 1e-9, 1e-9, 0.5])
    draws = np.random.default_rng(0).dirichlet(counts + prior, 100_000)
    expected = np.quantile(draws @ np.linspace(0, 1, 5), [0.025, 0.975])
    np.testing.assert_allclose(np.ravel(own_intervals(counts[None], 0.95)), expected, atol=0.005)


def state_after(policy, ratings, n_arms=2):
    state = policy.start(n_arms, signals=("check",))
    for i, rating in enumerate(ratings):
        seen = make_observation(0, rating, n_arms=n_arms, t=i + 1, evidence=(float(i % 2),))
        update(state, seen, np.random.default_rng(0))
    return state


def test_intervals_are_in_units_of_the_scale_and_nan_with_fewer_than_ten_ratings():
    policy, ratings = tw.Wary((1, 5)), [1, 4, 4, 5, 5, 5, 3, 3, 3, 3]
    low, high = policy.intervals(state_after(policy, ratings))
    expected = own_intervals(np.array([[1, 0, 4, 2, 3]]), 0.95)
    assert (low[0], high[0]) == pytest.approx((1 + 4 * expected[0][0], 1 + 4 * expected[1][0]))
    assert np.isnan([low[1], high[1]]).all()
    assert np.isnan(policy.intervals(state_after(policy, ratings[:9]))).all()


def test_higher_level_gives_wider_intervals():
    policy = tw.Wary((0, 10))
    state = state_after(policy, [8 - i % 2 for i in range(20)], n_arms=1)
    widths = [float(np.diff(np.ravel(policy.intervals(state, level)))[0]) for level in (0.5, 0.9, 0.99)]
    assert widths == sorted(set(widths))


@pytest.mark.parametrize("level", [0, 1, "high"])
def test_level_that_is_no_probability_is_refused(level):
    policy = tw.Wary((0, 10))
    with pytest.raises(ParameterError, match=r"^level must be "):
        policy.intervals(state_after(policy, [5], n_arms=1), level)


def test_ratings_counted_at_once_give_the_state_of_ratings_one_by_one():
    rng, policy = np.random.default_rng(0), tw.Wary((0, 10))
    arms, ratings = rng.integers(0, 3, 77), rng.integers(0, 11, 77)
    at_once, state = coverage.learned(policy, arms, ratings.astype(float), 3), policy.start(3)
    for t, (arm, rating) in enumerate(zip(arms.tolist(), ratings.tolist(), strict=True), 1):
        update(state, make_observation(arm, rating, n_arms=3, t=t), rng)
    for one, other in zip(at_once.timeline, state.timeline, strict=True):
        np.testing.assert_array_equal(one, other)


def test_coverage_script_prints_a_row_for_each_number_of_ratings(monkeypatch):
    monkeypatch.setattr(coverage, "SIZES", (20,))
    monkeypatch.setattr(coverage, "HORIZONS", ())
    *_, row = coverage.rows(5, "60 to 40", 5, 0)
    assert row.startswith("| love or hate, 60 to 40 | 20 of each arm | ")


def test_intervals_of_arms_that_wary_chose_miss_at_most_8_percent():
    """40 games of 60 ratings on five arms: 200 intervals, whose 5 % have a standard error of 1.5 %."""
    misses = coverage.adaptive("15 % zeros", 5, 60, 40, 0, compiled=False)
    assert misses.own_all <= 0.08
