import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import trueward as tw
from trueward.errors import ParameterError


def test_gaussian_quantile_bound_is_the_normal_quantile():
    for u in (0.0, 0.01, 0.2, 0.499):
        assert tw.GaussianQuantileBound(sigma=3)(u) == pytest.approx(norm.ppf(0.5 + u, scale=3), abs=1e-12)
    assert tw.GaussianQuantileBound(sigma=3)(0.5) == math.inf
    assert tw.GaussianQuantileBound(sigma=3)(0.7) == math.inf


def test_arms_quantile_bound_is_that_of_the_widest_arm():
    arms = tw.ArmsQuantileBound(tw.GaussianArms(means=[5, -2], sd=[1, 2]))
    for u in (0.0, 0.1, 0.4):
        assert arms(u) == pytest.approx(tw.GaussianQuantileBound(sigma=2)(u))


def test_arms_quantile_bound_of_ratings_is_the_longer_distance_in_whole_points():
    bound = tw.ArmsQuantileBound(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    for u in np.linspace(0, 0.499, 38):
        ends = [(binom.ppf([0.5 - u, 0.5 + u], 10, p), binom.median(10, p)) for p in (0.9, 0.8)]
        assert bound(u) == max(abs(end - median) for both, median in ends for end in both)
    assert bound(0.501) == math.inf


def test_custom_quantile_bound_is_infinite_beyond_its_limit():
    bound = tw.CustomQuantileBound(lambda u: 4 * u, limit=0.25)
    assert bound(0.25) == 1.0
    assert bound(0.2501) == math.inf


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.GaussianQuantileBound(sigma=0), "sigma must be above 0, got 0"),
        (lambda: tw.CustomQuantileBound(lambda u: u, limit=0.6), "limit must be above 0 and at most 0.5, got 0.6"),
        (lambda: tw.CustomQuantileBound(lambda u: -1)(0.1), "the quantile bound at u = 0.1 must be at least 0, got -1"),
        (
            lambda: tw.ArmsQuantileBound([0.5, 0.6]),
            r"arms must be Arms such as BinomialArms\(n=10, p=\[0.9, 0.8\]\), got",
        ),
    ],
)
def test_quantile_bounds_name_the_invalid_parameter(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
