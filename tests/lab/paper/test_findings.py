import numpy as np
import pytest
from scipy import stats

from trueward.lab.paper.claims.findings import above, below, bootstrap, bounded_mean, share
from trueward.statistics.mean_interval import Z


@pytest.mark.parametrize(
    ("interval", "outcome"),
    [
        ((1, 2), "holds"),
        ((-2, -1), "does not hold"),
        ((-1, 1), "undecided"),
        ((0, 1), "undecided"),
        ((-1, 0), "undecided"),
    ],
)
def test_an_interval_that_contains_the_limit_is_undecided(interval, outcome):
    low, high = interval
    assert above(0).finding((low, low, high), "").outcome == outcome
    assert below(0).finding((-low, -high, -low), "").outcome == outcome


def test_what_does_not_hold_decides_before_what_is_undecided():
    comparisons = [((1.0, -7.0, 9.0), "wide"), ((2.0, 1.0, 3.0), "fails"), ((-1.0, -2.0, -0.5), "holds")]
    assert below(0).weakest(comparisons).compared == "fails"


@pytest.mark.parametrize(("count", "trials"), [(0, 10), (3, 10), (10, 10), (873, 1000)])
def test_the_interval_of_a_share_is_wilsons(count, trials):
    observed, *ends = share(np.arange(trials) < count)
    assert observed == count / trials
    assert ends[0] <= observed <= ends[1]
    for p in ends:  # at which what was seen is just 1.96 standard errors away
        assert (observed - p) ** 2 == pytest.approx(Z * Z * p * (1 - p) / trials, abs=1e-12)


def test_the_bootstrap_interval_of_a_mean_is_close_to_the_normal_one():
    values = np.random.default_rng(1).normal(3, 1, size=(400, 1))
    centre, low, high = bootstrap(values, lambda means: means[..., 0])
    # The standard error is 0.05. Each end of a 1000-fold percentile interval errs by about 0.12 of it; 5 times that:
    assert centre == pytest.approx(values.mean())
    assert (low - centre, high - centre) == pytest.approx((-0.098, 0.098), abs=0.03)


def test_the_interval_of_a_bounded_mean_covers_any_spread():
    values = np.r_[np.ones(30), -np.ones(70)]  # as spread as numbers from -1 to 1 with this mean can be
    centre, low, high = bounded_mean(values.mean(), 1, values.size)
    assert centre == pytest.approx(-0.4)
    assert (high - low) / 2 == pytest.approx(stats.norm.ppf(0.975) * values.std() / 10)
