import math

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError
from trueward.estimators.huber_mean import HuberMean
from trueward.policies.index.huber_ucb import HuberUCB, contamination_spread, forced_pulls

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
SIGMA = 1.2649
PRACTICAL = HuberUCB(sigma=SIGMA, beta=2 * SIGMA)
PAPER = HuberUCB(sigma=SIGMA, beta=2 * SIGMA, epsilon=0.02, preset="paper")
TRIALS, PROTOTYPE_TRIALS = 128, 200


def test_huber_ucb_practical_index_is_that_of_crucb():
    rewards = [[5.0, 6.0, 40.0], [4.0, 4.5], [1.0]]
    crucb = tw.CrUCB(HuberMean(2 * SIGMA), sigma=SIGMA)
    expected = crucb.indices(state_after(crucb, rewards), make_ask(50, 3))
    np.testing.assert_allclose(
        PRACTICAL.indices(state_after(PRACTICAL, rewards), make_ask(50, 3)), expected, rtol=1e-14
    )


def test_huber_ucb_paper_radius_agrees_with_a_hand_computed_one():
    policy = HuberUCB(sigma=1.0, beta=4.0, preset="paper", epsilon=0.01, p=0.9)
    state = state_after(policy, [[5.0], [1.0] * 3])
    state.pulls[0] = 900  # as after 900 such rewards
    log, spread = 2 * math.log(1000), math.sqrt(0.98 / math.log(99))
    top = math.sqrt(2 * log / 900) + 4 * log / 2700 + 8 * spread * math.sqrt(log / 900) + 0.08
    radius = top / (0.9 - math.sqrt(log / 1800) - 0.01)
    np.testing.assert_allclose(policy.indices(state, make_ask(1000, 2)), [5.0 + radius, math.inf])
    assert policy.probabilities(state, make_ask(1000, 2)).tolist() == [0.0, 1.0]


def test_huber_ucb_default_p_is_that_of_a_normal_reward():
    assert HuberUCB(sigma=2.0, beta=5.0).within == pytest.approx(2 * stats.norm.cdf(1.25) - 1)
    assert HuberUCB(sigma=2.0, beta=5.0, p=0.3).within == 0.3
    assert contamination_spread(0.0) == 0.0
    assert contamination_spread(0.1) == pytest.approx(math.sqrt(0.8 / math.log(9)))


@pytest.mark.soak
def test_huber_ucb_paper_preset_plays_uniformly_for_a_thousand_rounds():
    assert forced_pulls(1000, 0.02, PAPER.within) > 1000
    regret = tw.play(PAPER, ARMS, horizon=1000, trials=TRIALS, checkpoints=[1000]).regret[:, -1]
    # The number of rounds off the best arm is Binomial(1000, 0.8), of variance 160: 4 standard errors.
    assert abs(regret.mean() - 800) < 4 * math.sqrt(160 / TRIALS)


@pytest.mark.parametrize("policy", [PRACTICAL, PAPER], ids=["practical", "paper"])
@pytest.mark.parametrize("huge", [False, True], ids=["ratings", "huge rewards"])
def test_huber_ucb_interpreted_equals_compiled(policy, huge):
    arms = tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0) if huge else ARMS
    adversary = tw.NoAdversary() if huge else tw.BernoulliAdversary(0.1, tw.WorstBounded())
    settings = {"horizon": 150, "trials": 2, "seed": 11, "keep_history": True}
    slow = tw.play(policy, arms, adversary, compiled=False, **settings)
    fast = tw.play(policy, arms, adversary, compiled=True, **settings)
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize(
    ("adversary", "mean", "sd"),
    [
        (tw.NoAdversary(), 124, 24),
        (tw.BernoulliAdversary(0.1, tw.RandomMalicious()), 302, 175),
        (tw.BernoulliAdversary(0.1, tw.WorstBounded()), 441, 267),
    ],
    ids=["clean", "random", "worst"],
)
@pytest.mark.soak
def test_huber_ucb_regret_agrees_with_the_prototype(adversary, mean, sd):
    ours = tw.play(PRACTICAL, ARMS, adversary, horizon=1000, trials=TRIALS, seed=0, checkpoints=[1000]).regret[:, -1]
    error = math.sqrt(ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12)  # rounded to whole numbers
    assert abs(ours.mean() - mean) < 4 * error, (ours.mean(), mean)  # 4 standard errors


def test_huber_ucb_learns_with_the_sequential_mean():
    policy = HuberUCB(sigma=SIGMA, beta=2 * SIGMA, sequential=True)
    regret = tw.play(policy, ARMS, horizon=300, trials=2, compiled=False).regret[:, -1]
    assert (regret < 200).all()  # uniform play: 240


def test_huber_ucb_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="beta must be above 0, got 0"):
        HuberUCB(sigma=1, beta=0)
    with pytest.raises(ParameterError, match="preset must be one of 'practical', 'paper', got 'best'"):
        HuberUCB(sigma=1, beta=1, preset="best")
    with pytest.raises(ParameterError, match=r"epsilon must be below p / 5 = 0.1 for the paper's preset, got 0.2"):
        HuberUCB(sigma=1, beta=1, preset="paper", epsilon=0.2, p=0.5)
