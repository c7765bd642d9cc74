import numpy as np

import trueward as tw
from trueward.game import match


def test_no_adversary_shows_every_true_reward():
    arms = tw.GaussianArms(means=[1, 0])
    trace = tw.play(tw.UCB(sigma=1), arms, tw.NoAdversary(), horizon=60, trials=3, compiled=False)
    assert trace.touched.sum() == trace.changed.sum() == trace.refused.sum() == 0
    assert (trace.first_violation == 0).all()
    assert (trace.true_reward == trace.observed_reward).all()


def test_no_adversary_is_the_default_of_play():
    arms = tw.GaussianArms(means=[1, 0])
    games = [tw.play(tw.UCB(sigma=1), arms, a, horizon=60, compiled=False) for a in (None, tw.NoAdversary())]
    np.testing.assert_array_equal(games[0].true_reward, games[1].true_reward)


def test_no_adversary_uses_one_table_for_all_trials_and_slices(monkeypatch):
    arms, settings = tw.BernoulliArms([0.6, 0.4]), {"horizon": 60, "trials": 70}
    as_one = tw.play(tw.UCB(sigma=1), arms, **settings)
    per_trial = tw.play(tw.UCB(sigma=1), arms, tw.BernoulliAdversary(0.0), **settings)  # a table for each trial
    monkeypatch.setattr(match, "SLICE_BYTES", 1)
    sliced = tw.play(tw.UCB(sigma=1), arms, **settings)
    for other in (per_trial, sliced):
        np.testing.assert_array_equal(as_one.pulls, other.pulls)
        np.testing.assert_array_equal(as_one.observed_reward, other.observed_reward)
        np.testing.assert_array_equal(as_one.best_reward, other.best_reward)
