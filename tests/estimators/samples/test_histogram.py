import numpy as np
import pytest

from trueward.engine.states import Setting
from trueward.estimators.samples.histogram import count_rating, new_histogram


@pytest.mark.parametrize("scale", [np.arange(11.0), np.array([1.0, 2.0, 5.0])], ids=len)
def test_histogram_counts_a_value_outside_the_scale_at_its_nearest_end(scale):
    histogram = new_histogram(Setting(1, scale=scale))
    for value in (-1e300, -1e20, scale[0] - 1, scale[-1] + 1, 1e18, 1e20, 1e300):
        count_rating(histogram, 0, value)
    assert histogram.counts[0].tolist() == [3, *[0] * (scale.size - 2), 4]
