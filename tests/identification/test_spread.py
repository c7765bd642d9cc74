import math

import numpy as np
import pytest
from scipy.stats import binom, norm

import trueward as tw
from trueward.errors import ParameterError


def test_a_gaussian_spread_is_the_quantile_of_the_normal_law():
    for u in (0.0, 0.01, 0.2, 0.499):
        assert tw.GaussianSpread(sigma=3)(u) == pytest.approx(norm.ppf(0.5 + u, scale=3), abs=1e-12)
    assert tw.GaussianSpread(sigma=3)(0.5) == math.inf
    assert tw.GaussianSpread(sigma=3)(0.7) == math.inf


def test_the_spread_of_gaussian_arms_is_that_of_the_widest():
    arms = tw.ArmsSpread(tw.GaussianArms(means=[5, -2], sd=[1, 2]))
    for u in (0.0, 0.1, 0.4):
        assert arms(u) == pytest.approx(tw.GaussianSpread(sigma=2)(u))


def test_the_spread_of_ratings_goes_by_whole_points_and_counts_the_longer_side():
    spread = tw.ArmsSpread(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    for u in np.linspace(0, 0.499, 38):
        ends = [(binom.ppf([0.5 - u, 0.5 + u], 10, p), binom.median(10, p)) for p in (0.9, 0.8)]
        assert spread(u) == max(abs(end - median) for both, median in ends for end in both)
    assert spread(0.501) == math.inf


def test_a_spread_of_ones_own_ends_at_its_limit():
    spread = tw.FunctionSpread(lambda u: 4 * u, limit=0.25)
    assert spread(0.25) == 1.0
    assert spread(0.2501) == math.inf


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.GaussianSpread(sigma=0), "sigma must be above 0, got 0"),
        (lambda: tw.FunctionSpread(lambda u: u, limit=0.6), "limit must be above 0 and at most 0.5, got 0.6"),
        (lambda: tw.FunctionSpread(lambda u: -1)(0.1), "the spread at 0.1 must be at least 0, got -1"),
        (lambda: tw.ArmsSpread([0.5, 0.6]), r"arms must be Arms such as BinomialArms\(n=10, p=\[0.9, 0.8\]\), got"),
    ],
)
def test_a_bad_spread_is_refused_in_one_line(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
