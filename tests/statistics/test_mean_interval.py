import numpy as np
from scipy import stats

from trueward.statistics.mean_interval import mean_interval, standard_deviation


def test_mean_interval_equals_scipys_normal_interval_along_the_first_axis():
    values = np.random.default_rng(0).normal(3, 2, size=(40, 3))
    mean, low, high = mean_interval(values)
    expected = stats.norm.interval(0.95, loc=values.mean(axis=0), scale=stats.sem(values, axis=0))
    np.testing.assert_allclose(mean, values.mean(axis=0), rtol=1e-14)
    np.testing.assert_allclose([low, high], expected, rtol=1e-12)


def test_mean_interval_of_a_single_trial_has_width_zero():
    assert mean_interval(np.array([[4.0, 5.0]]))[1].tolist() == [4, 5]
    assert standard_deviation(np.array([[4.0, 5.0]])).tolist() == [0, 0]
