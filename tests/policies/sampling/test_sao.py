import math

import numpy as np
import pytest

import trueward as tw
from telling import answer, play_round
from trueward.engine.stages import Observation, ask_at, update
from trueward.errors import ParameterError
from trueward.policies.sampling.sao import SAO, width

RATINGS = (0.0, 10.0)
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))


def fresh(policy, n_arms, horizon=1000):
    return policy.start(n_arms, horizon=horizon)


def play(state, rounds, rates, seed, begin=1):
    rng = np.random.default_rng(seed)
    for t in range(begin, begin + rounds):
        play_round(state, t, lambda arm: float(rng.random() < rates[arm]), rng, n_arms=len(rates))


def test_the_papers_threshold_is_more_than_the_whole_range():
    log_beta = fresh(SAO(delta=0.1), 5).log_beta
    assert log_beta == pytest.approx(math.log(10 * 5 * 1000**3 / 0.1))
    assert 6 * width(5, log_beta, 1000) == pytest.approx(4.8, abs=0.05)


def test_the_parameters_of_the_fall_back_are_those_of_exp3p():
    state = fresh(SAO(delta=0.1), 5, horizon=1000)
    assert state.beta == pytest.approx(math.sqrt(math.log(50) / 5000))
    assert state.eta == pytest.approx(0.95 * math.sqrt(math.log(5) / 5000))
    assert state.gamma == pytest.approx(1.05 * math.sqrt(5 * math.log(5) / 1000))


def test_a_deactivated_arm_is_played_ever_less_and_the_others_share_the_rest():
    state = fresh(SAO(log_beta=0.1), 3)
    state.clock[0] = 999
    state.pulls[:] = 333
    state.mean[:] = [0.9, 0.8, 0.65]
    state.weighted[:] = [900.0, 800.0, 650.0]
    answer(state, 0, 0.9, n_arms=3, t=1000)  # 6 e_t = 6 sqrt(0.0012 + 5 x 0.0003^2) = 0.208, 10 e_t = 0.35
    np.testing.assert_array_equal(state.active, [True, True, False])
    assert state.clock.tolist() == [1000, 0]
    gone = 1 / 3 * 1000 / 1001
    np.testing.assert_allclose(
        SAO().probabilities(state, ask_at(1001, 3)), [(1 - gone) / 2, (1 - gone) / 2, gone], rtol=1e-14
    )


def test_means_that_disagree_make_it_switch():
    state = fresh(SAO(log_beta=0.1), 2)
    state.clock[0], state.pulls[:] = 999, 500
    state.mean[:], state.weighted[:] = 0.5, 500.0
    answer(state, 0, 0.5, n_arms=2, t=1000)
    assert state.clock[1] == 0
    state.weighted[1] = 650.0  # 0.15 apart; allowed are sqrt(0.2 / 500) + sqrt(0.4 x 2 / 1000 + …) = 0.049
    state.weighted[0] = 600.0  # so that it is not deactivated
    answer(state, 0, 0.5, n_arms=2, t=1001)
    assert state.clock[1] == 1001


@pytest.mark.parametrize(("weighted", "switches"), [(700.0, False), (830.0, True), (400.0, True)])
def test_the_gap_of_a_deactivated_arm_must_stay_what_it_was(weighted, switches):
    state = fresh(SAO(log_beta=0.1), 2)
    state.clock[0], state.pulls[:] = 999, 500
    state.active[1], state.tau[1], state.q[1] = False, 500, 0.5
    state.weighted[:] = [900.0, weighted]  # e at 499 is 0.04: the gap must lie in (0.08, 0.40]
    state.mean[:] = state.weighted / 999
    answer(state, 0, 0.9, n_arms=2, t=1000)
    assert (state.clock[1] > 0) == switches


def test_after_the_switch_it_learns_as_exp3p():
    policy = SAO()
    state = fresh(policy, 2)
    state.clock[:] = [10, 10]
    seen = Observation(11, 0, 0.5, np.array([0.25, 0.75]), np.ones(2, np.bool_))
    update(state, seen, np.random.default_rng(0))
    np.testing.assert_allclose(state.gains, [(0.5 + state.beta) / 0.25, state.beta / 0.75], rtol=1e-14)
    weights = np.exp(state.eta * state.gains)
    expected = (1 - state.gamma) * weights / weights.sum() + state.gamma / 2
    np.testing.assert_allclose(policy.probabilities(state, ask_at(12, 2)), expected, rtol=1e-13)
    assert state.clock.tolist() == [11, 10]  # it never switches back


def test_the_practical_constants_deactivate_in_a_thousand_rounds_and_notice_a_change():
    for seed in range(4):
        state = fresh(SAO(preset="practical"), 2, horizon=2000)
        play(state, 800, [0.9, 0.1], seed)
        assert state.active.tolist() == [True, False]
        assert state.clock[1] == 0
        play(state, 1200, [0.1, 0.9], seed + 100, begin=801)
        assert 800 < state.clock[1] < 1600


def test_the_papers_constants_play_uniformly_for_a_thousand_rounds():
    regret = tw.play(SAO(RATINGS), LIKERT, horizon=1000, trials=128, checkpoints=[1000]).regret[:, -1]
    assert abs(regret.mean() - 800.0) < 4.5  # sd sqrt(1000 x 0.2 x 0.8) = 12.6: 4 standard errors
    assert 10.0 < regret.std() < 16.0


def test_the_papers_constants_deactivate_once_the_horizon_is_long_enough():
    arms = tw.BernoulliArms([0.95, 0.05])
    trace = tw.play(SAO(), arms, horizon=60_000, trials=4, checkpoints=[60_000])
    assert (trace.regret[:, -1] < 0.7 * 0.9 * 30_000).all()


@pytest.mark.parametrize("log_beta", [0.02, 0.5])
def test_both_speeds_agree_before_and_after_the_switch(log_beta):
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = SAO(RATINGS, log_beta=log_beta)
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize("log_beta", [0.02, 5.0])
def test_huge_rewards_are_clipped_and_harm_nothing(log_beta):
    policy = SAO(RATINGS, log_beta=log_beta)
    state, rng = fresh(policy, 3), np.random.default_rng(1)
    for t in range(1, 201):
        play_round(state, t, lambda arm, t=t: (1e300, -1e300, 5.0)[t % 3], rng, n_arms=3)
    assert (state.clock[1] > 0) == (log_beta < 1.0)
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, ask_at(201, 3)).sum() == pytest.approx(1.0)


def test_only_deactivated_arms_available_share_by_their_own_probabilities():
    bandit = tw.Bandit(SAO(log_beta=0.2), arms=3, seed=1, horizon=900)
    for number in range(700):
        arm = bandit.ask(among=[1, 2] if number % 5 == 0 else None)
        bandit.tell(arm, (0.9, 0.1, 0.1)[arm])
    assert bandit._state.active.tolist() == [True, False, False]
    assert bandit._state.clock[1] == 0
    among = bandit.probabilities(among=[1, 2])
    assert among[1] + among[2] == pytest.approx(1.0)
    assert sum(bandit.probabilities().values()) == pytest.approx(1.0)


def test_bad_parameters_are_named():
    for parameters in ({"delta": 0.0}, {"log_beta": 0.0}, {"preset": "mine"}):
        with pytest.raises(ParameterError, match=next(iter(parameters))):
            SAO(**parameters)
    with pytest.raises(ParameterError, match="SAO needs a horizon"):
        tw.Bandit(SAO(), arms=2)
