import math

import numpy as np
import pytest

import trueward as tw
from policy_states import observe_reward, play_round
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError
from trueward.policies.sampling.barbar import BARBAR, BARBAT

RATINGS = (0.0, 10.0)
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))


def tell(state, arm, *gains):
    for gain in gains:
        observe_reward(state, arm, gain, n_arms=2)


def test_barbar_lambda_and_first_epoch_agree_with_the_published_values():
    state = BARBAR(delta=0.1).start(5, horizon=1000)
    assert state.factor == pytest.approx(8489.597, abs=5e-4)
    assert state.length[0] == pytest.approx(42447.99, abs=5e-3)


def test_barbat_first_epoch_agrees_with_the_published_value():
    state = BARBAT().start(5)
    np.testing.assert_allclose(state.planned, 3487.223, atol=5e-4)
    assert state.length[0] == pytest.approx(5 * 3487.223, abs=5e-3)


def test_barbar_plans_two_epochs_as_computed_by_hand():
    state = BARBAR(lam=1.0).start(2)
    tell(state, 0, 1.0)
    assert (state.epoch[0], state.epoch_rounds[0]) == (1, 1)
    tell(state, 1, 0.5)  # r = (1, 1/2), r_* = 15/16: the second gap, 7/16, is raised to 1/2
    assert (state.epoch[0], state.epoch_rounds[0]) == (2, 0)
    np.testing.assert_array_equal(state.gaps, [0.5, 0.5])
    np.testing.assert_array_equal(state.planned, [4.0, 4.0])
    tell(state, 0, 1.0, 1.0, 1.0, 1.0)
    tell(state, 1, 0.0, 0.0, 0.0, 0.0)  # r = (1, 0), r_* = 1 - 1/32
    np.testing.assert_array_equal(state.gaps, [0.25, 31 / 32])
    np.testing.assert_allclose(state.planned, [16.0, (32 / 31) ** 2], rtol=1e-15)
    expected = np.array([16.0, (32 / 31) ** 2])
    np.testing.assert_allclose(
        BARBAR(lam=1.0).probabilities(state, make_ask(11, 2)), expected / expected.sum(), rtol=1e-14
    )


def test_barbar_divides_sums_by_the_planned_number_of_pulls():
    state = BARBAR(lam=4.0).start(2)
    tell(state, 0, *[0.5] * 6)
    tell(state, 1, *[0.5] * 2)
    np.testing.assert_array_equal(state.estimate, [6 * 0.5 / 4, 2 * 0.5 / 4])


def test_barbat_plans_the_first_epochs_as_computed_by_hand():
    factor = 0.1
    state = BARBAT(factor=factor).start(2)
    log_inverse_deltas = {m: math.log(2 * (m + 4) * 4 ** (m + 4) * math.log(2)) for m in (1, 2)}
    lam = {m: factor * math.log(8) + factor * log_inverse_deltas[m] for m in (1, 2)}
    assert state.length[0] == pytest.approx(2 * lam[1])
    tell(state, 1, 1.0)
    tell(state, 0, 0.0)
    tell(state, 1, 1.0)
    assert (state.epoch[0], state.epoch_rounds[0]) == (2, 0)  # after ceil(2.3) rounds
    assert 2 < 2 * lam[1] <= 3
    np.testing.assert_array_equal(state.estimate, [0.0, 1.0])  # 2 / 1.16 is limited to 1
    best = 1.0 - math.sqrt(4 / 256 * factor * (math.log(4) + log_inverse_deltas[1]) / lam[1])
    np.testing.assert_allclose(state.gaps, [best, 0.5], rtol=1e-12)
    assert best > 0.5
    assert state.length[0] == pytest.approx(2 * lam[2] * 4)
    other = lam[2] / best**2
    np.testing.assert_allclose(
        state.planned, [other, 8 * lam[2] - other], rtol=1e-12
    )  # the leader gets the remaining rounds


@pytest.mark.parametrize("policy", [BARBAR(RATINGS), BARBAT(RATINGS)])
def test_barbar_and_barbat_with_published_constants_play_uniformly_for_a_thousand_rounds(policy):
    regret = tw.play(policy, LIKERT, horizon=1000, trials=128, checkpoints=[1000]).regret[:, -1]
    # a binomial number of pulls of the best arm: sd sqrt(1000 x 0.2 x 0.8) = 12.6, so 4.5 is 4 standard errors
    assert abs(regret.mean() - 800.0) < 4.5
    assert 10.0 < regret.std() < 16.0


def test_barbar_with_published_constants_learns_when_the_horizon_is_long_enough():
    arms = tw.BernoulliArms([0.9, 0.1])
    trace = tw.play(BARBAR(), arms, horizon=60_000, trials=4, checkpoints=[10_000, 60_000])
    share = np.diff(trace.pulls[:, :, 1], axis=1)[:, 0] / 50_000
    assert (trace.pulls[:, 0, 1] > 4_700).all()  # 10,000 / 2 - 6 sd
    assert (share < 0.35).all()  # after 16,000 rounds the second arm has 1 / (1 + 4 gap^2) of the plan


@pytest.mark.parametrize("policy", [BARBAR(preset="practical"), BARBAT(preset="practical")])
def test_barbar_and_barbat_with_practical_constants_learn_a_large_gap_in_a_thousand_rounds(policy):
    arms = tw.BernoulliArms([0.9, 0.1])
    regret = tw.play(policy, arms, horizon=1000, trials=64, checkpoints=[1000]).regret[:, -1]
    assert regret.mean() < 200.0  # uniform play has 400


@pytest.mark.parametrize("policy", [BARBAR(RATINGS, lam=2.0), BARBAT(RATINGS, factor=0.1)])
def test_barbar_and_barbat_interpreted_equals_compiled_over_several_epochs(policy):
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize("policy", [BARBAR(RATINGS, lam=2.0), BARBAT(RATINGS, factor=0.1)])
def test_barbar_and_barbat_clip_huge_rewards_and_stay_finite(policy):
    state = policy.start(3, horizon=200)
    rng = np.random.default_rng(1)
    for t in range(1, 201):
        play_round(state, t, lambda arm, t=t: (1e300, -1e300, 5.0)[t % 3], rng, n_arms=3)
    assert state.epoch[0] > 2
    assert state.scale.outside[0] > 100
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, make_ask(201, 3)).sum() == pytest.approx(1.0)


def test_barbar_sums_are_unbiased_when_arms_are_unavailable():
    policy = BARBAR(lam=4000.0)
    bandit = tw.Bandit(policy, arms=2, seed=1)
    for number in range(1, 601):
        arm = bandit.ask(among=[0] if number % 3 == 0 else None)
        bandit.tell(arm, 0.5)
    sums = bandit._state.sums / 600
    # 0.5 per round in which the arm was available, times its planned share; otherwise the gain of the policy
    np.testing.assert_allclose(sums, [0.25, 0.25], atol=4 * 0.5 * math.sqrt(0.25 / 600))


def test_barbar_needs_a_horizon_only_for_the_published_lambda():
    assert BARBAR().needs_horizon
    assert not BARBAR(lam=10.0).needs_horizon
    assert not BARBAR(preset="practical").needs_horizon
    assert not BARBAT().needs_horizon
    with pytest.raises(ParameterError, match="BARBAR needs a horizon"):
        tw.Bandit(BARBAR(), arms=2)


def test_barbar_and_barbat_name_invalid_parameters():
    for build, name in [(lambda: BARBAR(delta=1.0), "delta"), (lambda: BARBAR(lam=0.0), "lam")]:
        with pytest.raises(ParameterError, match=name):
            build()
    with pytest.raises(ParameterError, match="factor"):
        BARBAT(factor=-1.0)
    with pytest.raises(ParameterError, match="preset"):
        BARBAT(preset="mine")
