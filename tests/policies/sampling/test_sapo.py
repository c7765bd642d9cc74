import math

import numpy as np
import pytest

import trueward as tw
from policy_states import observe_reward
from trueward.engine.protocol import make_ask
from trueward.policies.sampling.sapo import SAPO


def fresh(policy, n_arms, horizon=1000):
    return policy.start(n_arms, horizon=horizon)


def after_pulls(policy, *, losses, pulls, horizon=10_000):
    """Return a state in which every arm has been pulled `pulls` times with the same loss."""
    state = fresh(policy, len(losses), horizon)
    state.pulls[:], state.mean[:] = pulls, losses
    state.rounds[:] = pulls * len(losses)
    state.weighted[:] = state.rounds * np.array(losses)
    state.full_rounds[0], state.total_loss[0] = state.rounds[0], pulls * sum(losses)
    return state


def test_sapo_paper_preset_has_the_published_constants():
    state = fresh(SAPO(), 5, horizon=1000)
    assert state.log_term == pytest.approx(math.log(1000))
    assert (state.margin, state.width, state.phase) == (9.0, 1.0, 1280.0)
    assert state.max_errors == pytest.approx(3 * math.log2(1000))
    assert state.max_regret == pytest.approx(272 * math.sqrt(5 * 1000 * math.log(1000)))
    assert state.exp3p.beta == pytest.approx(math.sqrt(math.log(5 * 1000) / 5000))  # EXP3.P with delta = 1 / T


def test_sapo_eliminates_an_arm_ten_radii_above_the_best_and_begins_its_first_phase():
    for loss, eliminated in ((0.59, False), (0.61, True)):
        state = after_pulls(
            SAPO(log_term=1.0), losses=(0.1, loss), pulls=800
        )  # r = sqrt(2 / 800) = 0.05, U = 0.1 + 0.05
        observe_reward(state, 0, 0.9, n_arms=2, t=1601)  # 0.15 + 9 x 0.05 = 0.60
        assert state.active.tolist() == [True, not eliminated]
    assert state.eliminated_mean[1] == pytest.approx(0.61)
    assert state.gap[1] == pytest.approx(8 * 0.05)
    first = 1 / 4 + 800 / 20_000
    np.testing.assert_allclose(SAPO().probabilities(state, make_ask(1602, 2)), [1 - first, first], rtol=1e-14)


def with_eliminated_arm(**changes):
    state = after_pulls(SAPO(log_term=1.0), losses=(0.1, 0.8), pulls=800)
    state.active[1], state.eliminated_mean[1], state.gap[1], state.first_p[1] = False, 0.8, 0.5, 0.25
    state.p[1] = 0.25
    for name, value in changes.items():
        getattr(state, name)[1] = value
    return state


def test_sapo_phase_without_error_is_followed_by_one_twice_as_long_with_half_the_probability():
    length = 1280 / (0.25 * 0.25)
    state = with_eliminated_arm(phase_rounds=length - 2)
    observe_reward(state, 0, 0.9, n_arms=2)
    assert (state.phase_rounds[1], state.p[1]) == (length - 1, 0.25)
    observe_reward(state, 0, 0.9, n_arms=2)
    assert (state.phase_rounds[1], state.p[1], state.improvement[1]) == (0, 0.125, 0.0)
    state.phase_rounds[1] = 2 * length - 1
    observe_reward(state, 0, 0.9, n_arms=2)
    assert state.p[1] == 0.0625
    assert state.errors[1] == 0


def test_sapo_compares_weighted_losses_of_an_eliminated_arm_with_its_mean_at_elimination():
    state = with_eliminated_arm(p=0.125)
    observe_reward(state, 0, 0.9, n_arms=2)
    assert state.improvement[1] == pytest.approx(0.8)  # a round without it
    observe_reward(state, 1, 0.9, n_arms=2)
    assert state.improvement[1] == pytest.approx(0.8 + 0.8 - 0.1 / 0.125)


def test_sapo_phase_in_which_the_arm_improves_is_an_error_and_doubles_the_probability():
    threshold = 0.25 * 0.5 * 1280 / (0.125 * 0.25)
    state = with_eliminated_arm(p=0.125, improvement=threshold - 1.0, phase_rounds=10)
    observe_reward(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1]) == (0, 0.125)
    observe_reward(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1], state.phase_rounds[1], state.improvement[1]) == (1, 0.25, 0, 0.0)
    state.improvement[1] = threshold
    observe_reward(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1]) == (2, 0.25)  # never more than the first probability


def test_sapo_switches_after_too_many_errors():
    most = 3 * math.log2(10_000)  # 39.9
    for errors, switches in ((38, False), (39, True)):
        state = with_eliminated_arm(errors=errors, improvement=1e9)
        observe_reward(state, 0, 0.9, n_arms=2)
        assert (state.errors[1] >= most) == switches
        assert (state.switched_at[0] > 0) == switches


@pytest.mark.parametrize(
    ("weighted", "switches"), [(0.5, False), (0.38, False), (0.62, False), (0.36, True), (0.64, True)]
)
def test_sapo_switches_when_a_weighted_mean_leaves_its_earlier_intervals(weighted, switches):
    state = after_pulls(SAPO(log_term=1.0), losses=(0.5, 0.5), pulls=800)  # R = sqrt(4 / 1600) = 0.05
    state.highest_lower[:], state.lowest_upper[:] = 0.42, 0.58
    state.weighted[1] = 1601 * weighted
    observe_reward(state, 0, 0.5, n_arms=2)
    assert (state.switched_at[0] > 0) == switches


def test_sapo_switches_when_its_regret_is_too_large():
    for total_loss, switches in ((26_000.0, False), (28_000.0, True)):  # 272 sqrt(2 x 10,000 / 2) = 27,200, and U >= 0
        state = after_pulls(SAPO(log_term=0.5), losses=(0.0, 0.0), pulls=800)
        state.total_loss[0] = total_loss
        observe_reward(state, 0, 1.0, n_arms=2)
        assert (state.switched_at[0] > 0) == switches


def test_sapo_switches_when_no_active_arm_is_left():
    state = after_pulls(SAPO(log_term=1.0), losses=(0.7, 0.8), pulls=800)
    state.upper[1] = 0.1  # both were good once
    observe_reward(state, 0, 0.3, n_arms=2)
    assert not state.active.any()
    assert state.switched_at[0] == 1601


def test_sapo_does_not_switch_after_an_early_reward_of_large_weight():
    state = fresh(SAPO(), 5)
    for t in range(1, 40):
        observe_reward(state, 0, float(t > 1), n_arms=5, t=t)  # the first loss weighs 5, the others nothing
        assert state.switched_at[0] == 0


def test_sapo_does_not_count_rounds_in_which_an_arm_was_unavailable():
    bandit = tw.Bandit(SAPO(preset="practical"), arms=3, seed=1, horizon=900)
    for number in range(20):
        bandit.tell(bandit.ask(among=[1, 2] if number % 5 == 0 else None), 0.5)
    assert bandit._state.rounds.tolist() == [16, 20, 20]
