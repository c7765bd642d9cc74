import math

import numpy as np
import pytest
from scipy import optimize

from trueward.errors import ParameterError
from trueward.estimators.catoni_mean import catoni_mean, catoni_root, influence


def by_scipy(x, variance, delta):
    n, log = x.size, math.log(1 / delta)
    a = math.sqrt(2 * log / (n * (variance + 2 * variance * log / (n - 2 * log))))
    psi = lambda u: np.sign(u) * np.log(1 + np.abs(u) + u * u / 2)  # noqa: E731 - the definition
    return optimize.brentq(lambda theta: psi(a * (x - theta)).sum(), x.min() - 1, x.max() + 1, xtol=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_catoni_mean_is_the_root_that_scipy_finds(seed):
    rng = np.random.default_rng(seed)
    for x in (rng.normal(size=50), rng.standard_t(2.5, size=200), rng.binomial(10, 0.9, size=30) * 1.0):
        for delta in (0.5, 0.01):
            assert catoni_mean(x, variance=2.0, delta=delta) == pytest.approx(by_scipy(x, 2.0, delta), abs=1e-9)


def test_catoni_root_does_not_depend_on_the_start():
    x = np.random.default_rng(0).standard_t(2, size=80)
    for rewards in (x, np.append(x, [1e6, -1e9])):
        expected = catoni_root(rewards, np.ones(rewards.size, np.int64), 0.4, 0.1)
        for start in (-1e300, -3.0, 0.0, 50.0, 1e6):
            assert catoni_root(rewards, np.ones(rewards.size, np.int64), 0.4, start) == pytest.approx(
                expected, abs=1e-10
            )


def test_influence_returns_its_derivative():
    for u in (-4.0, -0.3, 0.2, 1.0, 30.0):
        change = (influence(u + 1e-6)[0] - influence(u - 1e-6)[0]) / 2e-6
        assert influence(u)[1] == pytest.approx(change, rel=1e-6)
    assert influence(1.1e100)[0] == pytest.approx(influence(0.9e100)[0], rel=1e-2)


def test_catoni_mean_reduces_the_effect_of_huge_rewards_without_bounding_it():
    clean = np.random.default_rng(1).normal(size=60)
    one_far = catoni_mean([*clean, 1e6], variance=1.0, delta=0.05)
    assert abs(one_far) < 3 < 1e6 / 61
    for huge in (1e300, -1e300):
        assert math.isfinite(catoni_mean([*clean, huge, huge, -huge], variance=1e-9, delta=0.05))
    assert catoni_mean([1e300, -1e300] * 5, variance=1.0, delta=0.5) == pytest.approx(0.0, abs=1e289)


def test_catoni_mean_of_equal_rewards_is_that_reward():
    assert catoni_mean([8.25] * 9, variance=1.0, delta=0.5) == 8.25


def test_catoni_mean_rejects_bad_parameters_by_name():
    with pytest.raises(ParameterError, match="variance must be above 0, got 0"):
        catoni_mean([1, 2], variance=0, delta=0.5)
    with pytest.raises(ParameterError, match=r"delta must be above 0.367879 for 2 rewards, got 0.3"):
        catoni_mean([1, 2], variance=1, delta=0.3)
