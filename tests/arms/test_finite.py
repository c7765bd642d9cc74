import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.arms.finite import BITS, CELLS
from trueward.engine.compiling import compiled
from trueward.game.loop import draw_worlds

PS = [0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.999]
SKEWED = tw.CategoricalArms(values=[-2, 0, 1, 5], probabilities=[[0.4, 0, 0.6, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 1]])


def test_best_is_the_first_of_several_best_arms():
    assert tw.BernoulliArms([0.2, 0.7, 0.7]).best == 1


@pytest.mark.parametrize("arms", [tw.BinomialArms(n=10, p=PS), tw.BernoulliArms(PS), SKEWED], ids=["n", "b", "c"])
def test_proxy_bounds_the_exact_moment_generating_function(arms):
    for p, mean, proxy in zip(arms.probabilities, arms.means, arms.proxies, strict=True):
        for s in (*np.linspace(-8, 8, 161), -30.0, 30.0):
            log_mgf = math.log(float(p @ np.exp(s * (arms.scale - mean))))
            assert log_mgf <= s * s * proxy * proxy / 2 + 1e-12


@pytest.mark.parametrize("q", [0.001, 0.01, 0.1, 0.25, 0.5, 0.9, 0.99])
def test_quantiles_equal_those_of_scipy(q):
    ps = [0.01, 0.3, 0.81, 0.9, 0.999]
    assert tw.BinomialArms(n=10, p=ps).quantiles(q).tolist() == stats.binom.ppf(q, 10, ps).tolist()
    assert tw.BernoulliArms(ps).quantiles(q).tolist() == stats.bernoulli.ppf(q, ps).tolist()


def test_quantile_on_a_step_of_the_cdf_tolerates_rounding():
    # 1 - 0.9 and 0.7 + 0.1 fall short of 0.1 and 0.8 by one bit
    assert tw.BernoulliArms([0.9]).quantiles(0.1).tolist() == [0]
    assert tw.CategoricalArms(values=[1, 2, 3], probabilities=[[0.7, 0.1, 0.2]]).quantiles(0.8).tolist() == [2]
    assert tw.BinomialArms(n=10, p=[1e-6]).quantiles(1).tolist() == [10]  # however unlikely


def test_extreme_quantiles_are_the_ends_of_the_support():
    assert SKEWED.quantiles(0).tolist() == [-2, 0, 5]
    assert SKEWED.quantiles(1).tolist() == [1, 5, 5]
    assert tw.BinomialArms(n=10, p=[0, 0.5, 1]).quantiles(0).tolist() == [0, 0, 10]
    assert tw.BinomialArms(n=10, p=[0, 0.5, 1]).quantiles(1).tolist() == [0, 10, 10]


WIDE = tw.CategoricalArms(values=range(201), probabilities=[np.full(201, 1 / 201)])
RARE = tw.CategoricalArms(values=[0, 1, 2], probabilities=[[1e-9, 1 - 2e-9, 1e-9]])
DISTRIBUTIONS = {
    "binomial": tw.BinomialArms(n=10, p=PS),
    "bernoulli": tw.BernoulliArms(PS),
    "skewed": SKEWED,
    "wide": WIDE,
    "rare": RARE,
}


class FixedNumbers:
    """A generator that returns given numbers."""

    def __init__(self, numbers):
        self.numbers = iter(numbers)

    def random(self):
        return next(self.numbers)


def number_of(*cells):
    """Return the uniform number whose bits select these cells, one after the other."""
    return sum(cell << (BITS * i) for i, cell in enumerate(cells)) / 2**53


def one_reward(arms, arm, cell, position):
    """Draw one reward of one arm from a given cell, at a given position inside it if the draw needs one."""
    alone = tw.CategoricalArms(values=arms.scale, probabilities=[arms.probabilities[arm]])
    return alone.draw(1, FixedNumbers([number_of(cell), position]))[0, 0]


@pytest.mark.parametrize("arms", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys())
@pytest.mark.parametrize("position", [0.0, 0.3, 1 - 2.0**-53])
def test_draw_inverts_the_distribution_function(arms, position):
    steps = [[Fraction(c) for c in row[:-1]] for row in np.cumsum(arms.probabilities, axis=1)]
    for arm in range(arms.n_arms):
        for cell in {0, 1, CELLS // 2, CELLS - 1, *(min(int(c * CELLS), CELLS - 1) for c in steps[arm])}:
            u = (cell + Fraction(position)) / CELLS  # exact: no rounding hides an error at a step
            assert one_reward(arms, arm, cell, position) == arms.scale[sum(c <= u for c in steps[arm])]


def test_draw_uses_one_uniform_number_for_five_rewards():
    numbers = FixedNumbers([number_of(0, 1023, 0, 1023, 1023), number_of(1023)])
    assert tw.BernoulliArms([0.5, 0.5]).draw(3, numbers).tolist() == [[0, 1], [0, 1], [1, 1]]


@pytest.mark.parametrize("arms", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS.keys())
def test_cells_have_the_probabilities_of_the_distribution(arms):
    # A cell without a step belongs to one value; a cell with a step is divided between several.
    distribution, ends = arms.distribution(), np.arange(CELLS + 1) / CELLS
    for arm, p in enumerate(arms.probabilities):
        reward = distribution.reward[arm]
        share = np.array([(reward == value).sum() / CELLS for value in arms.scale])
        for cell in np.flatnonzero(np.isnan(reward)):
            inside = np.clip(distribution.cdf[arm], ends[cell], ends[cell + 1])
            share += np.diff(np.concatenate([[ends[cell]], inside]))
        np.testing.assert_allclose(share, p, rtol=1e-6, atol=1e-15)
        assert np.isnan(reward).sum() <= (p > 0).sum() - 1  # each step lies in at most one cell


@pytest.mark.parametrize(
    "arms", [DISTRIBUTIONS["binomial"], DISTRIBUTIONS["bernoulli"], WIDE], ids=["11 values", "2", "201"]
)
def test_draws_agree_with_the_distribution(arms):
    n = 200_000
    table = np.empty((1, n, arms.n_arms))
    compiled(draw_worlds, arms.distribution())(arms.distribution(), table, np.random.default_rng(2))
    for arm, p in enumerate(arms.probabilities):
        common = n * p > 5
        seen = np.array([(table[0, :, arm] == value).sum() for value in arms.scale])
        # chi-square over the values expected more than five times; a correct distribution fails once in 10^6
        statistic = ((seen - n * p)[common] ** 2 / (n * p[common])).sum()
        assert statistic < stats.chi2.ppf(1 - 1e-6, common.sum() - 1 + (not common.all()))


def test_rewards_from_one_uniform_number_are_independent():
    n = 200_000
    table = np.empty((1, n, 5))
    arms = tw.BernoulliArms([0.5] * 5)
    compiled(draw_worlds, arms.distribution())(arms.distribution(), table, np.random.default_rng(3))
    patterns = (table[0] @ [1, 2, 4, 8, 16]).astype(int)  # with five arms, a round is a number
    statistic = ((np.bincount(patterns, minlength=32) - n / 32) ** 2 / (n / 32)).sum()
    assert statistic < stats.chi2.ppf(1 - 1e-6, 31)


def test_draw_is_exact_for_probabilities_far_below_one_cell():
    # 1e-9 is a millionth of a cell: the position decides to the last bit
    edge = 1e-9 * CELLS
    assert one_reward(RARE, 0, 0, np.nextafter(edge, 0)) == 0
    assert one_reward(RARE, 0, 0, edge) == 1
    assert one_reward(RARE, 0, CELLS - 1, 1 - 0.9 * edge) == 2
    assert one_reward(RARE, 0, CELLS - 1, 1 - 1.1 * edge) == 1


def test_draw_never_returns_values_of_probability_zero():
    table = SKEWED.draw(20_000, np.random.default_rng(3))
    assert set(table[:, 0]) == {-2, 1}
    assert set(table[:, 1]) == {0, 5}
    assert set(table[:, 2]) == {5}


def test_draw_returns_possible_values_for_extreme_uniform_numbers():
    top = 1 - 2.0**-53
    # rounding: 0.1 added ten times is less than 1, and the last value is impossible
    tenths = tw.CategoricalArms(values=range(11), probabilities=[[0.1] * 10 + [0]])
    assert tenths.draw(5, FixedNumbers([0.0])).ravel().tolist() == [0] * 5
    assert tenths.draw(5, FixedNumbers([top])).ravel().tolist() == [9] * 5
    assert SKEWED.draw(1, FixedNumbers([0.0])).tolist() == [[-2, 0, 5]]
    assert SKEWED.draw(1, FixedNumbers([top])).tolist() == [[1, 5, 5]]


def test_draw_is_certain_if_p_is_zero_or_one():
    assert (tw.BernoulliArms([0, 1]).draw(500, np.random.default_rng(4)) == [0, 1]).all()
    assert (tw.BinomialArms(n=10, p=[0, 1]).draw(500, np.random.default_rng(4)) == [0, 10]).all()
