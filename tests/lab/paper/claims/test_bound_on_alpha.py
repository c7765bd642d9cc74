import numpy as np
import pytest
from scipy import stats

from made_up_results import judged, like_the_paper, made_up
from trueward.lab.paper.claims.bound_on_alpha import error_differences


def test_alpha_is_compared_with_the_bound_of_the_theorems_and_regret_with_half_of_uniform_play():
    entries = judged(made_up("figure1", like_the_paper))
    # alpha_max of Theorem 3 is 1 / (4 + 16 * 1.2649 * sqrt(6 ln 1000)) = 0.0074464
    assert entries["bound-on-alpha-broken"].checks[0].value == pytest.approx(0.05 / 0.0074464, rel=1e-4)
    assert entries["good-though-bound-broken"].checks[0].value == pytest.approx(110 * 1.1 / 800)
    assert entries["good-though-bound-broken"].verdict == "holds"


def test_error_differences_of_shorth_and_trimmed_mean_equal_those_of_scipy():
    ratings = np.random.default_rng(0).binomial(10, 0.9, size=(400, 100)).astype(float)
    ratings[:, :10] = 6.0
    first = np.sort(ratings[0])
    windows = [first[i : i + 90] for i in range(11)]
    shortest = min(np.ptp(window) for window in windows)
    means = [window.mean() for window in windows if np.ptp(window) == shortest]
    difference = error_differences("best arm", 6.0)[0] + abs(stats.trim_mean(first, 0.1) - 9)
    assert difference in [pytest.approx(abs(mean - 9)) for mean in means]


def test_shorth_mean_is_not_better_for_skewed_contamination():
    entry = judged(made_up("figure1", like_the_paper))["shorth-better-when-skewed"]
    assert entry.verdict == "does not hold"
    assert "other arms with bad 110: -0.18" in entry.comment
