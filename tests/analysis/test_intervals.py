"""Robust intervals: their ends, their three parts, and how wide they are."""

import itertools

import numpy as np
import pytest

import trueward as tw
from hedged_capital import hedged_capital
from trueward.analysis import Decisions, analyse
from trueward.analysis.betting import log_wealth
from trueward.analysis.bounds import lower_bound, lower_bound_given_count, value_counts

BADS = ("careless", "capped", "chosen")
CLICKS = np.array([0.0, 1.0])


def sample(n, seed=0, p=0.9):
    return np.random.default_rng(seed).binomial(10, p, n).astype(float)


@pytest.mark.parametrize("bad", BADS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1])
def test_the_lower_end_is_the_first_mean_that_is_not_ruled_out(bad, epsilon):
    values, counts = value_counts(sample(80) / 10)
    grid = np.linspace(0.001, 0.999, 999)
    open_ = [m for m in grid if log_wealth(values, counts, m, epsilon=epsilon, bad=bad) <= np.log(40)]
    assert lower_bound((values, counts), delta=0.025, epsilon=epsilon, bad=bad) == pytest.approx(open_[0], abs=0.001)


@pytest.mark.parametrize("bad", BADS)
def test_no_ratings_rule_nothing_out_and_neither_does_a_share_of_all(bad):
    assert lower_bound(value_counts(np.zeros(0)), delta=0.05, bad=bad) == 0.0
    assert lower_bound(value_counts(np.ones(50)), delta=0.05, epsilon=1.0, bad=bad) == 0.0


def test_so_many_bad_ones_are_the_same_as_their_share():
    x = value_counts(sample(50) / 10)
    for bad in ("capped", "chosen"):
        assert lower_bound_given_count(x, 5, delta=0.05, bad=bad) == pytest.approx(
            lower_bound(x, delta=0.05, epsilon=0.1, bad=bad), abs=1e-8
        )


def test_a_tenth_of_bad_ratings_makes_them_no_wider_than_known():  # Bin(10, .9), level 95 %
    for n, capped, chosen in ((100, 1.4, 2.7), (1000, 0.53, 1.7)):
        for bad, width in (("capped", capped), ("chosen", chosen)):
            found = [tw.analysis.interval(sample(n, s), scale=(0, 10), epsilon=0.1, bad=bad) for s in range(20)]
            assert np.mean([each.high - each.low for each in found]) <= width


DISTRIBUTIONS = {
    "binomial": lambda rng, n: rng.binomial(10, 0.9, n) / 10,
    "stars": lambda rng, n: rng.choice(5, n, p=[0.1, 0.1, 0.2, 0.3, 0.3]) / 4,
    "clicks": lambda rng, n: rng.binomial(1, 0.05, n).astype(float),
    "uniform": lambda rng, n: rng.random(n),
}


@pytest.mark.parametrize("n", [100, 1000])
@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
def test_clean_ratings_give_hardly_wider_intervals_than_bets_that_adapt(n, distribution):
    samples = [DISTRIBUTIONS[distribution](np.random.default_rng(seed), n) for seed in range(5)]
    ours = [tw.analysis.interval(x, scale=(0, 1)) for x in samples]
    width = np.mean([each.high - each.low for each in ours])
    for c in (0.5, 0.75):  # both are recommended
        assert width <= 1.15 * np.mean([np.diff(hedged_capital(x, c=c)) for x in samples])


def test_the_interval_of_rare_clicks_shrinks_like_one_over_the_root_of_n_up_to_ten_million():
    widths = []
    for n in (10**5, 10**6, 10**7):
        clicks, others = 0.05 * n, 0.95 * n
        low = lower_bound((CLICKS, np.array([others, clicks])), delta=0.025)
        high = 1 - lower_bound((CLICKS, np.array([clicks, others])), delta=0.025)
        widths.append((high - low) * np.sqrt(n))
    np.testing.assert_allclose(widths, widths[0], rtol=0.06)  # a hundred times the ratings: by a root of ln n


def test_a_rate_of_careless_people_costs_about_what_trimming_costs_in_the_long_run():
    x = sample(10**6) / 10
    top = np.sort(1 - x)[-(10**5) :]  # mirrored: contamination hides on the long side
    trimmed = 1 - ((1 - x).sum() - top.sum()) / 0.9e6
    high = 1 - lower_bound(value_counts(1 - x), delta=0.025, epsilon=0.1)
    alone = 1 - ((1 - x).mean() - 0.1) / 0.9  # the bet without clipping
    assert trimmed < high < trimmed + 0.005 < alone


@pytest.mark.parametrize("bad", BADS)
def test_each_part_holds_the_one_before_it_and_epsilon_and_missing_never_shrink_it(bad):
    x = sample(200)
    whole = tw.analysis.interval(x, scale=(0, 10), epsilon=0.1, bad=bad, missing=20)
    (a, b), (c, d), (e, f) = whole.sampling, whole.contaminated, whole.whole
    assert e < c < a < whole.mean < b < d < f
    assert sum(whole.parts.values()) == pytest.approx(f - e)
    assert min(whole.parts.values()) > 0
    ends = [tw.analysis.interval(x, scale=(0, 10), epsilon=eps, bad=bad).whole for eps in (0, 0.01, 0.1, 0.2, 0.5, 1)]
    assert all(b[0] <= a[0] and a[1] <= b[1] for a, b in itertools.pairwise(ends))
    assert ends[-1] == (0.0, 10.0)


def test_an_interval_is_the_same_on_another_scale_and_mirrored():
    x = sample(60)
    one = tw.analysis.interval(x, scale=(0, 10), epsilon=0.1)
    other = tw.analysis.interval(1 + 0.4 * x, scale=(1, 5), epsilon=0.1)
    mirrored = tw.analysis.interval(10 - x, scale=(0, 10), epsilon=0.1)
    np.testing.assert_allclose(other.whole, [1 + 0.4 * end for end in one.whole], atol=1e-6)
    np.testing.assert_allclose(mirrored.whole, [10 - one.high, 10 - one.low], atol=1e-6)


def test_very_many_different_values_are_moved_outwards_by_less_than_a_thousandth():
    x = np.random.default_rng(0).random(3000)
    exact = lower_bound((np.append(0.0, np.sort(x)), np.append(0.0, np.ones(3000))), delta=0.025)
    rounded = lower_bound(value_counts(x), delta=0.025)
    assert exact - 0.001 < rounded <= exact


def test_what_is_off_the_scale_is_refused():
    with pytest.raises(tw.ParameterError, match="ratings must be on the scale from 0 to 5"):
        tw.analysis.interval([1, 6], scale=(0, 5))
    with pytest.raises(tw.ParameterError, match="epsilon must be at least 0 and at most 1, got 2"):
        tw.analysis.interval([1, 2], scale=(0, 5), epsilon=2)
    with pytest.raises(tw.ParameterError, match="bad must be one of 'careless', 'capped', 'chosen', got 'evil'"):
        tw.analysis.interval([1, 2], scale=(0, 5), bad="evil")


def test_an_arm_that_nobody_rated_says_so():
    found = analyse(Decisions.from_columns(arm=["a", "b", "c"] * 4, rating=[1, 2, None] * 4, scale=(0, 10)))
    assert "c: no ratings, from 0.000 to 10.000" in str(found)
    assert "nan" not in str(found)
