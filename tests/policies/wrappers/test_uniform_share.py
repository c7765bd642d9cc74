import numpy as np
import pytest

import trueward as tw
from trueward.engine.protocol import Observation, choose, make_ask, update

ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7, 0.5])
INNER = [tw.UCB(sigma=1.3), tw.EXP3((0, 10), gamma=0.1), tw.BetaThompson((0, 10))]


def state_after(policy, rounds=40):
    state, rng = policy.start(3, horizon=100), np.random.default_rng(1)
    for t in range(1, rounds + 1):
        ask = make_ask(t, 3)
        arm = choose(state, ask, rng)
        update(state, Observation(t, arm, float((7 * t + arm) % 11), ask.p, ask.available), rng)
    return state


@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_uniform_share_mixes_probabilities_with_uniform_ones(inner):
    policy = tw.UniformShare(inner, share=0.3)
    state = state_after(policy)
    q = inner.probabilities(state.policy, make_ask(41, 3))
    np.testing.assert_allclose(policy.probabilities(state, make_ask(41, 3)), 0.1 + 0.7 * q, rtol=1e-12)


@pytest.mark.parametrize("inner", INNER, ids=repr)
def test_uniform_share_draws_a_share_of_the_choices_uniformly_and_reports_it(inner):
    policy = tw.UniformShare(inner, share=0.3)
    state, n = state_after(policy), 3000
    p = policy.probabilities(state, make_ask(41, 3))
    uniform, all_of = np.zeros(3), np.zeros(3)
    for seed in range(n):
        arm = choose(state, make_ask(41, 3), np.random.default_rng(seed))
        all_of[arm] += 1
        uniform[arm] += policy.draws_uniformly(np.random.default_rng(seed))
    assert (np.abs(all_of / n - p) <= 4.5 * np.sqrt(p * (1 - p) / n) + 2 / n).all()  # standard errors, two rare events
    assert (np.abs(uniform / n - 0.1) <= 4.5 * np.sqrt(0.09 / n)).all()


def test_uniform_share_passes_mixed_probabilities_to_a_sampling_policy():
    policy = tw.UniformShare(tw.EXP3((0, 10), gamma=0.1), share=0.3)
    state, ask = state_after(policy), make_ask(41, 3)
    choose(state, ask, np.random.default_rng(0))
    np.testing.assert_allclose(ask.p, policy.probabilities(state, make_ask(41, 3)), rtol=1e-12)


def test_uniform_share_of_zero_is_the_wrapped_policy_and_of_one_is_uniform():
    inner = tw.UCB(sigma=1.3)
    state = state_after(tw.UniformShare(inner, share=0.0))
    assert tw.UniformShare(inner, share=0.0).estimates(state).tolist() == inner.estimates(state.policy).tolist()
    trace = tw.play(tw.UniformShare(inner, share=1.0), ARMS, horizon=300, trials=5, compiled=False)
    assert (np.abs(trace.pulls[:, -1] - 100) < 4.5 * np.sqrt(300 * 2 / 9)).all()


def test_uniform_share_rejects_a_share_above_one():
    with pytest.raises(tw.ParameterError, match="share must be"):
        tw.UniformShare(tw.UCB(sigma=1), share=1.5)


def test_uniform_share_has_no_index():
    bandit = tw.Bandit(tw.UniformShare(tw.UCB(sigma=1)), ["a", "b"])
    with pytest.raises(tw.TruewardError, match="UniformShare has no index"):
        bandit.indices()
