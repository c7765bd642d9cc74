"""The radii hold on contaminated samples: many samples, several distributions, several adversaries, zero violations.

A radius fails with probability at most 4/t^2 = 4e-6, so in 63 cases of 2,000 samples at most 0.5 times; in fact the
tail bounds behind it are far from equality, and the seeds are fixed. Another test shows that the
attacks are strong enough to exceed smaller radii.
"""

import math

import numpy as np
import pytest

from trueward.engine.kernel import floor_edge
from trueward.estimators.shorth_mean.shorth_mean import shorth_mean
from trueward.estimators.trimmed_mean import trimmed_mean
from trueward.theory import (
    mean_radius,
    satisfies_prefix_constraint,
    shorth_radius,
    shorth_radius_from_counts,
    trim_radius,
    trim_radius_from_counts,
)

SAMPLES, T = 2_000, 1_000
SIZES = (7, 20, 60)


def kearns_saul(p, trials):
    return math.sqrt(trials * (1 - 2 * p) / (2 * math.log((1 - p) / p)))


# distribution: (draw, mean, sub-Gaussian proxy)
DISTRIBUTIONS = {
    "normal": (lambda rng, size: rng.normal(5, 2, size), 5.0, 2.0),
    "ratings": (lambda rng, size: rng.binomial(10, 0.8, size).astype(float), 8.0, kearns_saul(0.8, 10)),
    "coins": (lambda rng, size: rng.binomial(1, 0.9, size).astype(float), 0.9, kearns_saul(0.9, 1)),
}


def greedy_mask(n, epsilon):
    """Return the earliest contamination that the constraint allows."""
    mask = np.zeros(n, dtype=bool)
    for i in range(n):
        mask[i] = mask.sum() + 1 <= epsilon * (i + 1) + 1e-9
    return mask


def spend(x, epsilon, value):
    attacked = x.copy()
    attacked[:, greedy_mask(x.shape[1], epsilon)] = value
    return attacked


def top_to(x, epsilon, value):
    """Take the highest rewards away: an adversary that chooses which rewards to replace."""
    attacked = np.sort(x, axis=1)
    bad = floor_edge(epsilon * x.shape[1])
    attacked[:, x.shape[1] - bad :] = value
    return attacked


# attack: (which rewards are replaced, by a value this many sigmas above the mean)
ATTACKS = {
    "none": (lambda x, *_: x, 0.0),
    "huge": (spend, 1e18),
    "huge below": (spend, -1e18),
    "inlier": (spend, 2.0),
    "edge": (spend, 3.5),
    "top to bottom": (top_to, -1e18),
    "top to low inlier": (top_to, -2.0),
}

CASES = [(distribution, attack, n) for distribution in DISTRIBUTIONS for attack in ATTACKS for n in SIZES]


def errors(distribution, attack, n, alpha, estimate):
    draw, mu, sigma = DISTRIBUTIONS[distribution]
    rng = np.random.default_rng([sorted(DISTRIBUTIONS).index(distribution), sorted(ATTACKS).index(attack), n])
    contaminate, sigmas = ATTACKS[attack]
    x = contaminate(draw(rng, (SAMPLES, n)), alpha, mu + sigmas * sigma)
    return np.abs(estimate(x, alpha) - mu), sigma


def trim_floor(x, alpha):
    return trimmed_mean(x, alpha, rounding="floor")


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("epsilon", [0.05, 0.2, 0.3])
def test_the_greedy_adversary_keeps_the_constraint_and_wastes_nothing(n, epsilon):
    mask = greedy_mask(n, epsilon)
    assert satisfies_prefix_constraint(mask, epsilon=epsilon)
    assert mask.sum() == floor_edge(epsilon * n)


@pytest.mark.parametrize("kind", ["paper", "sharpened"])
@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_trim_radius_covers_the_mean_under_every_attack(alpha, kind):
    for distribution, attack, n in CASES:
        error, sigma = errors(distribution, attack, n, alpha, trim_floor)
        assert (error <= trim_radius(n, T, sigma=sigma, alpha=alpha, kind=kind)).all(), (distribution, attack, n)


@pytest.mark.parametrize("kind", ["paper", "sharpened"])
@pytest.mark.parametrize("alpha", [0.1, 0.3])
def test_shorth_radius_covers_the_mean_under_every_attack(alpha, kind):
    for distribution, attack, n in CASES:
        error, sigma = errors(distribution, attack, n, alpha, shorth_mean)
        assert (error <= shorth_radius(n, T, sigma=sigma, alpha=alpha, kind=kind)).all(), (distribution, attack, n)


def test_radii_from_counts_cover_the_mean_when_the_cut_is_rounded_up():
    alpha = 0.15
    for distribution, attack, n in CASES:
        n_bad, cut = floor_edge(alpha * n), min(math.ceil(alpha * n - 1e-9), (n - 1) // 2)
        error, sigma = errors(distribution, attack, n, alpha, trimmed_mean)
        assert (error <= trim_radius_from_counts(n, T, sigma=sigma, cut=cut, n_bad=n_bad, kind="sharpened")).all()
        error, sigma = errors(distribution, attack, n, alpha, shorth_mean)
        assert (error <= shorth_radius_from_counts(n, T, sigma=sigma, n_outside=n_bad, n_bad=n_bad)).all()


def test_attacks_exceed_radii_that_ignore_contamination():
    # the noise alone does not cover a trimmed mean whose highest fifth was taken away
    error, sigma = errors("normal", "top to bottom", 60, 0.2, trim_floor)
    assert (error > mean_radius(60, T, sigma=sigma)).mean() > 0.02
    assert (error > 0.5 * mean_radius(60, T, sigma=sigma)).mean() > 0.5
    # nor does any radius cover the mean, or the pseudo-code as it is printed
    error, sigma = errors("normal", "huge", 20, 0.1, lambda x, _: x.mean(axis=1))
    assert (error > 1e15).all()
    error, sigma = errors("normal", "huge below", 20, 0.1, lambda x, a: trimmed_mean(x, a, literal=True))
    assert (error > 1e15).all()


def test_trim_radius_with_bound_covers_ratings_under_unbounded_contamination():
    for attack in ATTACKS:
        error, sigma = errors("ratings", attack, 60, 0.1, trim_floor)
        assert (error <= trim_radius(60, T, sigma=sigma, alpha=0.1, bound=8, kind="sharpened")).all()


def test_trim_radius_with_c_6_covers_all_sample_sizes_at_once():
    # one stream per row; every prefix up to t = 300 is checked in round t = 300
    x = np.random.default_rng(5).normal(size=(400, 300))
    mask = greedy_mask(300, 0.1)
    x[:, mask] = 1e18
    for n in range(1, 301):
        error = np.abs(trim_floor(x[:, :n], 0.1))
        assert (error <= trim_radius(n, 300, sigma=1, alpha=0.1, c=6, kind="sharpened")).all(), n
