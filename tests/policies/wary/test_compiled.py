"""Compiled, Wary has the same probabilities up to rounding and draws the same arms."""

import numpy as np

import trueward as tw
from trueward.engine.compiling import compiled
from trueward.engine.protocol import Ask, Observation, choose, update


def play(state, rewards, evidence, p, arms, rng):
    """Play a game with these (rounds, arms) rewards; fill in the probabilities and the arms of each round."""
    available, pending = np.ones(p.shape[1], np.bool_), np.zeros(p.shape[1], np.int64)
    for t in range(rewards.shape[0]):
        arms[t] = choose(state, Ask(t + 1, available, pending, p[t]), rng)
        update(state, Observation(t + 1, arms[t], rewards[t, arms[t]], p[t], available, evidence[t]), rng)


def test_compiled_probabilities_are_within_1e_9_of_interpreted_ones_and_the_arms_are_the_same():
    """A burst makes contaminated intervals, and 200 rounds merge the pieces of time."""
    rng, n, played = np.random.default_rng(1), 200, []
    rewards = np.clip(np.round(rng.normal((8.0, 6.5, 7.0), 1.5, (n, 3))), 0, 10)
    rewards[60:90] = (0, 10, 10)
    evidence = rng.choice([0.0, 1.0, np.nan], (n, 1), p=[0.1, 0.6, 0.3])
    policy = tw.Wary((0, 10))
    for run in (play, compiled(play, policy.start(3, signals=("check",)))):
        state = policy.start(3, signals=("check",))
        p, arms = np.empty((n, 3)), np.empty(n, np.int64)
        run(state, rewards, evidence, p, arms, np.random.default_rng(2))
        played.append((p, arms, state.timeline.probability[0]))
    (p, arms, probability), (compiled_p, compiled_arms, _) = played
    np.testing.assert_allclose(compiled_p, p, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(compiled_arms, arms)
    assert probability > 0.9
