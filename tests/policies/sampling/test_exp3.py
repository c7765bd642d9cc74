import math

import numpy as np
import pytest

import trueward as tw
from policy_states import observe_reward
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError


def test_exp3_takes_gamma_from_the_horizon():
    assert tw.EXP3().start(5, horizon=1000).gamma == pytest.approx(0.06843447, abs=5e-9)
    with pytest.raises(ParameterError, match="EXP3 needs a horizon"):
        tw.EXP3().start(5)
    assert not tw.EXP3(gamma=0.1).needs_horizon


def test_exp3_mixes_exponential_weights_with_exploration():
    policy = tw.EXP3((0, 10), gamma=0.2)
    state = policy.start(3)
    state.gains[:] = [3.0, 1.0, 0.0]
    weights = [math.exp(0.2 * g / 3) for g in (3.0, 1.0, 0.0)]
    expected = [0.8 * w / sum(weights) + 0.2 / 3 for w in weights]
    np.testing.assert_allclose(policy.probabilities(state, make_ask(7, 3)), expected, rtol=1e-14)
    observe_reward(state, 1, 5.0, n_arms=3, t=7)
    assert state.gains[1] == pytest.approx(1.0 + 0.5 / expected[1], rel=1e-14)
    assert state.gains[[0, 2]].tolist() == [3.0, 0.0]


def test_exp3_probabilities_are_finite_when_weights_would_overflow():
    policy = tw.EXP3(gamma=1.0)
    state = policy.start(2)
    state.gains[:] = [1e6, 0.0]
    assert policy.probabilities(state, make_ask(1, 2)).tolist() == [0.5, 0.5]
    policy = tw.EXP3(gamma=0.5)
    state = policy.start(2)
    state.gains[:] = [1e6, 0.0]
    assert policy.probabilities(state, make_ask(1, 2)).tolist() == [0.75, 0.25]


def test_exp3_clips_and_counts_rewards_outside_the_range():
    trace = tw.play(tw.EXP3((0, 10)), tw.GaussianArms(means=[0.0, 10.0], sd=0.0), horizon=50, trials=2)
    assert trace.outside == 0
    trace = tw.play(tw.EXP3((0, 10)), tw.GaussianArms(means=[-1.0, 11.0], sd=0.0), horizon=50, trials=2)
    assert trace.outside == 100
    with pytest.raises(tw.TruewardError, match=r"in round 1 lies outside the range \[0, 10\]"):
        tw.play(tw.EXP3((0, 10), outside="raise"), tw.GaussianArms(means=[-1.0, 11.0], sd=0.0), horizon=50)
