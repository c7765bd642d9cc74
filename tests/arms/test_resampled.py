import math

import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

PILOT = [[7, 8, 9, 9], [4, 9], [5]]


def test_resampled_arms_have_the_means_and_sds_of_the_ratings():
    arms = tw.ResampledArms(PILOT)
    assert arms.means.tolist() == [8.25, 6.5, 5]
    np.testing.assert_allclose(arms.sds, [math.sqrt(0.6875), 2.5, 0])
    assert arms.proxies.tolist() == [1, 2.5, 0]
    assert arms.gaps.tolist() == [0, 1.75, 3.25]
    assert (arms.best, arms.n_arms, arms.bounds) == (0, 3, (4, 9))
    assert arms.scale.tolist() == [4, 5, 7, 8, 9]


def test_resampled_proxy_bounds_the_exact_moment_generating_function():
    arms = tw.ResampledArms(PILOT)
    for row, mean, proxy in zip(PILOT, arms.means, arms.proxies, strict=True):
        for s in np.linspace(-8, 8, 161):
            log_mgf = math.log(float(np.exp(s * (np.array(row) - mean)).mean()))
            assert log_mgf <= s * s * proxy * proxy / 2 + 1e-12


@pytest.mark.parametrize("q", [0, 0.1, 0.25, 0.3, 0.5, 0.51, 0.75, 0.9, 1])
def test_resampled_quantile_is_the_lowest_rating_with_a_fraction_q_at_or_below_it(q):
    expected = [min(v for v in row if sum(w <= v for w in row) >= q * len(row)) for row in PILOT]
    assert tw.ResampledArms(PILOT).quantiles(q).tolist() == expected


def test_resampled_draws_agree_with_the_ratings():
    n = 20_000
    table = tw.ResampledArms(PILOT).draw(n, np.random.default_rng(1))
    for arm, row in enumerate(PILOT):
        values, counts = np.unique(table[:, arm], return_counts=True)
        assert set(values) == set(row)
        p = np.array([row.count(v) / len(row) for v in values])
        assert (np.abs(counts - n * p) <= 4.5 * np.sqrt(n * p * (1 - p))).all()  # binomial counts, 4.5 sds


def test_resampled_arms_copy_the_ratings():
    ratings = np.array([1.0, 2.0])
    arms = tw.ResampledArms([ratings])
    ratings[:] = 100
    assert arms.means.tolist() == [1.5]


@pytest.mark.parametrize(
    ("ratings", "message"),
    [
        ([], "ratings must have a list for each arm, got none"),
        ([[1, 2], []], r"ratings\[1\] must be a non-empty list"),
        ([[1, math.nan]], r"ratings\[0\]\[1\] must be at least -1e\+300 and at most 1e\+300, got nan"),
        ([[1, 1e301]], r"ratings\[0\]\[1\] must be at least -1e\+300 and at most 1e\+300, got 1e\+301"),
    ],
)
def test_resampled_arms_reject_bad_ratings_by_name(ratings, message):
    with pytest.raises(ParameterError, match=message):
        tw.ResampledArms(ratings)


def test_resampled_quantile_equals_numpys_inverted_cdf():
    rows = [np.random.default_rng(n).normal(size=n) for n in (1, 7, 10, 100)]
    arms = tw.ResampledArms(rows)
    for q in [-0.1, 0.0, 1e-12, 0.1, 0.3, 0.5, 0.7, 0.9, 1 - 1e-12, 1.0, 1.1]:
        expected = [np.quantile(row, np.clip(q, 0, 1), method="inverted_cdf") for row in rows]
        assert arms.quantiles(q).tolist() == expected
