import math
import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import trueward as tw
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.errors import ParameterError, RewardError

RATINGS = st.lists(st.integers(0, 10), min_size=1, max_size=40)


def brute_force(x, width):
    """Return the middle of the points at which the distribution function of the spread-out ratings is 1/2."""
    halves = []
    for rank in ((len(x) - 1) // 2, len(x) // 2):
        k = sorted(x)[rank]
        below, at = sum(v < k for v in x), x.count(k)
        halves.append(k - Fraction(width) / 2 + Fraction(width) * (Fraction(len(x), 2) - below) / at)
    return float(sum(halves) / 2)


@settings(deadline=None)
@given(x=RATINGS, width=st.sampled_from([0.5, 1.0, 2.0]))
def test_grouped_median_equals_a_brute_force_in_exact_fractions(x, width):
    assert tw.grouped_median(x, width=width) == pytest.approx(brute_force(x, width), rel=1e-13, abs=1e-13)


@settings(deadline=None)
@given(x=RATINGS)
def test_grouped_median_equals_the_standard_library_unless_the_middle_is_in_a_gap(x):
    low, high = sorted(x)[(len(x) - 1) // 2], sorted(x)[len(x) // 2]
    assume(high - low <= 1)
    assert tw.grouped_median(x) == pytest.approx(statistics.median_grouped(x), rel=1e-13, abs=1e-13)


def test_grouped_median_in_a_gap_of_the_scale_is_the_middle_of_the_gap():
    assert tw.grouped_median([2, 2, 8, 8]) == 5


def test_grouped_median_distinguishes_arms_with_the_same_median():
    # Bin(10, 0.83) and Bin(10, 0.80) both have median 8: algorithms.md, section 5
    better, worse = (np.random.default_rng(4).binomial(10, p, size=2001) for p in (0.83, 0.80))
    assert tw.Median()(better) == tw.Median()(worse) == 8
    assert tw.grouped_median(better) > tw.grouped_median(worse) + 0.1


@settings(deadline=None)
@given(x=RATINGS, width=st.sampled_from([0.5, 1.0, 2.0]))
def test_grouped_median_one_rating_at_a_time_equals_the_array(x, width):
    estimator = tw.GroupedMedian(width)
    memory, rng = estimator.memory(Setting(2, capacity=len(x))), np.random.default_rng(0)
    for n, rating in enumerate(map(float, x), start=1):
        insert(memory, 1, -rating, rng)
        assert insert(memory, 0, rating, rng) == pytest.approx(float(estimator(x[:n])), rel=1e-14, abs=1e-14)


def test_grouped_median_weights_are_equal_in_the_middle_category():
    assert tw.GroupedMedian().weights([9, 0, 9, 10, 9]).tolist() == pytest.approx([1 / 3, 0, 1 / 3, 0, 1 / 3])
    assert tw.GroupedMedian().why_down_weighted([9, 0, 9]) == ["", "", ""]


def test_grouped_median_works_along_any_axis():
    x = np.random.default_rng(0).integers(0, 11, size=(5, 6, 4))
    for axis in (0, 1, -1):
        expected = np.apply_along_axis(lambda row: brute_force(row.tolist(), 1), axis, x)
        np.testing.assert_allclose(tw.grouped_median(x, axis=axis), expected, rtol=1e-13)


@pytest.mark.parametrize("width", [0, -1, math.nan, math.inf, "1"])
def test_grouped_median_rejects_a_width_that_is_not_above_zero(width):
    with pytest.raises(ParameterError, match=r"width must be .*got"):
        tw.GroupedMedian(width)
    with pytest.raises(ParameterError, match=r"width must be .*got"):
        tw.grouped_median([1, 2], width=width)


def test_grouped_median_rejects_empty_and_non_finite_samples():
    with pytest.raises(RewardError, match="x must be finite, got"):
        tw.grouped_median([1, math.nan])
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.grouped_median([])
