"""Arms on a finite scale: binomial, Bernoulli and categorical rewards."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.arms.binomial import _binomial_coefficients
from trueward.arms.finite import BITS, CELLS, kearns_saul
from trueward.errors import ParameterError
from trueward.game.loop import draw_worlds

PS = [0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.999]
SKEWED = tw.CategoricalArms(values=[-2, 0, 1, 5], probabilities=[[0.4, 0, 0.6, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 1]])


def test_binomial_means_and_sds_are_those_of_scipy():
    arms = tw.BinomialArms(n=10, p=PS)
    np.testing.assert_allclose(arms.probabilities, [stats.binom.pmf(range(11), 10, p) for p in PS], rtol=1e-11)
    np.testing.assert_allclose(arms.means, stats.binom.mean(10, PS), rtol=1e-14)
    np.testing.assert_allclose(arms.sds, stats.binom.std(10, PS), rtol=1e-12)
    assert arms.bounds == (0, 10)
    assert arms.scale.tolist() == list(range(11))
    assert arms.n_arms == 7


def test_the_paper_setting_by_hand():
    arms = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
    assert arms.gaps.tolist() == [0, 1, 1, 1, 1]
    assert arms.best == 0
    np.testing.assert_allclose(arms.sds[:2], [0.949, 1.265], atol=5e-4)  # section 18.12
    np.testing.assert_allclose(arms.proxies[:2], [1.349, 1.471], atol=5e-4)
    assert arms.sd == pytest.approx(1.2649, abs=5e-5)
    assert arms.proxy == pytest.approx(1.471, abs=5e-4)


def test_bernoulli_means_sds_and_bounds():
    arms = tw.BernoulliArms(PS)
    np.testing.assert_allclose(arms.means, PS, rtol=1e-14)
    np.testing.assert_allclose(arms.sds, stats.bernoulli.std(PS), rtol=1e-12)
    assert arms.bounds == (0, 1)


def test_categorical_means_sds_and_bounds_by_hand():
    np.testing.assert_allclose(SKEWED.means, [-0.2, 2.5, 5])
    np.testing.assert_allclose(SKEWED.sds, [math.sqrt(2.16), 2.5, 0], atol=1e-15)
    np.testing.assert_allclose(SKEWED.gaps, [5.2, 2.5, 0])
    np.testing.assert_allclose(SKEWED.proxies, [1.5, 2.5, 0])  # half of what each arm can reach
    assert SKEWED.best == 2
    assert SKEWED.bounds == (-2, 5)


def test_of_several_best_arms_the_first_is_named():
    assert tw.BernoulliArms([0.2, 0.7, 0.7]).best == 1


@pytest.mark.parametrize("arms", [tw.BinomialArms(n=10, p=PS), tw.BernoulliArms(PS), SKEWED], ids=["n", "b", "c"])
def test_the_proxy_is_sub_gaussian_against_the_exact_moment_generating_function(arms):
    for p, mean, proxy in zip(arms.probabilities, arms.means, arms.proxies, strict=True):
        for s in (*np.linspace(-8, 8, 161), -30.0, 30.0):
            log_mgf = math.log(float(p @ np.exp(s * (arms.scale - mean))))
            assert log_mgf <= s * s * proxy * proxy / 2 + 1e-12


@pytest.mark.parametrize("p", [0.01, 0.1, 0.3, 0.8, 0.9, 0.999])
def test_the_proxy_of_kearns_and_saul_is_tight(p):
    # with L = ln((1 - p) / p) and s = 2 L, both sides are L (1 - 2 p): no smaller proxy would do
    s = 2 * math.log((1 - p) / p)
    log_mgf = math.log((1 - p) * math.exp(-s * p) + p * math.exp(s * (1 - p)))
    assert s * s * float(tw.BernoulliArms([p]).proxies[0]) ** 2 / 2 == pytest.approx(log_mgf, rel=1e-9)


def test_the_proxy_is_smooth_at_one_half_and_zero_where_nothing_is_random():
    np.testing.assert_allclose(kearns_saul(np.array([0.5 - 1e-5, 0.5 - 1e-7, 0.5, 0.5 + 1e-5])), 0.25, rtol=1e-8)
    assert tw.BinomialArms(n=10, p=[0, 1]).proxies.tolist() == [0, 0]
    assert tw.BinomialArms(n=10, p=[0, 1]).sds.tolist() == [0, 0]


@pytest.mark.parametrize("q", [0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99])
def test_quantiles_are_those_of_scipy(q):
    ps = [0.01, 0.3, 0.81, 0.9, 0.999]
    assert tw.BinomialArms(n=10, p=ps).quantiles(q).tolist() == stats.binom.ppf(q, 10, ps).tolist()
    assert tw.BernoulliArms(ps).quantiles(q).tolist() == stats.bernoulli.ppf(q, ps).tolist()


def test_a_quantile_on_a_step_of_the_distribution_function_forgives_rounding():
    # 1 - 0.9 and 0.7 + 0.1 fall short of 0.1 and 0.8 by one bit
    assert tw.BernoulliArms([0.9]).quantiles(0.1).tolist() == [0]
    assert tw.CategoricalArms(values=[1, 2, 3], probabilities=[[0.7, 0.1, 0.2]]).quantiles(0.8).tolist() == [2]
    assert tw.BinomialArms(n=10, p=[1e-6]).quantiles(1).tolist() == [10]  # what is possible stays possible


def test_the_extreme_quantiles_are_the_ends_of_what_is_possible():
    assert SKEWED.quantiles(0).tolist() == [-2, 0, 5]
    assert SKEWED.quantiles(1).tolist() == [1, 5, 5]
    assert tw.BinomialArms(n=10, p=[0, 0.5, 1]).quantiles(0).tolist() == [0, 0, 10]
    assert tw.BinomialArms(n=10, p=[0, 0.5, 1]).quantiles(1).tolist() == [0, 10, 10]


WIDE = tw.CategoricalArms(values=range(201), probabilities=[np.full(201, 1 / 201)])
RARE = tw.CategoricalArms(values=[0, 1, 2], probabilities=[[1e-9, 1 - 2e-9, 1e-9]])
LAWS = {
    "binomial": tw.BinomialArms(n=10, p=PS),
    "bernoulli": tw.BernoulliArms(PS),
    "skewed": SKEWED,
    "wide": WIDE,
    "rare": RARE,
}


class Given:
    """A generator that gives the numbers it is told to."""

    def __init__(self, numbers):
        self.numbers = iter(numbers)

    def random(self):
        return next(self.numbers)


def number_of(*cells):
    """Return the uniform number whose bits choose these cells, one after the other."""
    return sum(cell << (BITS * i) for i, cell in enumerate(cells)) / 2**53


def one_reward(arms, arm, cell, place):
    """Draw one reward of one arm from a given cell, and a given place in it should that be asked for."""
    alone = tw.CategoricalArms(values=arms.scale, probabilities=[arms.probabilities[arm]])
    return alone.draw(1, Given([number_of(cell), place]))[0, 0]


@pytest.mark.parametrize("arms", LAWS.values(), ids=LAWS.keys())
@pytest.mark.parametrize("place", [0.0, 0.3, 1 - 2.0**-53])
def test_a_draw_inverts_the_distribution_function(arms, place):
    steps = [[Fraction(c) for c in row[:-1]] for row in np.cumsum(arms.probabilities, axis=1)]
    for arm in range(arms.n_arms):
        for cell in {0, 1, CELLS // 2, CELLS - 1, *(min(int(c * CELLS), CELLS - 1) for c in steps[arm])}:
            u = (cell + Fraction(place)) / CELLS  # exact: no rounding hides an error at a step
            assert one_reward(arms, arm, cell, place) == arms.scale[sum(c <= u for c in steps[arm])]


def test_one_uniform_number_serves_five_rewards_by_round_then_arm():
    numbers = Given([number_of(0, 1023, 0, 1023, 1023), number_of(1023)])
    assert tw.BernoulliArms([0.5, 0.5]).draw(3, numbers).tolist() == [[0, 1], [0, 1], [1, 1]]


@pytest.mark.parametrize("arms", LAWS.values(), ids=LAWS.keys())
def test_the_cells_have_together_the_probabilities_of_the_law(arms):
    # A cell without a step gives its whole share to one value; of the others, each value takes what lies inside.
    distribution, ends = arms.distribution(), np.arange(CELLS + 1) / CELLS
    for arm, p in enumerate(arms.probabilities):
        sure = distribution.sure[arm]
        share = np.array([(sure == value).sum() / CELLS for value in arms.scale])
        for cell in np.flatnonzero(np.isnan(sure)):
            inside = np.clip(distribution.cdf[arm], ends[cell], ends[cell + 1])
            share += np.diff(np.concatenate([[ends[cell]], inside]))
        np.testing.assert_allclose(share, p, rtol=1e-6, atol=1e-15)
        assert np.isnan(sure).sum() <= (p > 0).sum() - 1  # a step makes at most one cell unsure


@pytest.mark.parametrize("arms", [LAWS["binomial"], LAWS["bernoulli"], WIDE], ids=["11 values", "2", "201"])
def test_draws_agree_with_the_law(arms):
    n = 200_000
    table = np.empty((1, n, arms.n_arms))
    draw_worlds.compiled(arms.distribution())(arms.distribution(), table, np.random.default_rng(2))
    for arm, p in enumerate(arms.probabilities):
        common = n * p > 5
        seen = np.array([(table[0, :, arm] == value).sum() for value in arms.scale])
        # chi-square over the values expected more than five times; a right law fails once in 10^6
        statistic = ((seen - n * p)[common] ** 2 / (n * p[common])).sum()
        assert statistic < stats.chi2.ppf(1 - 1e-6, common.sum() - 1 + (not common.all()))


def test_rewards_from_one_number_are_independent():
    n = 200_000
    table = np.empty((1, n, 5))
    arms = tw.BernoulliArms([0.5] * 5)
    draw_worlds.compiled(arms.distribution())(arms.distribution(), table, np.random.default_rng(3))
    patterns = (table[0] @ [1, 2, 4, 8, 16]).astype(int)  # with five arms, a round is a number
    statistic = ((np.bincount(patterns, minlength=32) - n / 32) ** 2 / (n / 32)).sum()
    assert statistic < stats.chi2.ppf(1 - 1e-6, 31)


def test_probabilities_far_below_a_cell_are_met_exactly():
    # 1e-9 is a millionth of a cell: the place decides to the last bit
    edge = 1e-9 * CELLS
    assert one_reward(RARE, 0, 0, np.nextafter(edge, 0)) == 0
    assert one_reward(RARE, 0, 0, edge) == 1
    assert one_reward(RARE, 0, CELLS - 1, 1 - 0.9 * edge) == 2
    assert one_reward(RARE, 0, CELLS - 1, 1 - 1.1 * edge) == 1


def test_values_of_probability_zero_are_never_drawn():
    table = SKEWED.draw(20_000, np.random.default_rng(3))
    assert set(table[:, 0]) == {-2, 1}
    assert set(table[:, 1]) == {0, 5}
    assert set(table[:, 2]) == {5}


def test_the_extreme_uniform_numbers_give_possible_values():
    top = 1 - 2.0**-53
    # rounding: 0.1 added ten times is less than 1, and the last value is impossible
    tenths = tw.CategoricalArms(values=range(11), probabilities=[[0.1] * 10 + [0]])
    assert tenths.draw(5, Given([0.0])).ravel().tolist() == [0] * 5
    assert tenths.draw(5, Given([top])).ravel().tolist() == [9] * 5
    assert SKEWED.draw(1, Given([0.0])).tolist() == [[-2, 0, 5]]
    assert SKEWED.draw(1, Given([top])).tolist() == [[1, 5, 5]]


def test_with_p_zero_or_one_the_reward_is_certain():
    assert (tw.BernoulliArms([0, 1]).draw(500, np.random.default_rng(4)) == [0, 1]).all()
    assert (tw.BinomialArms(n=10, p=[0, 1]).draw(500, np.random.default_rng(4)) == [0, 10]).all()


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.BinomialArms(n=10, p=[]), "p must be a non-empty list of numbers, got"),
        (lambda: tw.BinomialArms(n=10, p=[0.5, 1.1]), r"p\[1\] must be at least 0 and at most 1, got 1.1"),
        (lambda: tw.BinomialArms(n=10, p=[0.5, math.nan]), r"p\[1\] must be .*got nan"),
        (lambda: tw.BinomialArms(n=0, p=[0.5]), "n must be a whole number of at least 1, got 0"),
        (lambda: tw.BinomialArms(n=2.5, p=[0.5]), "n must be a whole number of at least 1, got 2.5"),
        (lambda: tw.BernoulliArms([]), "p must be a non-empty"),
        (lambda: tw.BernoulliArms([-0.1]), r"p\[0\] must be at least 0 and at most 1, got -0.1"),
        (lambda: tw.BernoulliArms([math.nan]), r"p\[0\] must be .*got nan"),
        (lambda: tw.BernoulliArms("half"), "p must be a list of numbers, got 'half'"),
        (lambda: tw.BernoulliArms(0.5), "p must be a non-empty list of numbers, got 0.5"),
        (lambda: tw.CategoricalArms(values=[1, 2], probabilities=[]), "probabilities must have a row for each arm"),
        (lambda: tw.CategoricalArms(values=[], probabilities=[[1]]), "values must be a non-empty list"),
        (lambda: tw.CategoricalArms(values=[2, 1], probabilities=[[0.5, 0.5]]), r"values must increase, got \[2, 1\]"),
        (lambda: tw.CategoricalArms(values=[1, 1], probabilities=[[0.5, 0.5]]), "values must increase"),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[0.5, 0.5], [0.5, 0.4]]),
            r"probabilities\[1\] must be 2 numbers that sum to 1, got \[0.5, 0.4\]",
        ),
        (lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[1.0]]), r"probabilities\[0\] must be 2 numbers"),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[1.5, -0.5]]),
            r"probabilities\[0\]\[0\] must be at least 0 and at most 1, got 1.5",
        ),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[math.nan, 1]]),
            r"probabilities\[0\]\[0\] must be .*got nan",
        ),
        (
            lambda: tw.CategoricalArms(values=[1, math.inf], probabilities=[[1, 0]]),
            r"values\[1\] must be at least -1e\+300 and",
        ),
        (lambda: tw.BernoulliArms([0.5]).draw(0, np.random.default_rng(0)), "horizon must be a whole number of at"),
    ],
)
def test_bad_parameters_are_named(build, message):
    with pytest.raises(ParameterError, match=message):
        build()


def test_binomial_arms_with_many_trials_neither_overflow_nor_lose_mass():
    arms = tw.BinomialArms(n=3000, p=[0.5, 0.999, 0.0])
    np.testing.assert_allclose(arms.probabilities.sum(axis=1), 1.0, rtol=1e-11)
    np.testing.assert_allclose(
        arms.probabilities[0], stats.binom.pmf(np.arange(3001), 3000, 0.5), rtol=1e-9, atol=1e-300
    )


def test_a_scale_of_twenty_thousand_is_ready_at_once():  # 80 s, when every binomial coefficient began anew
    arms = tw.BinomialArms(n=20_000, p=[0.9, 0.8])
    k = np.array([17_800, 18_000, 18_100])
    np.testing.assert_allclose(arms.probabilities[0, k], stats.binom.pmf(k, 20_000, 0.9), rtol=1e-9)
    assert tw.play(tw.UCB(sigma=50), arms, horizon=20, compiled=False).pulls[0, -1].sum() == 20


@pytest.mark.parametrize("n", [1, 2, 10, 37, 300])
def test_binomial_coefficients_are_exact(n):
    assert list(_binomial_coefficients(n)) == [math.comb(n, k) for k in range(n + 1)]
