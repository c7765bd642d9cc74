"""Guarantees of every registered arms class."""

import numpy as np
import pytest

import trueward as tw
from trueward.arms import ARMS
from trueward.engine.compiling import compiled
from trueward.game.loop import draw_worlds

EXAMPLES = {
    "binomial": tw.BinomialArms(n=10, p=[0.9, 0.8, 0, 1, 0.35]),
    "bernoulli": tw.BernoulliArms([0.5, 0.2, 0, 1]),
    "gaussian": tw.GaussianArms(means=[1, -3, 2], sd=[2, 0.1, 0]),
    "categorical": tw.CategoricalArms(values=[-1, 0, 2.5], probabilities=[[0.2, 0, 0.8], [0.1, 0.9, 0], [0, 0, 1]]),
    "resampled": tw.ResampledArms([[7, 8, 9], [4, 9], [5.5]]),
}
every = pytest.mark.parametrize("arms", EXAMPLES.values(), ids=EXAMPLES.keys())


def test_every_registered_arms_class_has_an_example():
    assert EXAMPLES.keys() == ARMS.keys()
    assert all(type(EXAMPLES[name]) is cls for name, cls in ARMS.items())


@every
def test_interpreted_draws_equal_compiled_draws_bit_for_bit(arms):
    distribution = arms.distribution()
    tables = []
    for draw in (draw_worlds, compiled(draw_worlds, distribution)):
        tables.append(np.empty((3, 200, arms.n_arms)))
        draw(distribution, tables[-1], np.random.default_rng(5))
    assert tables[0].tobytes() == tables[1].tobytes()


@every
def test_same_seed_gives_the_same_rewards_and_another_seed_different_ones(arms):
    first, again, other = (arms.draw(100, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


@every
def test_first_rounds_do_not_depend_on_the_horizon(arms):
    assert (arms.draw(10, np.random.default_rng(1)) == arms.draw(100, np.random.default_rng(1))[:10]).all()


@every
def test_means_and_sds_agree_with_the_draws(arms):
    n = 20_000
    table = arms.draw(n, np.random.default_rng(6))
    # a mean of n draws has standard error sd / sqrt(n); 4.5 of them, and no slack for a certain reward
    assert (np.abs(table.mean(axis=0) - arms.means) <= 4.5 * arms.sds / np.sqrt(n) + 1e-12).all()
    # the mean squared deviation: its standard error is at most that seen in the sample; 4.5 of them
    squares = (table - arms.means) ** 2
    error = squares.std(axis=0) / np.sqrt(n)
    assert (np.abs(squares.mean(axis=0) - arms.sds**2) <= 4.5 * error + 1e-12).all()


@every
def test_draws_lie_on_the_scale_and_inside_the_bounds(arms):
    table = arms.draw(2000, np.random.default_rng(7))
    assert table.min() >= arms.bounds[0]
    assert table.max() <= arms.bounds[1]
    assert arms.scale is None or np.isin(table, arms.scale).all()


@every
def test_properties_of_arms_are_consistent(arms):
    assert arms.means.shape == arms.sds.shape == arms.proxies.shape == arms.gaps.shape == (arms.n_arms,)
    assert arms.gaps.min() == arms.gaps[arms.best] == 0
    np.testing.assert_allclose(arms.gaps, arms.means.max() - arms.means)
    assert arms.sd == arms.sds.max()
    assert arms.proxy == arms.proxies.max()
    assert (arms.proxies >= arms.sds - 1e-12).all()  # a sub-Gaussian parameter is never below the sd
    quantiles = [arms.quantiles(q) for q in (0.05, 0.3, 0.6, 0.95)]
    assert (np.diff(quantiles, axis=0) >= 0).all()
