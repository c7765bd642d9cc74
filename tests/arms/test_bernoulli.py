import math

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.arms.bernoulli import bernoulli_variance_proxy
from trueward.errors import ParameterError

PS = [0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.999]


def test_bernoulli_arms_have_the_means_and_sds_of_scipy():
    arms = tw.BernoulliArms(PS)
    np.testing.assert_allclose(arms.means, PS, rtol=1e-14)
    np.testing.assert_allclose(arms.sds, stats.bernoulli.std(PS), rtol=1e-12)
    assert arms.bounds == (0, 1)


@pytest.mark.parametrize("p", [0.01, 0.1, 0.3, 0.8, 0.9, 0.999])
def test_bernoulli_proxy_is_the_smallest_possible(p):
    # with L = ln((1 - p) / p) and s = 2 L, both sides are L (1 - 2 p): no smaller proxy is possible
    s = 2 * math.log((1 - p) / p)
    log_mgf = math.log((1 - p) * math.exp(-s * p) + p * math.exp(s * (1 - p)))
    assert s * s * float(tw.BernoulliArms([p]).proxies[0]) ** 2 / 2 == pytest.approx(log_mgf, rel=1e-9)


def test_bernoulli_proxy_is_smooth_at_one_half_and_zero_for_certain_rewards():
    np.testing.assert_allclose(
        bernoulli_variance_proxy(np.array([0.5 - 1e-5, 0.5 - 1e-7, 0.5, 0.5 + 1e-5])), 0.25, rtol=1e-8
    )
    assert tw.BinomialArms(n=10, p=[0, 1]).proxies.tolist() == [0, 0]
    assert tw.BinomialArms(n=10, p=[0, 1]).sds.tolist() == [0, 0]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.BernoulliArms([]), "p must be a non-empty"),
        (lambda: tw.BernoulliArms([-0.1]), r"p\[0\] must be at least 0 and at most 1, got -0.1"),
        (lambda: tw.BernoulliArms([math.nan]), r"p\[0\] must be .*got nan"),
        (lambda: tw.BernoulliArms("half"), "p must be a list of numbers, got 'half'"),
        (lambda: tw.BernoulliArms(0.5), "p must be a non-empty list of numbers, got 0.5"),
        (lambda: tw.BernoulliArms([0.5]).draw(0, np.random.default_rng(0)), "horizon must be a whole number of at"),
    ],
)
def test_bernoulli_arms_reject_bad_parameters_by_name(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
