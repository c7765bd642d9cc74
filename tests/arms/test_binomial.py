import math

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from trueward.arms.binomial import _binomial_coefficients
from trueward.errors import ParameterError

PS = [0.01, 0.1, 0.3, 0.5, 0.8, 0.9, 0.999]


def test_binomial_arms_have_the_pmf_means_and_sds_of_scipy():
    arms = tw.BinomialArms(n=10, p=PS)
    np.testing.assert_allclose(arms.probabilities, [stats.binom.pmf(range(11), 10, p) for p in PS], rtol=1e-11)
    np.testing.assert_allclose(arms.means, stats.binom.mean(10, PS), rtol=1e-14)
    np.testing.assert_allclose(arms.sds, stats.binom.std(10, PS), rtol=1e-12)
    assert arms.bounds == (0, 10)
    assert arms.scale.tolist() == list(range(11))
    assert arms.n_arms == 7


def test_binomial_arms_of_the_paper_by_hand():
    arms = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
    assert arms.gaps.tolist() == [0, 1, 1, 1, 1]
    assert arms.best == 0
    np.testing.assert_allclose(arms.sds[:2], [0.949, 1.265], atol=5e-4)  # section 18.12
    np.testing.assert_allclose(arms.proxies[:2], [1.349, 1.471], atol=5e-4)
    assert arms.sd == pytest.approx(1.2649, abs=5e-5)
    assert arms.proxy == pytest.approx(1.471, abs=5e-4)


def test_binomial_arms_with_large_n_neither_overflow_nor_lose_mass():
    arms = tw.BinomialArms(n=3000, p=[0.5, 0.999, 0.0])
    np.testing.assert_allclose(arms.probabilities.sum(axis=1), 1.0, rtol=1e-11)
    np.testing.assert_allclose(
        arms.probabilities[0], stats.binom.pmf(np.arange(3001), 3000, 0.5), rtol=1e-9, atol=1e-300
    )


def test_binomial_arms_with_20000_values_are_fast():  # 80 s if every coefficient were computed from scratch
    arms = tw.BinomialArms(n=20_000, p=[0.9, 0.8])
    k = np.array([17_800, 18_000, 18_100])
    np.testing.assert_allclose(arms.probabilities[0, k], stats.binom.pmf(k, 20_000, 0.9), rtol=1e-9)
    assert tw.play(tw.UCB(sigma=50), arms, horizon=20, compiled=False).pulls[0, -1].sum() == 20


@pytest.mark.parametrize("n", [1, 2, 10, 37, 300])
def test_binomial_coefficients_are_exact(n):
    assert list(_binomial_coefficients(n)) == [math.comb(n, k) for k in range(n + 1)]


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.BinomialArms(n=10, p=[]), "p must be a non-empty list of numbers, got"),
        (lambda: tw.BinomialArms(n=10, p=[0.5, 1.1]), r"p\[1\] must be at least 0 and at most 1, got 1.1"),
        (lambda: tw.BinomialArms(n=10, p=[0.5, math.nan]), r"p\[1\] must be .*got nan"),
        (lambda: tw.BinomialArms(n=0, p=[0.5]), "n must be a whole number of at least 1, got 0"),
        (lambda: tw.BinomialArms(n=2.5, p=[0.5]), "n must be a whole number of at least 1, got 2.5"),
    ],
)
def test_binomial_arms_reject_bad_parameters_by_name(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
