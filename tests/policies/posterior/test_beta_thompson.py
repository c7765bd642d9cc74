import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError


def test_beta_thompson_choices_follow_its_probabilities():
    policy, rng = tw.BetaThompson((0, 10)), np.random.default_rng(1)
    state, ask = state_after(policy, [[8, 9], [9, 8, 9], [7]]), make_ask(9, 3)
    p = policy.probabilities(state, ask)
    assert p.sum() == pytest.approx(1.0)
    shares = np.bincount([choose(state, ask, rng) for _ in range(4000)], minlength=3) / 4000
    assert (np.abs(shares - p) < 4 * np.sqrt(p * (1 - p) / 4000)).all()  # 4 standard errors


def test_beta_thompson_counts_a_rating_as_several_trials():
    policy = tw.BetaThompson((1, 6))
    state = state_after(policy, [[6, 4], []])
    assert (state.successes[0], state.failures[0]) == (1 + 5 + 3, 1 + 0 + 2)
    assert policy.estimates(state)[0] == pytest.approx(1 + 5 * 9 / 12)
    assert np.isnan(policy.estimates(state)[1])


def test_beta_thompson_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="outside must be one of 'clip', 'raise', got 'keep'"):
        tw.BetaThompson((0, 10), outside="keep")
