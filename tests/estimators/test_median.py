import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueward as tw
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.errors import ParameterError, RewardError

S20 = [0, 6, 7, 8, 8, 8, *[9] * 8, *[10] * 6]  # algorithms.md, section 21
SAMPLES = st.lists(st.integers(0, 10), min_size=1, max_size=40) | st.lists(
    st.floats(-1e6, 1e6), min_size=1, max_size=40
)


def test_median_of_twenty_ratings_by_hand():
    assert tw.Median()(S20) == 9


def test_median_of_an_even_number_is_the_average_or_the_upper_middle_reward():
    assert tw.Median()([1, 2, 6, 1e18]) == 4
    assert tw.Median(even="upper")([1, 2, 6, 1e18]) == 6


@settings(deadline=None)
@given(x=SAMPLES)
def test_median_equals_numpy_and_upper_median_equals_the_standard_library(x):
    assert tw.Median()(x) == pytest.approx(np.median(x), rel=1e-14, abs=1e-300)
    assert tw.Median(even="upper")(x) == statistics.median_high(x)


@settings(deadline=None)
@given(x=SAMPLES, even=st.sampled_from(["average", "upper"]))
def test_median_one_reward_at_a_time_equals_the_array(x, even):
    estimator = tw.Median(even=even)
    memory, rng = estimator.memory(Setting(2, capacity=len(x))), np.random.default_rng(0)
    for n, reward in enumerate(map(float, x), start=1):
        insert(memory, 1, -reward, rng)
        assert insert(memory, 0, reward, rng) == pytest.approx(float(estimator(x[:n])), rel=1e-14, abs=1e-300)


@settings(deadline=None)
@given(x=SAMPLES, even=st.sampled_from(["average", "upper"]))
def test_median_is_the_weighted_mean_of_its_weights(x, even):
    estimator = tw.Median(even=even)
    assert estimator.weights(x) @ np.array(x, float) == pytest.approx(float(estimator(x)), rel=1e-14, abs=1e-300)
    assert estimator.weights(x).sum() == 1
    assert estimator.why_down_weighted(x) == [""] * len(x)


def test_median_works_along_any_axis():
    x = np.random.default_rng(0).normal(size=(4, 6, 5))
    for axis in (0, 1, -1):
        np.testing.assert_allclose(tw.Median()(x, axis=axis), np.median(x, axis=axis), rtol=1e-14)


def test_median_does_not_overflow_with_rewards_of_1e300():
    assert tw.Median()([1e300, 1e300]) == 1e300


def test_median_rejects_bad_parameters_and_samples():
    with pytest.raises(ParameterError, match="even must be one of 'average', 'upper', got 'lower'"):
        tw.Median(even="lower")
    with pytest.raises(RewardError, match="x must be finite, got"):
        tw.Median()([1, math.inf])
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.Median()([])
