import numpy as np

import trueward as tw


def test_every_reward_is_the_true_one():
    arms = tw.GaussianArms(means=[1, 0])
    trace = tw.play(tw.UCB(sigma=1), arms, tw.NoAdversary(), horizon=60, trials=3, compiled=False)
    assert trace.touched.sum() == trace.changed.sum() == trace.refused.sum() == 0
    assert (trace.first_violation == 0).all()
    assert (trace.true_reward == trace.observed_reward).all()


def test_it_is_what_plays_when_no_adversary_is_given():
    arms = tw.GaussianArms(means=[1, 0])
    games = [tw.play(tw.UCB(sigma=1), arms, a, horizon=60, compiled=False) for a in (None, tw.NoAdversary())]
    np.testing.assert_array_equal(games[0].true_reward, games[1].true_reward)
