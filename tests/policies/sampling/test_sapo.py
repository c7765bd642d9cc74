import math

import numpy as np
import pytest

import trueward as tw
from telling import answer, play_round
from trueward.engine.stages import Observation, ask_at, update
from trueward.errors import ParameterError
from trueward.policies.sampling.sapo import SAPO

RATINGS = (0.0, 10.0)
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))


def fresh(policy, n_arms, horizon=1000):
    return policy.start(n_arms, horizon=horizon)


def play(state, rounds, rates, seed, begin=1):
    rng = np.random.default_rng(seed)
    for t in range(begin, begin + rounds):
        play_round(state, t, lambda arm: rng.binomial(10, rates[arm]) / 10, rng, n_arms=len(rates))


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
    np.testing.assert_allclose(SAPO().probabilities(state, ask_at(1602, 2)), [1 - first, first], rtol=1e-14)


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


def test_after_the_switch_it_learns_as_exp3p():
    policy = SAPO()
    state = fresh(policy, 2)
    state.clock[:] = [10, 10]
    update(state, Observation(11, 0, 0.5, np.array([0.25, 0.75]), np.ones(2, np.bool_)), np.random.default_rng(0))
    np.testing.assert_allclose(state.gains, [(0.5 + state.beta) / 0.25, state.beta / 0.75], rtol=1e-14)
    weights = np.exp(state.eta * state.gains)
    expected = (1 - state.gamma) * weights / weights.sum() + state.gamma / 2
    np.testing.assert_allclose(policy.probabilities(state, ask_at(12, 2)), expected, rtol=1e-13)
    assert state.clock[1] == 10  # it never switches back


def test_the_practical_constants_eliminate_in_a_thousand_rounds_and_notice_a_change():
    for seed in range(4):
        state = fresh(SAPO(preset="practical"), 2, horizon=2000)
        play(state, 150, [0.9, 0.1], seed)
        assert state.active.tolist() == [True, False]
        assert state.clock[1] == 0
        play(state, 1850, [0.1, 0.9], seed + 100, begin=151)
        assert 150 < state.clock[1] < 1600


def test_the_papers_constants_play_uniformly_for_a_thousand_rounds():
    regret = tw.play(SAPO(RATINGS), LIKERT, horizon=1000, trials=128, checkpoints=[1000]).regret[:, -1]
    assert abs(regret.mean() - 800.0) < 4.5  # sd sqrt(1000 x 0.2 x 0.8) = 12.6: 4 standard errors
    assert 10.0 < regret.std() < 16.0


def test_the_papers_constants_eliminate_once_the_horizon_is_long_enough():
    trace = tw.play(SAPO(), tw.BernoulliArms([0.95, 0.05]), horizon=60_000, trials=4, checkpoints=[60_000])
    assert (trace.regret[:, -1] < 0.35 * 0.9 * 30_000).all()


@pytest.mark.parametrize("log_term", [0.0002, 0.5])
def test_both_speeds_agree_before_and_after_the_switch(log_term):
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = SAPO(RATINGS, log_term=log_term, preset="practical")
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize("log_term", [0.00002, 5.0])
def test_huge_rewards_are_clipped_and_harm_nothing(log_term):
    policy = SAPO(RATINGS, log_term=log_term)
    state, rng = fresh(policy, 3), np.random.default_rng(1)
    for t in range(1, 201):
        play_round(state, t, lambda arm, t=t: (1e300, -1e300, 5.0)[t % 3], rng, n_arms=3)
    assert (state.clock[1] > 0) == (log_term < 1.0)
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, ask_at(201, 3)).sum() == pytest.approx(1.0)


def test_only_eliminated_arms_available_share_by_their_own_probabilities():
    bandit = tw.Bandit(SAPO(preset="practical"), arms=3, seed=1, horizon=900)
    for number in range(300):
        arm = bandit.ask(among=[1, 2] if number % 5 == 0 else None)
        bandit.tell(arm, (0.9, 0.1, 0.1)[arm])
    assert bandit._state.active.tolist() == [True, False, False]
    assert bandit._state.clock.tolist() == [240, 0]  # rounds in which every arm was available
    assert bandit._state.rounds.tolist() == [240, 300, 300]
    among = bandit.probabilities(among=[1, 2])
    assert among[1] + among[2] == pytest.approx(1.0)
    assert sum(bandit.probabilities().values()) == pytest.approx(1.0)


def test_bad_parameters_are_named():
    for parameters in ({"log_term": 0.0}, {"preset": "mine"}):
        with pytest.raises(ParameterError, match=next(iter(parameters))):
            SAPO(**parameters)
    with pytest.raises(ParameterError, match="SAPO needs a horizon"):
        tw.Bandit(SAPO(), arms=2)
