"""Wary's selection probabilities equal those that a reference sums by brute force from a raw list of ratings."""

import math
from dataclasses import asdict

import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import make_ask, make_observation, update
from trueward.engine.states import copy_of

from .reference import Rating, contaminated_interval, selection_probabilities

CHECK = {0.0: 0.5 / 0.05, 1.0: 0.5 / 0.95, None: 1.0}  # likelihood ratios of the default signals
SECONDS = {1.0: 0.4 / 0.05, 5.0: 0.6 / 0.95, None: 1.0}


def assumptions(policy, n_arms, **changed):
    """Return the numbers that the model assumes, changed as the docstring of Wary says."""
    assumed = asdict(type(policy).assumed) | {"most": policy.most}
    if policy.polarised is not None:
        assumed["heap_odds"] = 1.0 if policy.polarised else 0.0
    if policy.polarised or n_arms == 1 or policy.most == 0.0:
        assumed["attack_prior"] = 0.0
    return assumed | ({"interval_prior": 0.0} if policy.most == 0.0 else {}) | changed


def history(n, n_ratings, n_arms, *, bad=None, seed=0):
    """Return `n` ratings; `bad(number, arm)` returns a bad rating, or None."""
    rng, top = np.random.default_rng(seed), n_ratings - 1
    centres, ratings = rng.uniform(0.3, 0.9, n_arms) * top, []
    for number in range(n):
        arm = int(rng.integers(n_arms))
        honest = int(np.clip(round(rng.normal(centres[arm], 0.15 * top)), 0, top))
        value = bad(number, arm) if bad else None
        ratings.append(Rating(arm, honest if value is None else value))
    return ratings


def learned(policy, ratings, n_arms):
    state, rng = policy.start(n_arms), np.random.default_rng(0)
    for t, (arm, rating, _) in enumerate(ratings, 1):
        update(state, make_observation(arm, policy.range[0] + rating, n_arms=n_arms, t=t), rng)
    return state


HISTORIES = {
    "no rating": ((1, 5), 3, 0, None),
    "one rating": ((1, 5), 3, 1, None),
    "clean, five points": ((1, 5), 2, 30, None),
    "clean, seven points": ((1, 7), 5, 90, None),
    "clean, eleven points": ((0, 10), 3, 70, None),
    "one arm": ((1, 7), 1, 40, None),
    "attack": ((0, 10), 3, 60, lambda i, arm: (0 if arm == 0 else 10) if i % 4 == 0 else None),
    "heap on one arm": ((1, 5), 4, 60, lambda i, arm: 0 if arm == 0 and i % 3 == 0 else None),
    "heap at the top": ((1, 7), 2, 50, lambda i, arm: 6 if arm == 1 and i % 3 == 0 else None),
    "burst": ((0, 10), 3, 50, lambda i, arm: (0 if arm == 0 else 10) if 20 <= i < 32 else None),
    "bot at the start": ((1, 7), 2, 45, lambda i, arm: 0 if i < 14 else None),
    "interval that lasts until now": ((1, 5), 3, 83, lambda i, arm: 4 * (i % 2) if i >= 62 else None),
    "merged twice": ((1, 7), 3, 150, lambda i, arm: 6 - 6 * (arm == 0) if 60 <= i < 90 else None),
}


@pytest.mark.parametrize("name", HISTORIES)
def test_selection_probabilities_equal_the_sum_by_brute_force(name):
    scale, n_arms, n, bad = HISTORIES[name]
    policy, n_ratings = tw.Wary(scale), scale[1] - scale[0] + 1
    ratings = history(n, n_ratings, n_arms, bad=bad)
    assumed = assumptions(policy, n_arms)
    found = policy.probabilities(learned(policy, ratings, n_arms), make_ask(n + 1, n_arms))
    np.testing.assert_allclose(found, selection_probabilities(ratings, n_arms, n_ratings, assumed), atol=1e-9)
    if any(word in name for word in ("burst", "start", "until now", "merged")):
        assert contaminated_interval(ratings, n_arms, n_ratings, assumed)[0] > 0.02  # so that equation (13) is tested


@pytest.mark.parametrize("parameters", [{"most": 0.0}, {"most": 0.1}, {"polarised": True}, {"polarised": False}])
def test_selection_probabilities_with_parameters_equal_the_sum_by_brute_force(parameters):
    policy = tw.Wary((1, 5), **parameters)
    ratings = history(45, 5, 3, bad=lambda i, arm: (0 if arm == 0 else 4) if i % 5 == 0 else None, seed=1)
    expected = selection_probabilities(ratings, 3, 5, assumptions(policy, 3))
    found = policy.probabilities(learned(policy, ratings, 3), make_ask(46, 3))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    default = tw.Wary((1, 5)).probabilities(learned(tw.Wary((1, 5)), ratings, 3), make_ask(46, 3))
    assert np.abs(found - default).max() > 1e-3  # the parameter matters here


def test_selection_probabilities_with_evidence_equal_the_sum_by_brute_force():
    policy, rng, n_arms = tw.Wary((1, 7)), np.random.default_rng(0), 2
    state, raw = policy.start(n_arms, signals=("check", "seconds")), []
    for t, (arm, rating, _) in enumerate(history(40, 7, n_arms, seed=2), 1):
        check, seconds = (list(ratios)[rng.integers(3)] for ratios in (CHECK, SECONDS))
        raw.append(Rating(arm, rating, CHECK[check] * SECONDS[seconds]))
        evidence = [math.nan if value is None else value for value in (check, seconds)]
        update(state, make_observation(arm, 1 + rating, n_arms=n_arms, t=t, evidence=evidence), rng)
    found = policy.probabilities(state, make_ask(41, n_arms))
    np.testing.assert_allclose(found, selection_probabilities(raw, n_arms, 7, assumptions(policy, n_arms)), atol=1e-9)
    without = selection_probabilities(
        [Rating(arm, rating) for arm, rating, _ in raw], n_arms, 7, asdict(policy.assumed)
    )
    assert np.abs(found - without).max() > 1e-3


def test_selection_probabilities_of_available_arms_equal_the_sum_over_their_ratings():
    policy, available = tw.Wary((1, 5)), [0, 2, 3]
    ratings = history(60, 5, 4, bad=lambda i, arm: 0 if 20 <= i < 35 else None, seed=3)
    found = policy.probabilities(copy_of(learned(policy, ratings, 4), np.array(available)), make_ask(61, 3))
    expected = selection_probabilities(ratings, 4, 5, assumptions(policy, 4), available)
    np.testing.assert_allclose(found, expected, atol=1e-9)
