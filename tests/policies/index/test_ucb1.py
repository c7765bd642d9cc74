import math

import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError


def test_ucb1_radius_is_proportional_to_the_range():
    policy = tw.UCB1((0.0, 10.0))
    index = policy.indices(state_after(policy, [[4.0, 6.0]]), make_ask(20, 1))[0]
    assert index == pytest.approx(5.0 + 10.0 * math.sqrt(2 * math.log(20) / 2), rel=1e-12)


def test_ucb1_clips_rejects_or_keeps_rewards_outside_its_range():
    def estimate(outside):
        policy = tw.UCB1((0.0, 10.0), outside=outside)
        return policy.estimates(state_after(policy, [[4.0, 16.0]]))[0]

    assert estimate("clip") == 7.0
    assert estimate("keep") == 10.0
    with pytest.raises(tw.TruewardError, match=r"arm 0 lies outside the range \[0, 1\]"):
        tw.play(tw.UCB1((0.0, 1.0), outside="raise"), tw.GaussianArms(means=[5.0]), horizon=3)


def test_ucb1_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match=r"range must have low below high"):
        tw.UCB1((1, 1))
    with pytest.raises(ParameterError, match=r"range must be a pair"):
        tw.UCB1(3)
