import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trueward.engine.states import Setting, new
from trueward.estimators.samples.exact_sum import ExactSum, add_exactly, rounded_sum


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(-1e300, 1e300, allow_nan=False), min_size=1, max_size=40), st.data())
def test_exact_sum_equals_fsum_after_values_are_removed(values, data):
    sums = new(ExactSum, Setting(1))
    for value in values:
        add_exactly(sums, 0, value)
    gone = data.draw(st.lists(st.sampled_from(range(len(values))), unique=True))
    for i in gone:
        add_exactly(sums, 0, -values[i])
    left = math.fsum(value for i, value in enumerate(values) if i not in gone)
    assert rounded_sum(sums, 0) == pytest.approx(left, rel=1e-15, abs=0)


def test_exact_sum_needs_two_parts_for_values_of_similar_size_and_more_for_others():
    like, unlike = new(ExactSum, Setting(1)), new(ExactSum, Setting(1))
    for value in np.random.default_rng(8).normal(5, 1, 2000).tolist():
        add_exactly(like, 0, value)
    for value in (1e18, 1.0, 1e-18, 1e-36):
        add_exactly(unlike, 0, value)
    assert like.n_parts[0] == 2
    assert unlike.n_parts[0] == 4
    for value in (1e18, 1.0, 1e-18):  # and back to two, with what is left intact
        add_exactly(unlike, 0, -value)
    assert unlike.n_parts[0] == 2
    assert rounded_sum(unlike, 0) == 1e-36
