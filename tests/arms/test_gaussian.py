import math

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.errors import ParameterError


def test_gaussian_arms_by_hand():
    arms = tw.GaussianArms(means=[1.0, 3.0, 0.5], sd=[2.0, 0.0, 1.0])
    assert arms.means.tolist() == [1, 3, 0.5]
    assert arms.sds.tolist() == arms.proxies.tolist() == [2, 0, 1]
    assert arms.gaps.tolist() == [2, 0, 2.5]
    assert (arms.best, arms.sd, arms.proxy) == (1, 2, 2)
    assert arms.bounds == (-math.inf, math.inf)
    assert arms.scale is None


def test_gaussian_arms_share_a_single_sd():
    assert tw.GaussianArms(means=[1, 2], sd=3).sds.tolist() == [3, 3]
    assert tw.GaussianArms(means=[1, 2]).sds.tolist() == [1, 1]


@pytest.mark.parametrize("q", [0.001, 0.1, 0.5, 0.9, 0.999])
def test_gaussian_quantiles_equal_those_of_scipy(q):
    arms = tw.GaussianArms(means=[1, -3], sd=[2, 0.5])
    np.testing.assert_allclose(arms.quantiles(q), stats.norm.ppf(q, [1, -3], [2, 0.5]), rtol=1e-12)


def test_gaussian_extreme_quantiles_are_infinite_unless_sd_is_zero():
    arms = tw.GaussianArms(means=[1, 5], sd=[2, 0])
    assert arms.quantiles(0).tolist() == [-math.inf, 5]
    assert arms.quantiles(1).tolist() == [math.inf, 5]


def test_gaussian_draws_agree_with_the_distribution():
    table = tw.GaussianArms(means=[1, -3, 4], sd=[2, 0.5, 0]).draw(20_000, np.random.default_rng(1))
    # Kolmogorov-Smirnov: a correct distribution fails once in 10^6
    assert stats.kstest(table[:, 0], stats.norm(1, 2).cdf).pvalue > 1e-6
    assert stats.kstest(table[:, 1], stats.norm(-3, 0.5).cdf).pvalue > 1e-6
    assert (table[:, 2] == 4).all()
    # arms are independent: a correlation of 20,000 pairs has standard error 0.0071; four of them
    assert abs(np.corrcoef(table[:, 0], table[:, 1])[0, 1]) < 0.029


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"means": []}, "means must be a non-empty list"),
        ({"means": [1, math.nan]}, r"means\[1\] must be finite, got nan"),
        ({"means": [1, math.inf]}, r"means\[1\] must be finite, got inf"),
        ({"means": [1], "sd": -1}, r"sd\[0\] must be at least 0, got -1.0"),
        ({"means": [1], "sd": math.nan}, r"sd\[0\] must be at least 0, got nan"),
        (
            {"means": [1e308, 1e308]},
            r"means and sd must give rewards of at most 1e\+300 in absolute value, got \[1e\+308, 1e\+308\] and 1",
        ),
        ({"means": [0, 1], "sd": 1e308}, r"means and sd must give rewards of at most 1e\+300"),
        ({"means": [1, 2], "sd": [1, 2, 3]}, "sd must be one number, or one for each of the 2 arms"),
    ],
)
def test_gaussian_arms_reject_bad_parameters_by_name(parameters, message):
    with pytest.raises(ParameterError, match=message):
        tw.GaussianArms(**parameters)
