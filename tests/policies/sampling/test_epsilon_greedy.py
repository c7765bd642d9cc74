import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError


def test_epsilon_greedy_explores_with_probability_c_k_over_t():
    policy = tw.EpsilonGreedy(c=2.0)
    state = state_after(policy, [[1.0], [3.0], [2.0], [0.0]])
    assert policy.probabilities(state, make_ask(4, 4)).tolist() == [0.25] * 4  # min(1, 2 * 4 / 4) = 1
    assert policy.probabilities(state, make_ask(80, 4)).tolist() == pytest.approx([0.025, 0.925, 0.025, 0.025])


def test_epsilon_greedy_with_fixed_epsilon_splits_the_rest_among_tied_best_arms():
    policy = tw.EpsilonGreedy(epsilon=0.2)
    p = policy.probabilities(state_after(policy, [[3.0], [3.0], [1.0]]), make_ask(10**6, 3))
    assert p.tolist() == pytest.approx([0.2 / 3 + 0.4, 0.2 / 3 + 0.4, 0.2 / 3])


def test_epsilon_greedy_requires_exactly_one_of_c_and_epsilon():
    for wrong in ({}, {"c": 1, "epsilon": 0.1}):
        with pytest.raises(ParameterError, match="exactly one of c and epsilon must be given"):
            tw.EpsilonGreedy(**wrong)
    with pytest.raises(ParameterError, match="epsilon must be at least 0 and at most 1, got 2"):
        tw.EpsilonGreedy(epsilon=2)
