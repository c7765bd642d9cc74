import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError


def choice_shares(state, draws):
    rng = np.random.default_rng(1)
    return np.bincount([choose(state, make_ask(9, 3), rng) for _ in range(draws)], minlength=3) / draws


def test_gaussian_thompson_choices_follow_its_probabilities():
    policy = tw.GaussianThompson(sigma=2.0)
    state = state_after(policy, [[3.0, 4.0], [5.0, 2.0, 4.5], [4.0]])
    p = policy.probabilities(state, make_ask(9, 3))
    assert p.sum() == pytest.approx(1.0)
    assert (np.abs(choice_shares(state, 4000) - p) < 4 * np.sqrt(p * (1 - p) / 4000)).all()  # 4 standard errors


def test_gaussian_thompson_plays_arms_without_a_reward_first_at_random():
    policy = tw.GaussianThompson(sigma=1.0)
    state = state_after(policy, [[], [100.0], []])
    assert policy.probabilities(state, make_ask(2, 3)).tolist() == [0.5, 0.0, 0.5]
    assert set(np.flatnonzero(choice_shares(state, 100))) == {0, 2}


def test_gaussian_thompson_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="sigma must be above 0, got 0"):
        tw.GaussianThompson(sigma=0)
