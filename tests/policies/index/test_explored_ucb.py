import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError
from trueward.policies.index.explored_ucb import ExploredUCB

LIKERT = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
RNG = np.random.default_rng(0)


def after(policy, pulls, rewards):
    return state_after(policy, [[reward] * count for count, reward in zip(pulls, rewards, strict=True)])


def test_explored_ucb_plays_the_arm_with_fewest_pulls_below_m_log_t():
    policy = ExploredUCB(sigma=1.0, exploration=2.0)
    state = after(policy, [9, 3, 3], [9.0, 0.0, 1.0])
    ask = make_ask(5, 3)  # 2 ln 5 = 3.22 > 3
    np.testing.assert_array_equal(policy.probabilities(state, ask), [0.0, 0.5, 0.5])
    assert {choose(state, ask, RNG) for _ in range(30)} == {1, 2}
    ask = make_ask(4, 3)  # 2 ln 4 = 2.77 < 3
    np.testing.assert_array_equal(policy.probabilities(state, ask), [1.0, 0.0, 0.0])
    assert {choose(state, ask, RNG) for _ in range(30)} == {0}


def test_explored_ucb_index_is_that_of_crucb_when_no_arm_must_be_explored():
    inner = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3, c=6)
    policy = ExploredUCB(estimator=tw.TrimmedMean(0.1), sigma=1.3, c=6)
    state = after(policy, [20, 30], [7.0, 8.0])
    np.testing.assert_array_equal(policy.indices(state, make_ask(60, 2)), inner.indices(state.inner, make_ask(60, 2)))
    np.testing.assert_array_equal(policy.estimates(state), [7.0, 8.0])


def test_explored_ucb_with_exploration_zero_plays_as_crucb():
    attack = tw.BernoulliAdversary(0.1, tw.WorstBounded())
    both = {"explored": ExploredUCB(sigma=1.3, exploration=0.0), "plain": tw.CrUCB(tw.Median(), sigma=1.3)}
    traces = tw.play(both, LIKERT, attack, horizon=300, trials=8)
    np.testing.assert_array_equal(traces["explored"].pulls, traces["plain"].pulls)


def test_explored_ucb_pulls_every_arm_m_log_t_times_at_every_round():
    m = 3.0
    t = np.arange(1, 501)
    trace = tw.play(ExploredUCB(sigma=0.1, exploration=m), LIKERT, horizon=500, trials=16, checkpoints=t)
    due = np.minimum(t // 5, m * np.log(t) - 2)  # one arm catches up in each round
    assert (trace.pulls.min(axis=2) >= due).all()
    assert (trace.pulls[:, -1, 1:].mean(axis=0) < 2 * m * math.log(500)).all()


@pytest.mark.parametrize(
    ("attack", "mean", "sd"),
    [
        (tw.NoAdversary(), 109, 22),
        (tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 153, 81),
        (tw.BernoulliAdversary(0.1, tw.WorstBounded()), 160, 118),
    ],
)
@pytest.mark.soak
def test_explored_ucb_regret_agrees_with_the_prototype(attack, mean, sd):
    trials = 256
    policy = ExploredUCB(sigma=LIKERT.sd)
    regret = tw.play(policy, LIKERT, attack, horizon=1000, trials=trials, checkpoints=[1000]).regret
    error = math.sqrt(regret.var() / trials + sd * sd / 200)
    assert abs(regret.mean() - mean) < 4 * error


def test_explored_ucb_interpreted_equals_compiled():
    settings = {"horizon": 150, "trials": 3, "seed": 3, "keep_history": True}
    policy = ExploredUCB(sigma=1.3, exploration=4.0)
    slow, fast = (tw.play(policy, LIKERT, compiled=compiled, **settings) for compiled in (False, True))
    np.testing.assert_array_equal(slow.arms, fast.arms)


def test_explored_ucb_index_is_finite_for_huge_rewards():
    policy = ExploredUCB(sigma=1.3)
    state = after(policy, [5, 5, 5], [1e300, -1e300, 5.0])
    assert np.isfinite(policy.indices(state, make_ask(20, 3))).all()
    np.testing.assert_array_equal(policy.probabilities(state, make_ask(20, 3)), [1.0, 0.0, 0.0])


def test_explored_ucb_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="exploration"):
        ExploredUCB(sigma=1.0, exploration=-1.0)
    with pytest.raises(ParameterError, match="sigma"):
        ExploredUCB(sigma=-1.0)
