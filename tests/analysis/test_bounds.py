"""The lower bound of a robust interval."""

import numpy as np
import pytest

from trueward.analysis.betting import log_wealth
from trueward.analysis.bounds import lower_bound, lower_bound_given_count, value_counts

BADS = ("careless", "capped", "chosen")


CLICKS = np.array([0.0, 1.0])


def sample(n, seed=0, p=0.9):
    return np.random.default_rng(seed).binomial(10, p, n).astype(float)


@pytest.mark.parametrize("bad", BADS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_lower_bound_is_the_first_mean_that_is_not_ruled_out(bad, epsilon):
    values, counts = value_counts(sample(80) / 10)
    grid = np.linspace(0.001, 0.999, 999)
    open_ = [m for m in grid if log_wealth(values, counts, m, epsilon=epsilon, bad=bad) <= np.log(40)]
    assert lower_bound((values, counts), delta=0.025, epsilon=epsilon, bad=bad) == pytest.approx(open_[0], abs=0.001)


@pytest.mark.parametrize("bad", BADS)
def test_lower_bound_is_zero_without_ratings_or_if_all_may_be_bad(bad):
    assert lower_bound(value_counts(np.zeros(0)), delta=0.05, bad=bad) == 0.0
    assert lower_bound(value_counts(np.ones(50)), delta=0.05, epsilon=1.0, bad=bad) == 0.0


def test_lower_bound_given_count_equals_lower_bound_of_the_same_share():
    x = value_counts(sample(50) / 10)
    for bad in ("capped", "chosen"):
        assert lower_bound_given_count(x, 5, delta=0.05, bad=bad) == pytest.approx(
            lower_bound(x, delta=0.05, epsilon=0.1, bad=bad), abs=1e-8
        )


def test_interval_of_rare_clicks_shrinks_with_root_n_up_to_ten_million():
    widths = []
    for n in (10**5, 10**6, 10**7):
        clicks, others = 0.05 * n, 0.95 * n
        low = lower_bound((CLICKS, np.array([others, clicks])), delta=0.025)
        high = 1 - lower_bound((CLICKS, np.array([clicks, others])), delta=0.025)
        widths.append((high - low) * np.sqrt(n))
    np.testing.assert_allclose(widths, widths[0], rtol=0.06)  # a hundred times the ratings: by a root of ln n


def test_careless_bound_is_close_to_the_trimmed_mean_for_large_samples():
    x = sample(10**6) / 10
    top = np.sort(1 - x)[-(10**5) :]  # mirrored: contamination hides on the long side
    trimmed = 1 - ((1 - x).sum() - top.sum()) / 0.9e6
    high = 1 - lower_bound(value_counts(1 - x), delta=0.025, epsilon=0.1)
    alone = 1 - ((1 - x).mean() - 0.1) / 0.9  # the bet without clipping
    assert trimmed < high < trimmed + 0.005 < alone


def test_value_counts_rounds_many_values_outwards_by_less_than_a_thousandth():
    x = np.random.default_rng(0).random(3000)
    exact = lower_bound((np.append(0.0, np.sort(x)), np.append(0.0, np.ones(3000))), delta=0.025)
    rounded = lower_bound(value_counts(x), delta=0.025)
    assert exact - 0.001 < rounded <= exact
