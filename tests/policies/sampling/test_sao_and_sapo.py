"""Common behaviour of SAO and SAPO: they assume stochastic rewards, test that, and switch to EXP3.P for good."""

import numpy as np
import pytest

import trueward as tw
from policy_states import play_round
from trueward.engine.protocol import Observation, make_ask, update
from trueward.errors import ParameterError
from trueward.policies.sampling.sao import SAO
from trueward.policies.sampling.sapo import SAPO

RATINGS = (0.0, 10.0)
LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
BOTH = pytest.mark.parametrize("policy", [SAO, SAPO])


def play(state, rounds, rates, draw, seed, begin=1):
    rng = np.random.default_rng(seed)
    for t in range(begin, begin + rounds):
        play_round(state, t, lambda arm: draw(rng, rates[arm]), rng, n_arms=len(rates))


@BOTH
def test_sao_and_sapo_learn_like_exp3p_after_the_switch(policy):
    state = policy().start(2, horizon=1000)
    state.switched_at[0] = 10
    update(state, Observation(11, 0, 0.5, np.array([0.25, 0.75]), np.ones(2, np.bool_)), np.random.default_rng(0))
    exp3p = state.exp3p
    np.testing.assert_allclose(exp3p.gains, [(0.5 + exp3p.beta) / 0.25, exp3p.beta / 0.75], rtol=1e-14)
    weights = np.exp(exp3p.eta * exp3p.gains)
    expected = (1 - exp3p.gamma) * weights / weights.sum() + exp3p.gamma / 2
    np.testing.assert_allclose(policy().probabilities(state, make_ask(12, 2)), expected, rtol=1e-13)
    assert state.switched_at[0] == 10  # it never switches back


@pytest.mark.parametrize(
    ("policy", "draw", "turn"),
    [
        (SAO, lambda rng, rate: float(rng.random() < rate), 800),
        (SAPO, lambda rng, rate: rng.binomial(10, rate) / 10, 150),
    ],
)
def test_sao_and_sapo_with_practical_constants_drop_a_bad_arm_and_detect_a_change(policy, draw, turn):
    for seed in range(4):
        state = policy(preset="practical").start(2, horizon=2000)
        play(state, turn, [0.9, 0.1], draw, seed)
        assert state.active.tolist() == [True, False]
        assert state.switched_at[0] == 0
        play(state, 2000 - turn, [0.1, 0.9], draw, seed + 100, begin=turn + 1)
        assert turn < state.switched_at[0] < 1600


@BOTH
def test_sao_and_sapo_with_published_constants_play_uniformly_for_a_thousand_rounds(policy):
    regret = tw.play(policy(RATINGS), LIKERT, horizon=1000, trials=128, checkpoints=[1000]).regret[:, -1]
    assert abs(regret.mean() - 800.0) < 4.5  # sd sqrt(1000 x 0.2 x 0.8) = 12.6: 4 standard errors
    assert 10.0 < regret.std() < 16.0


@pytest.mark.parametrize(("policy", "share"), [(SAO, 0.7), (SAPO, 0.35)])
def test_sao_and_sapo_with_published_constants_drop_a_bad_arm_when_the_horizon_is_long_enough(policy, share):
    trace = tw.play(policy(), tw.BernoulliArms([0.95, 0.05]), horizon=60_000, trials=4, checkpoints=[60_000])
    assert (trace.regret[:, -1] < share * 0.9 * 30_000).all()


@pytest.mark.parametrize(
    "policy",
    [
        SAO(RATINGS, log_beta=0.02),
        SAO(RATINGS, log_beta=0.5),
        SAPO(RATINGS, log_term=0.0002, preset="practical"),
        SAPO(RATINGS, log_term=0.5, preset="practical"),
    ],
)
def test_sao_and_sapo_interpreted_equals_compiled_before_and_after_the_switch(policy):
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize(
    ("policy", "switches"),
    [
        (SAO(RATINGS, log_beta=0.02), True),
        (SAO(RATINGS, log_beta=5.0), False),
        (SAPO(RATINGS, log_term=0.00002), True),
        (SAPO(RATINGS, log_term=5.0), False),
    ],
)
def test_sao_and_sapo_clip_huge_rewards_and_stay_finite(policy, switches):
    state, rng = policy.start(3, horizon=1000), np.random.default_rng(1)
    for t in range(1, 201):
        play_round(state, t, lambda arm, t=t: (1e300, -1e300, 5.0)[t % 3], rng, n_arms=3)
    assert (state.switched_at[0] > 0) == switches
    assert np.isfinite(policy.estimates(state)).all()
    assert policy.probabilities(state, make_ask(201, 3)).sum() == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("policy", "rounds", "counter", "counted"),  # SAPO counts the rounds in which every arm was available
    [(SAO(log_beta=0.2), 700, "rewards", 700), (SAPO(preset="practical"), 300, "full_rounds", 240)],
)
def test_sao_and_sapo_normalise_probabilities_when_only_eliminated_arms_are_available(policy, rounds, counter, counted):
    bandit = tw.Bandit(policy, arms=3, seed=1, horizon=900)
    for number in range(rounds):
        arm = bandit.ask(among=[1, 2] if number % 5 == 0 else None)
        bandit.tell(arm, (0.9, 0.1, 0.1)[arm])
    assert bandit._state.active.tolist() == [True, False, False]
    assert (getattr(bandit._state, counter)[0], bandit._state.switched_at[0]) == (counted, 0)
    among = bandit.probabilities(among=[1, 2])
    assert among[1] + among[2] == pytest.approx(1.0)
    assert sum(bandit.probabilities().values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("policy", "parameters"),
    [
        (SAO, {"delta": 0.0}),
        (SAO, {"log_beta": 0.0}),
        (SAO, {"preset": "mine"}),
        (SAPO, {"log_term": 0.0}),
        (SAPO, {"preset": "mine"}),
    ],
)
def test_sao_and_sapo_name_invalid_parameters(policy, parameters):
    with pytest.raises(ParameterError, match=next(iter(parameters))):
        policy(**parameters)
    with pytest.raises(ParameterError, match=f"{policy.__name__} needs a horizon"):
        tw.Bandit(policy(), arms=2)
