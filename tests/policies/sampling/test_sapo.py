import math

import numpy as np
import pytest

import trueward as tw
from telling import answer
from trueward.engine.protocol import make_ask
from trueward.policies.sampling.sapo import SAPO


def fresh(policy, n_arms, horizon=1000):
    return policy.start(n_arms, horizon=horizon)


def settled(policy, *, losses, pulls, horizon=10_000):
    """Return a state in which every arm has had so many pulls of a loss."""
    state = fresh(policy, len(losses), horizon)
    state.pulls[:], state.mean[:] = pulls, losses
    state.rounds[:] = pulls * len(losses)
    state.weighted[:] = state.rounds * np.array(losses)
    state.clock[0], state.lost[0] = state.rounds[0], pulls * sum(losses)
    return state


def test_the_constants_are_those_of_the_source():
    state = fresh(SAPO(), 5, horizon=1000)
    assert state.log_term == pytest.approx(math.log(1000))
    assert (state.margin, state.doubt, state.phase) == (9.0, 1.0, 1280.0)
    assert state.most_errors == pytest.approx(3 * math.log2(1000))
    assert state.most_lost == pytest.approx(272 * math.sqrt(5 * 1000 * math.log(1000)))
    assert state.beta == pytest.approx(math.sqrt(math.log(5 * 1000) / 5000))  # EXP3.P with delta = 1 / T


def test_an_arm_is_eliminated_ten_radii_above_the_best_and_its_first_phase_begins():
    for loss, eliminated in ((0.59, False), (0.61, True)):
        state = settled(SAPO(log_term=1.0), losses=(0.1, loss), pulls=800)  # r = sqrt(2 / 800) = 0.05, U = 0.1 + 0.05
        answer(state, 0, 0.9, n_arms=2, t=1601)  # 0.15 + 9 x 0.05 = 0.60
        assert state.active.tolist() == [True, not eliminated]
    assert state.level[1] == pytest.approx(0.61)
    assert state.gap[1] == pytest.approx(8 * 0.05)
    first = 1 / 4 + 800 / 20_000
    np.testing.assert_allclose(SAPO().probabilities(state, make_ask(1602, 2)), [1 - first, first], rtol=1e-14)


def eliminated(**rest):
    state = settled(SAPO(log_term=1.0), losses=(0.1, 0.8), pulls=800)
    state.active[1], state.level[1], state.gap[1], state.first_p[1] = False, 0.8, 0.5, 0.25
    state.p[1] = 0.25
    for name, value in rest.items():
        getattr(state, name)[1] = value
    return state


def test_a_phase_that_ends_in_peace_is_followed_by_one_twice_as_long_with_half_the_probability():
    length = 1280 / (0.25 * 0.25)
    state = eliminated(elapsed=length - 2)
    answer(state, 0, 0.9, n_arms=2)
    assert (state.elapsed[1], state.p[1]) == (length - 1, 0.25)
    answer(state, 0, 0.9, n_arms=2)
    assert (state.elapsed[1], state.p[1], state.better[1]) == (0, 0.125, 0.0)
    state.elapsed[1] = 2 * length - 1
    answer(state, 0, 0.9, n_arms=2)
    assert state.p[1] == 0.0625
    assert state.errors[1] == 0


def test_losses_of_an_eliminated_arm_are_weighted_and_compared_with_its_level():
    state = eliminated(p=0.125)
    answer(state, 0, 0.9, n_arms=2)
    assert state.better[1] == pytest.approx(0.8)  # a round without it
    answer(state, 1, 0.9, n_arms=2)
    assert state.better[1] == pytest.approx(0.8 + 0.8 - 0.1 / 0.125)


def test_a_phase_in_which_the_arm_does_better_is_an_error_and_the_probability_doubles():
    threshold = 0.25 * 0.5 * 1280 / (0.125 * 0.25)
    state = eliminated(p=0.125, better=threshold - 1.0, elapsed=10)
    answer(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1]) == (0, 0.125)
    answer(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1], state.elapsed[1], state.better[1]) == (1, 0.25, 0, 0.0)
    state.better[1] = threshold
    answer(state, 0, 0.9, n_arms=2)
    assert (state.errors[1], state.p[1]) == (2, 0.25)  # never more than the first probability


def test_so_many_errors_make_it_switch():
    most = 3 * math.log2(10_000)  # 39.9
    for errors, switches in ((38, False), (39, True)):
        state = eliminated(errors=errors, better=1e9)
        answer(state, 0, 0.9, n_arms=2)
        assert (state.errors[1] >= most) == switches
        assert (state.clock[1] > 0) == switches


@pytest.mark.parametrize(
    ("weighted", "switches"), [(0.5, False), (0.38, False), (0.62, False), (0.36, True), (0.64, True)]
)
def test_a_weighted_mean_that_leaves_its_earlier_intervals_makes_it_switch(weighted, switches):
    state = settled(SAPO(log_term=1.0), losses=(0.5, 0.5), pulls=800)  # R = sqrt(4 / 1600) = 0.05
    state.floor[:], state.ceiling[:] = 0.42, 0.58
    state.weighted[1] = 1601 * weighted
    answer(state, 0, 0.5, n_arms=2)
    assert (state.clock[1] > 0) == switches


def test_losing_far_more_than_the_best_arm_would_makes_it_switch():
    for lost, switches in ((26_000.0, False), (28_000.0, True)):  # 272 sqrt(2 x 10,000 / 2) = 27,200, and U >= 0
        state = settled(SAPO(log_term=0.5), losses=(0.0, 0.0), pulls=800)
        state.lost[0] = lost
        answer(state, 0, 1.0, n_arms=2)
        assert (state.clock[1] > 0) == switches


def test_it_switches_when_no_arm_is_left():
    state = settled(SAPO(log_term=1.0), losses=(0.7, 0.8), pulls=800)
    state.upper[1] = 0.1  # both were good once
    answer(state, 0, 0.3, n_arms=2)
    assert not state.active.any()
    assert state.clock[1] == 1601


def test_an_early_reward_of_great_weight_makes_nothing_switch():
    state = fresh(SAPO(), 5)
    for t in range(1, 40):
        answer(state, 0, float(t > 1), n_arms=5, t=t)  # the first loss weighs 5, the others nothing
        assert state.clock[1] == 0


def test_rounds_in_which_an_arm_was_not_available_are_not_among_its_own():
    bandit = tw.Bandit(SAPO(preset="practical"), arms=3, seed=1, horizon=900)
    for number in range(20):
        bandit.tell(bandit.ask(among=[1, 2] if number % 5 == 0 else None), 0.5)
    assert bandit._state.rounds.tolist() == [16, 20, 20]
