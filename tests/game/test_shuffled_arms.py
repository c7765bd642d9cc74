"""Each trial may have an order of arms of its own; what is recorded stays in the order of the arms."""

import numpy as np

import trueward as tw

ARMS = tw.BernoulliArms([0.9, 0.5, 0.1])


class First:
    def choose(self, t):
        return 0

    def update(self, arm, reward):
        assert arm == 0


def test_shuffle_arms_moves_every_arm_to_the_first_position_over_trials():
    as_they_are = tw.play(First(), ARMS, horizon=5, trials=64)
    assert (as_they_are.regret == 0).all()
    shuffled = tw.play(First(), ARMS, horizon=5, trials=64, shuffle_arms=True)
    played = shuffled.pulls[:, -1]
    assert (played.max(axis=1) == 5).all()
    assert 10 < (played[:, 0] == 5).sum() < 35  # a third of 64, within four standard errors


def test_adversary_sees_original_arm_indices_when_arms_are_shuffled():
    attack = tw.FunctionAdversary(lambda view, t, arm, reward, rng: 0.0 if arm == 2 else None)
    trace = tw.play(tw.Uniform(), ARMS, attack, horizon=60, trials=8, shuffle_arms=True, compiled=False)
    assert (trace.touched[:, :2] == 0).all()
    np.testing.assert_array_equal(trace.touched[:, 2], trace.pulls[:, -1, 2])


def test_shuffled_games_are_equal_interpreted_and_compiled_for_any_number_of_trials():
    policy = tw.UCB(sigma=0.5)
    slow = tw.play(policy, ARMS, horizon=50, trials=6, shuffle_arms=True, compiled=False)
    fast = tw.play(policy, ARMS, horizon=50, trials=6, shuffle_arms=True, compiled=True)
    np.testing.assert_array_equal(slow.pulls, fast.pulls)
    some = tw.play(policy, ARMS, horizon=50, trials=3, shuffle_arms=True)
    np.testing.assert_array_equal(fast.pulls[:3], some.pulls)
