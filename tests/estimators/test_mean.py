import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import trueward as tw
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.errors import ParameterError, RewardError

S20 = [0, 6, 7, 8, 8, 8, *[9] * 8, *[10] * 6]  # algorithms.md, section 21
SAMPLES = st.lists(st.integers(0, 10) | st.floats(-1e6, 1e6), min_size=1, max_size=60)


def test_mean_of_twenty_ratings_by_hand():
    assert tw.Mean()(S20) == pytest.approx(8.45)


@settings(deadline=None)
@given(x=SAMPLES)
def test_mean_equals_the_exact_mean_from_array_memory_and_weights(x):
    expected = pytest.approx(math.fsum(x) / len(x), rel=1e-12, abs=1e-12 * max(1.0, max(map(abs, x))))
    memory, rng = tw.Mean().memory(Setting(1)), np.random.default_rng(0)
    assert tw.Mean()(x) == expected
    assert [insert(memory, 0, float(reward), rng) for reward in x][-1] == expected
    assert tw.Mean().weights(x) @ np.array(x, float) == expected


def test_mean_does_not_overflow_with_rewards_of_1e300():
    memory, rng = tw.Mean().memory(Setting(1)), np.random.default_rng(0)
    estimates = [insert(memory, 0, reward, rng) for reward in [1e300, -1e300] * 500]
    assert np.isfinite(estimates).all()
    assert abs(estimates[-1]) < 1e288


def test_mean_works_along_any_axis():
    x = np.arange(12.0).reshape(3, 4)
    assert tw.Mean()(x, axis=0).tolist() == [4, 5, 6, 7]
    assert tw.Mean()(x).tolist() == [1.5, 5.5, 9.5]


def test_mean_down_weights_nothing():
    assert tw.Mean().why_down_weighted([1, 1e300, 2]) == ["", "", ""]


def test_mean_rejects_empty_and_non_finite_samples():
    with pytest.raises(RewardError, match="x must be finite, got"):
        tw.Mean()([1, math.nan])
    with pytest.raises(ParameterError, match="x must hold at least one observation"):
        tw.Mean()([])
