import math

import numpy as np
import pytest

from policy_states import observe_reward
from trueward.engine.protocol import make_ask
from trueward.policies.sampling.sao import SAO, confidence_width


def fresh(policy, n_arms, horizon=1000):
    return policy.start(n_arms, horizon=horizon)


def test_sao_published_threshold_exceeds_the_whole_range():
    log_beta = fresh(SAO(delta=0.1), 5).log_beta
    assert log_beta == pytest.approx(math.log(10 * 5 * 1000**3 / 0.1))
    assert 6 * confidence_width(5, log_beta, 1000) == pytest.approx(4.8, abs=0.05)


def test_sao_switches_to_exp3p_with_the_published_rates():
    state = fresh(SAO(delta=0.1), 5, horizon=1000).exp3p
    assert state.beta == pytest.approx(math.sqrt(math.log(50) / 5000))
    assert state.eta == pytest.approx(0.95 * math.sqrt(math.log(5) / 5000))
    assert state.gamma == pytest.approx(1.05 * math.sqrt(5 * math.log(5) / 1000))


def test_sao_plays_a_deactivated_arm_ever_less_and_splits_the_rest_among_active_arms():
    state = fresh(SAO(log_beta=0.1), 3)
    state.rewards[0] = 999
    state.pulls[:] = 333
    state.mean[:] = [0.9, 0.8, 0.65]
    state.weighted[:] = [900.0, 800.0, 650.0]
    observe_reward(state, 0, 0.9, n_arms=3, t=1000)  # 6 e_t = 6 sqrt(0.0012 + 5 x 0.0003^2) = 0.208, 10 e_t = 0.35
    np.testing.assert_array_equal(state.active, [True, True, False])
    assert (state.rewards[0], state.switched_at[0]) == (1000, 0)
    deactivated = 1 / 3 * 1000 / 1001
    np.testing.assert_allclose(
        SAO().probabilities(state, make_ask(1001, 3)),
        [(1 - deactivated) / 2, (1 - deactivated) / 2, deactivated],
        rtol=1e-14,
    )


def test_sao_switches_when_the_two_means_of_an_arm_disagree():
    state = fresh(SAO(log_beta=0.1), 2)
    state.rewards[0], state.pulls[:] = 999, 500
    state.mean[:], state.weighted[:] = 0.5, 500.0
    observe_reward(state, 0, 0.5, n_arms=2, t=1000)
    assert state.switched_at[0] == 0
    state.weighted[1] = 650.0  # 0.15 apart; allowed are sqrt(0.2 / 500) + sqrt(0.4 x 2 / 1000 + …) = 0.049
    state.weighted[0] = 600.0  # so that it is not deactivated
    observe_reward(state, 0, 0.5, n_arms=2, t=1001)
    assert state.switched_at[0] == 1001


@pytest.mark.parametrize(("weighted", "switches"), [(700.0, False), (830.0, True), (400.0, True)])
def test_sao_switches_when_the_gap_of_a_deactivated_arm_changes(weighted, switches):
    state = fresh(SAO(log_beta=0.1), 2)
    state.rewards[0], state.pulls[:] = 999, 500
    state.active[1], state.tau[1], state.q[1] = False, 500, 0.5
    state.weighted[:] = [900.0, weighted]  # e at 499 is 0.04: the gap must lie in (0.08, 0.40]
    state.mean[:] = state.weighted / 999
    observe_reward(state, 0, 0.9, n_arms=2, t=1000)
    assert (state.switched_at[0] > 0) == switches
