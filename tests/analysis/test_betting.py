"""The smallest wealth against the answer by brute force, and the supermartingale against exact expectations."""

import itertools

import numpy as np
import pytest

from trueward.analysis.betting import CLIPS, STAKE_WEIGHTS, STAKES, log_wealth, most_bad, ruled_out

SCALE = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
BADS = ("careless", "capped", "chosen")


def counts_of(ratings):
    return np.array([np.count_nonzero(np.asarray(ratings) == value) for value in SCALE], dtype=float)


def plain(ratings, mean):
    """Return the mean wealth over the stakes, rating by rating."""
    return STAKE_WEIGHTS @ [np.prod([1 + b / mean * (y - mean) for y in ratings]) for b in STAKES]


@pytest.mark.parametrize("ratings", [(1.0, 1.0, 0.75, 0.5, 0.0), (0.25, 0.25, 0.0, 0.5, 0.75, 1.0), (1.0,) * 4])
@pytest.mark.parametrize("mean", [0.1, 0.4, 0.8])
def test_log_wealth_without_contamination_is_the_mean_over_fixed_stakes(ratings, mean):
    for bad in BADS:
        found = log_wealth(SCALE, counts_of(ratings), mean, epsilon=0.0, bad=bad)
        np.testing.assert_allclose(np.exp(found), plain(ratings, mean), rtol=1e-12)


@pytest.mark.parametrize("ratings", [(1.0, 1.0, 0.75, 0.5, 0.0), (0.25, 0.25, 0.0, 0.5, 0.75, 1.0)])
@pytest.mark.parametrize("mean", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("most", [1, 2])
def test_chosen_wealth_is_the_smallest_over_all_replaced_ratings(ratings, mean, most):
    smallest = np.inf
    for places in itertools.combinations(range(len(ratings)), most):
        for values in itertools.product(SCALE, repeat=most):
            changed = list(ratings)
            for place, value in zip(places, values, strict=True):
                changed[place] = value
            smallest = min(smallest, plain(changed, mean))
    found = log_wealth(SCALE, counts_of(ratings), mean, epsilon=most / len(ratings), bad="chosen")
    np.testing.assert_allclose(np.exp(found), smallest, rtol=1e-12)


@pytest.mark.parametrize("ratings", [(1.0, 1.0, 0.75, 0.5, 0.0), (0.25, 0.25, 0.0, 0.5, 0.75, 1.0)])
@pytest.mark.parametrize("mean", [0.1, 0.4, 0.8])
@pytest.mark.parametrize("most", [1, 2])
def test_capped_wealth_is_the_smallest_over_all_removed_ratings(ratings, mean, most):
    n = len(ratings)
    out = [places for k in range(most + 1) for places in itertools.combinations(range(n), k)]
    smallest = min(plain([ratings[i] for i in range(n) if i not in places], mean) for places in out)
    found = log_wealth(SCALE, counts_of(ratings), mean, epsilon=most / n, bad="capped")
    np.testing.assert_allclose(np.exp(found), smallest, rtol=1e-12)


def test_careless_wealth_is_a_mean_of_bets_on_clipped_ratings():
    ratings, mean, epsilon = (1.0, 0.75, 0.75, 0.5, 0.0), 0.3, 0.2
    by_clip = []
    for clip in CLIPS:
        doubted = 0.8 * min(mean, clip) + 0.2 * clip
        bets = [np.prod([1 + b / doubted * (min(y, clip) - doubted) for y in ratings]) for b in STAKES]
        by_clip.append(STAKE_WEIGHTS @ bets)
    expected = 0.5 * by_clip[-1] + 0.5 * np.mean(by_clip[:-1])
    found = log_wealth(SCALE, counts_of(ratings), mean, epsilon=epsilon, bad="careless")
    np.testing.assert_allclose(np.exp(found), expected, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.4, 1.0])
def test_careless_wealth_is_a_supermartingale_under_any_contamination(epsilon):
    rng = np.random.default_rng(0)
    one_each = np.eye(SCALE.size)
    for _ in range(200):
        distribution = rng.dirichlet(np.full(SCALE.size, rng.choice([0.1, 1.0])))
        mean = max(float(distribution @ SCALE), 1e-6)
        gain = np.exp(log_wealth(SCALE, one_each, mean, epsilon=epsilon, bad="careless"))
        assert (1 - epsilon) * distribution @ gain + epsilon * gain.max() <= 1 + 1e-12


@pytest.mark.parametrize("bad", BADS)
@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.3])
def test_log_wealth_falls_with_the_mean_and_with_epsilon(bad, epsilon):
    rng = np.random.default_rng(1)
    counts = rng.multinomial(60, [0.1, 0.1, 0.2, 0.3, 0.3], size=20).astype(float)
    means = np.linspace(0.01, 0.99, 60)
    falling = np.array([log_wealth(SCALE, counts, m, epsilon=epsilon, bad=bad) for m in means])
    assert (np.diff(falling, axis=0) <= 1e-12).all()
    more = np.array([log_wealth(SCALE, counts, m, epsilon=epsilon + 0.1, bad=bad) for m in means])
    against = falling > 0.0  # below, both are no evidence at all
    assert (more[against] <= falling[against] + 1e-12).all()


def test_most_bad_is_exact_for_a_tenth_of_a_hundred_thousand():
    assert most_bad(np.array([100_000.0]), 0.1) == 10_000
    assert most_bad(np.array([[9.0], [10.0]]), 0.1).tolist() == [0.0, 1.0]


@pytest.mark.parametrize("bad", BADS)
def test_ruled_out_equals_log_wealth_above_the_threshold(bad):
    counts = np.random.default_rng(2).multinomial(40, [0.05, 0.1, 0.15, 0.3, 0.4], size=300).astype(float)
    for mean in (0.3, 0.5, 0.6):
        found = ruled_out(SCALE, counts, mean, epsilon=0.05, bad=bad, threshold=np.log(20))
        expected = log_wealth(SCALE, counts, mean, epsilon=0.05, bad=bad) > np.log(20)
        assert (found == expected).all()
        assert mean == 0.3 or 0 < found.sum() < 300 or not expected.any()
