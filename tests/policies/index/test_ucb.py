import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.engine.states import copy_of
from trueward.errors import ParameterError


def test_ucb_index_is_infinite_without_a_reward_and_ties_are_broken_at_random():
    policy = tw.UCB(sigma=1.0)
    state = state_after(policy, [[3.0], [], []])
    ask = make_ask(5, 3)
    assert policy.indices(state, ask)[1:].tolist() == [math.inf, math.inf]
    assert policy.probabilities(state, ask).tolist() == [0.0, 0.5, 0.5]
    assert math.isnan(policy.estimates(state)[1])
    first = [choose(state, ask, np.random.default_rng(seed)) for seed in range(400)]
    assert set(first) == {1, 2}
    assert abs(first.count(1) - 200) < 40  # 4 standard errors of Binomial(400, 1/2)


def test_sqrt_log_table_is_limited_for_long_horizons():
    long, longer = (tw.UCB(sigma=1).start(2, horizon=horizon) for horizon in (10**6, 10**9))
    assert longer.sqrt_log_table is long.sqrt_log_table
    beyond = tw.UCB(sigma=1).start(2)
    for state in (longer, beyond):
        state.estimate[:], state.width[:] = [1.0, 2.0], [3.0, 4.0]
    for t in (10**6, 10**6 + 1, 10**9):
        ask = make_ask(t, 2)
        np.testing.assert_array_equal(tw.UCB(sigma=1).indices(longer, ask), tw.UCB(sigma=1).indices(beyond, ask))


def test_sqrt_log_table_is_shared_by_all_states():
    state = tw.UCB(sigma=1).start(2, horizon=500)
    for other in (tw.UCB(sigma=2).start(3, horizon=500), copy_of(state), copy_of(state, np.array([1]))):
        assert other.sqrt_log_table is state.sqrt_log_table


def test_ucb_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match=r"sigma must be a number, got '1'"):
        tw.UCB(sigma="1")
