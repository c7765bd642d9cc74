import numpy as np
import pytest
from scipy import stats

from trueward.lab.paper.estimates import bootstrap, bounded_mean, proportion
from trueward.statistics.mean_interval import Z


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (3, 10), (10, 10), (873, 1000)])
def test_proportion_has_a_wilson_interval(count, trials):
    observed, *bounds = proportion(np.arange(trials) < count)
    assert observed == count / trials
    assert bounds[0] <= observed <= bounds[1]
    for p in bounds:  # at which what was seen is just 1.96 standard errors away
        assert (observed - p) ** 2 == pytest.approx(Z * Z * p * (1 - p) / trials, abs=1e-12)


def test_bootstrap_interval_of_a_mean_is_close_to_the_normal_one():
    values = np.random.default_rng(1).normal(3, 1, size=(400, 1))
    centre, low, high = bootstrap(values, lambda means: means[..., 0])
    # The standard error is 0.05. Each end of a 1000-fold percentile interval errs by about 0.12 of it; 5 times that:
    assert centre == pytest.approx(values.mean())
    assert (low - centre, high - centre) == pytest.approx((-0.098, 0.098), abs=0.03)


def test_bounded_mean_has_the_interval_of_the_largest_variance():
    values = np.r_[np.ones(30), -np.ones(70)]  # as spread as numbers from -1 to 1 with this mean can be
    centre, low, high = bounded_mean(values.mean(), 1, values.size)
    assert centre == pytest.approx(-0.4)
    assert (high - low) / 2 == pytest.approx(stats.norm.ppf(0.975) * values.std() / 10)
