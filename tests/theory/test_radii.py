import itertools
import math

import numpy as np
import pytest

from trueward.errors import ParameterError
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean, shorth_mean
from trueward.estimators.trimmed_mean import TrimmedMean, trimmed_mean
from trueward.theory import (
    mean_radius,
    shorth_radius,
    shorth_radius_from_counts,
    trim_radius,
    trim_radius_from_counts,
)

SIGMA = 1.2649
KINDS = ("paper", "sharpened")
RADII = [(radius, kind) for radius in (trim_radius, shorth_radius) for kind in KINDS]


def test_trim_radius_without_bias_is_the_bonus_of_crucb():
    # the radius without its bias part: sigma / (1 - 2 alpha) * sqrt(4 ln t / n)
    bias = TrimmedMean(0.1).bias * SIGMA * math.sqrt(6 * math.log(100))
    assert trim_radius(20, 100, sigma=SIGMA, alpha=0.1) - bias == pytest.approx(1.517414, abs=5e-7)


def test_trim_radius_matches_theorem_1():
    n, t, s, a = 30, 50, 2.0, 0.2
    by_hand = s / (1 - 2 * a) * (math.sqrt(4 / n * math.log(t)) + 4 * a * math.sqrt(6 * math.log(t)))
    assert trim_radius(n, t, sigma=s, alpha=a) == pytest.approx(by_hand)


def test_shorth_radius_matches_theorem_2():
    n, t, s, a = 30, 50, 2.0, 0.2
    by_hand = s / (1 - 2 * a) * math.sqrt(4 / n * math.log(t))
    by_hand += (6 * a - 8 * a**2) * s / ((1 - 2 * a) * (1 - a)) * math.sqrt(6 * math.log(t))
    assert shorth_radius(n, t, sigma=s, alpha=a) == pytest.approx(by_hand)


def test_shorth_radius_sharpened_matches_its_formula():
    n, t, s, a = 30, 50, 2.0, 0.2
    by_hand = s / (1 - a) * (math.sqrt(4 / n * math.log(t)) + 5 * a * math.sqrt(6 * math.log(t)))
    assert shorth_radius(n, t, sigma=s, alpha=a, kind="sharpened") == pytest.approx(by_hand)


@pytest.mark.parametrize(("radius", "kind"), RADII)
@pytest.mark.parametrize("c", [4, 6])
def test_radius_at_alpha_zero_is_the_mean_radius(radius, kind, c):
    n = np.arange(1, 40)
    np.testing.assert_allclose(radius(n, 40, sigma=2, alpha=0, c=c, kind=kind), mean_radius(n, 40, sigma=2, c=c))


@pytest.mark.parametrize(("radius", "kind"), RADII)
def test_radius_decreases_with_n_and_increases_with_alpha_t_and_sigma(radius, kind):
    n = np.arange(1, 100)
    assert (np.diff(radius(n, 100, sigma=1, alpha=0.1, kind=kind)) < 0).all()
    assert (np.diff(radius(10, np.arange(10, 100), sigma=1, alpha=0.1, kind=kind)) > 0).all()
    by_alpha = [radius(10, 100, sigma=1, alpha=alpha, kind=kind) for alpha in np.linspace(0, 0.33, 34)]
    assert (np.diff(by_alpha) > 0).all()
    assert radius(10, 100, sigma=2, alpha=0.1, kind=kind) == pytest.approx(
        2 * radius(10, 100, sigma=1, alpha=0.1, kind=kind)
    )


def test_radius_broadcasts_pulls_against_rounds():
    table = trim_radius(np.arange(1, 6)[:, None], np.array([10, 20, 30]), sigma=1, alpha=0.1)
    assert table.shape == (5, 3)
    assert table[4, 2] == trim_radius(5, 30, sigma=1, alpha=0.1)


@pytest.mark.parametrize(("radius", "kind"), RADII)
def test_radius_with_bound_replaces_the_largest_deviation(radius, kind):
    largest = 1.5 * math.sqrt(6 * math.log(200))
    assert radius(50, 200, sigma=1.5, alpha=0.1, bound=largest, kind=kind) == pytest.approx(
        radius(50, 200, sigma=1.5, alpha=0.1, kind=kind)
    )
    assert radius(50, 200, sigma=1.5, alpha=0.1, bound=1.0, kind=kind) < radius(
        50, 200, sigma=1.5, alpha=0.1, kind=kind
    )


@pytest.mark.parametrize("kind", KINDS)
def test_trim_radius_from_counts_equals_trim_radius_for_whole_counts(kind):
    # alpha n = 4 of 20, as many bad as cut
    exact = trim_radius_from_counts(20, 100, sigma=2, cut=4, n_bad=4, kind=kind)
    assert exact == pytest.approx(trim_radius(20, 100, sigma=2, alpha=0.2, kind=kind))


def test_shorth_radius_from_counts_equals_sharpened_shorth_radius_for_whole_counts():
    exact = shorth_radius_from_counts(20, 100, sigma=2, n_outside=4, n_bad=4)
    assert exact == pytest.approx(shorth_radius(20, 100, sigma=2, alpha=0.2, kind="sharpened"))


def test_trim_radius_from_counts_exceeds_theorem_1_when_the_cut_is_rounded_up():
    # alpha n = 0.5 of 10 rounds up to a cut of 1 although no reward may be bad: 8 are kept, not (1 - 2 alpha) n = 9
    assert trim_radius_from_counts(10, 100, sigma=1, cut=1, n_bad=0) > trim_radius(10, 100, sigma=1, alpha=0.05)
    assert trim_radius_from_counts(10, 100, sigma=1, cut=0, n_bad=0) < trim_radius(10, 100, sigma=1, alpha=0.05)


def test_radii_from_counts_refuse_more_bad_rewards_than_are_cut():
    with pytest.raises(ParameterError, match="n_bad must be at most 2, got 3"):
        trim_radius_from_counts(20, 100, sigma=1, cut=2, n_bad=3)
    with pytest.raises(ParameterError, match="n_bad must be at most 2, got 3"):
        shorth_radius_from_counts(20, 100, sigma=1, n_outside=2, n_bad=3)


def test_estimates_are_unbounded_with_one_bad_reward_more_than_are_cut():
    x = np.r_[np.zeros(17), 1e18, 1e18, 1e18]
    formula_without_the_check = (20 * mean_radius(20, 100, sigma=1) + (2 * 3 + 2 * 2) * 6) / 16
    assert trimmed_mean(x, 0.1) > 1e16 > formula_without_the_check  # cut is 2
    assert shorth_mean(x, 0.1) > 1e16
    assert trimmed_mean(x, 0.15) == shorth_mean(x, 0.15) == 0  # cut is 3


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trim_radius(0, 10, sigma=1, alpha=0.1), "n must be at least 1, got 0"),
        (lambda: trim_radius([1, 30], 10, sigma=1, alpha=0.1), "n must be at most t = 10, got 30"),
        (lambda: trim_radius(5, 10, sigma=0, alpha=0.1), "sigma must be above 0, got 0"),
        (lambda: trim_radius(5, 10, sigma=1, alpha=0.5), "alpha must be at least 0 and below 0.5, got 0.5"),
        (lambda: shorth_radius(5, 10, sigma=1, alpha=0.4), "alpha must be at least 0 and below 0.333333"),
        (lambda: mean_radius(5, 10, sigma=1, c=-1), "c must be above 0, got -1"),
        (lambda: trim_radius(5, 10, sigma=1, alpha=0.1, bound=0), "bound must be above 0, got 0"),
        (lambda: trim_radius(5, 10, sigma=1, alpha=0.1, kind="best"), "kind must be one of 'paper', 'sharpened'"),
        (lambda: trim_radius_from_counts(5, 10, sigma=1, cut=3, n_bad=0), "cut must be at most 2, got 3"),
        (lambda: shorth_radius_from_counts(6, 10, sigma=1, n_outside=3, n_bad=0), "n_outside must be at most 2, got 3"),
    ],
)
def test_radius_functions_name_the_invalid_parameter(call, message):
    with pytest.raises(ParameterError, match=message):
        call()


# Deterministic heart of both theorems: |estimate - mu| <= (n |mean error| + moved * largest deviation) / kept.


def worst_estimates(estimate, clean, n_bad):
    """Return the lowest and highest estimate over all choices of bad rewards, and many of their values."""
    values = np.r_[-1e9, clean, clean + 1e-3, np.linspace(-9, 9, 19), 1e9]
    seen = []
    for who in itertools.combinations(range(clean.size), n_bad):
        for shown in itertools.combinations_with_replacement(values, n_bad):
            x = clean.copy()
            x[list(who)] = shown
            seen.append(x)
    estimates = estimate(np.array(seen))
    return estimates.min(), estimates.max()


@pytest.mark.parametrize("n_bad", [0, 1, 2])
def test_radii_from_counts_hold_for_every_choice_of_bad_rewards_among_seven(n_bad):
    rng = np.random.default_rng(1)
    for _ in range(3):
        clean = rng.normal(size=7)
        noise, spread = 7 * abs(clean.mean()), np.abs(clean).max()  # mu = 0
        low, high = worst_estimates(TrimmedMean(2 / 7), clean, n_bad)
        assert max(-low, high) <= (noise + 2 * 2 * spread) / (7 - 4)
        low, high = worst_estimates(ShorthMean(2 / 7), clean, n_bad)
        assert max(-low, high) <= (noise + (4 * n_bad + 2) * spread) / (7 - 2)


@pytest.mark.parametrize(("n", "cut"), [(10, 1), (20, 3), (9, 2)])
def test_trim_radius_sharpened_constant_is_attained(n, cut):
    # 2 cut rewards of 1, the rest such that the mean is 0; the adversary turns half of the ones into -1e9
    clean = np.r_[np.ones(2 * cut), np.full(n - 2 * cut, -2 * cut / (n - 2 * cut))]
    attacked = np.r_[np.full(cut, -1e9), clean[cut:]]
    assert abs(clean.mean()) < 1e-15
    assert np.abs(clean).max() == 1
    assert trimmed_mean(attacked, cut / n) == pytest.approx(-2 * cut / (n - 2 * cut))
