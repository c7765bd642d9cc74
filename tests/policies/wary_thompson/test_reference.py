"""Wary Thompson sampling against a short reference in NumPy that starts from scratch at every rating."""

import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import make_ask, make_observation, update
from trueward.policies.wary_thompson.hypotheses import HYPOTHESES
from trueward.policies.wary_thompson.rating_model import Assumptions, rating_model

from .reference import Reference

HORIZON = 200
GOOD = (8, 6, 5)


def ratings(seed, bad, n=90):
    """Give arms and ratings of a game in which `bad(number, arm, of_arm)` says what a bad rater gives, or None."""
    rng, seen = np.random.default_rng(seed), [0, 0, 0]
    for number in range(n):
        arm = int(rng.integers(3)) if number > 30 else number % 3
        value = bad(number, arm, seen[arm])
        seen[arm] += 1
        yield arm, int(np.clip(round(rng.normal(GOOD[arm], 1)), 0, 10)) if value is None else value


BAD = {
    "nothing": lambda number, arm, of_arm: None,
    "a burst in the middle": lambda number, arm, of_arm: (0, 10, 10)[arm] if 40 <= number < 55 else None,
    "a burst at the start": lambda number, arm, of_arm: (0, 10, 10)[arm] if number < 36 else None,
    "two bursts": lambda number, arm, of_arm: 0 if 25 <= number < 46 or 65 <= number < 84 else None,
    "one arm": lambda number, arm, of_arm: 0 if arm == 0 and number >= 50 else None,
    "first ratings": lambda number, arm, of_arm: 10 if of_arm < 8 else None,
}


@pytest.mark.parametrize("name", BAD)
def test_hypotheses_posteriors_and_probabilities_are_those_of_the_reference(name):
    policy = tw.WaryThompson((0, 10))
    state = policy.start(3, horizon=HORIZON, capacity=100)
    reference = Reference(3, rating_model(11, Assumptions().in_short), state.model, HORIZON)
    rng, most = np.random.default_rng(0), 0
    for t, (arm, rating) in enumerate(ratings(3, BAD[name]), 1):
        update(state, make_observation(arm, rating, n_arms=3, t=t), rng)
        reference.add(arm, rating)
        held = int(state.standing.counts[HYPOTHESES])
        most = max(most, held)
        assert held == len(reference.held)
        weights = [hypothesis.weight for hypothesis in reference.held]
        np.testing.assert_allclose(state.standing.weights[:held], weights, rtol=1e-2, atol=1e-4)
    for place, hypothesis in enumerate(reference.held):
        for arm in range(3):
            size = state.log.sizes[arm]
            labels = hypothesis.excluded[reference.arms == arm]
            np.testing.assert_array_equal(state.labels.excluded[arm, place, :size], labels)
        np.testing.assert_array_equal(state.labels.open[:, place], hypothesis.open)
    for found, expected in zip(policy.posterior(state), reference.posterior(), strict=True):
        np.testing.assert_allclose(found, 10 * expected, atol=2e-3)
    np.testing.assert_allclose(policy.probabilities(state, make_ask(1, 3)), reference.probabilities(), atol=1e-3)
    assert (most > 1) == (name != "nothing")
