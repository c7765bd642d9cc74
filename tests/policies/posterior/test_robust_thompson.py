import math

import numpy as np
import pytest
from scipy import stats

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.errors import ParameterError
from trueward.estimators.huber_mean import HuberMean
from trueward.policies.posterior.robust_thompson import RobustThompson, posterior_inflation
from trueward.statistics.best_arm_probability import best_arm_probabilities_normal

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))
SIGMA = 1.2649
TRIALS, PROTOTYPE_TRIALS = 128, 200


def test_robust_thompson_choices_follow_its_probabilities():
    policy = RobustThompson(tw.TrimmedMean(0.2), sigma=2.0)
    state = state_after(policy, [[3.0, 4.0, 3.0, 5.0, 1e300], [5.0, 2.0, 4.5], [4.0]])
    ask = make_ask(9, 3)
    p, rng = policy.probabilities(state, ask), np.random.default_rng(1)
    played = np.bincount([choose(state, ask, rng) for _ in range(4000)], minlength=3) / 4000
    assert (np.abs(played - p) < 4 * np.sqrt(p * (1 - p) / 4000)).all()  # 4 standard errors


def test_best_arm_probabilities_normal_of_two_arms_have_the_closed_form():
    p = best_arm_probabilities_normal(np.array([5.0, 4.0]), np.array([0.5, 1.2]))
    assert p[0] == pytest.approx(stats.norm.cdf(1.0 / math.hypot(0.5, 1.2)), abs=1e-6)


def test_robust_thompson_with_the_plain_mean_plays_as_gaussian_thompson():
    settings = {"horizon": 150, "trials": 4, "seed": 3}
    robust, plain = RobustThompson(tw.Mean(), sigma=SIGMA), tw.GaussianThompson(sigma=SIGMA)
    np.testing.assert_array_equal(tw.play(robust, ARMS, **settings).pulls, tw.play(plain, ARMS, **settings).pulls)
    rewards = [[3.0, 4.0], [5.0, 2.0, 4.5], [4.0]]
    p = robust.probabilities(state_after(robust, rewards), make_ask(9, 3))
    np.testing.assert_allclose(p, plain.probabilities(state_after(plain, rewards), make_ask(9, 3)), rtol=1e-12)


def test_robust_thompson_posterior_sd_follows_the_estimator_with_and_without_a_scale():
    assert posterior_inflation(tw.TrimmedMean(0.1), 1.0) == 1.25
    assert posterior_inflation(tw.ShorthMean(0.25), 1.0) == 2.0
    median = RobustThompson(tw.Median(), sigma=2.0)
    for scale in (None, np.arange(11.0)):
        state = state_after(median, [[4.0] * 9, [5.0]], scale=scale)
        assert state.sd[0] == pytest.approx(2.0 * math.sqrt(math.pi / 2) / 3)
    assert state_after(RobustThompson(tw.Median(), sigma=2.0, inflation=3.0), [[1.0] * 4]).sd[0] == 3.0


@pytest.mark.parametrize("estimator", [tw.Median(), HuberMean(2.0), HuberMean(0.5)], ids=repr)
def test_posterior_inflation_is_the_standard_deviation_of_the_estimator(estimator):
    estimates = estimator(np.random.default_rng(0).normal(size=(2000, 101)))
    # The standard error of an sd is 1 / sqrt(2 * 2000) = 1.6 % of it; the limit is 0.5 % away.
    assert estimates.std() * math.sqrt(101) == pytest.approx(posterior_inflation(estimator, 1.0), rel=4 * 0.016 + 0.005)


def test_posterior_inflation_of_hubers_mean_lies_between_those_of_mean_and_median():
    assert posterior_inflation(HuberMean(20.0), 2.0) == pytest.approx(1.0)
    assert posterior_inflation(HuberMean(1e-9), 2.0) == pytest.approx(math.sqrt(math.pi / 2), rel=1e-3)
    # The textbook's 95 % efficiency.
    assert posterior_inflation(HuberMean(1.345), 1.0) == pytest.approx(1 / math.sqrt(0.95), rel=1e-4)


def test_robust_thompson_plays_arms_without_a_reward_first():
    policy = RobustThompson(tw.Median(), sigma=1.0)
    assert policy.probabilities(state_after(policy, [[], [100.0], []]), make_ask(2, 3)).tolist() == [0.5, 0.0, 0.5]


@pytest.mark.parametrize(
    ("estimator", "arms"),
    [(tw.TrimmedMean(0.1), ARMS), (tw.Median(), tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0))],
    ids=["ratings", "huge rewards"],
)
def test_robust_thompson_interpreted_equals_compiled(estimator, arms):
    settings = {"horizon": 150, "trials": 3, "seed": 11, "keep_history": True}
    policy, adversary = RobustThompson(estimator, sigma=SIGMA), tw.BernoulliAdversary(0.1, tw.WorstBounded())
    adversary = adversary if arms is ARMS else tw.NoAdversary()
    slow = tw.play(policy, arms, adversary, compiled=False, **settings)
    fast = tw.play(policy, arms, adversary, compiled=True, **settings)
    np.testing.assert_array_equal(slow.arms, fast.arms)


@pytest.mark.parametrize(
    ("estimator", "clean", "random", "worst"),
    [
        (tw.TrimmedMean, (52, 16), (202, 226), (446, 372)),
        (tw.Median, (72, 23), (168, 228), (255, 335)),
    ],
)
@pytest.mark.soak
def test_robust_thompson_regret_agrees_with_the_prototypes(estimator, clean, random, worst):
    bernoulli = {"random": tw.RandomMalicious(), "worst": tw.WorstBounded()}
    for name, (mean, sd) in {"clean": clean, "random": random, "worst": worst}.items():
        adversary = tw.NoAdversary() if name == "clean" else tw.BernoulliAdversary(0.1, bernoulli[name])
        f = tw.Median() if estimator is tw.Median else tw.TrimmedMean(0.0 if name == "clean" else 0.1)
        policy = RobustThompson(f, sigma=SIGMA)
        ours = tw.play(policy, ARMS, adversary, horizon=1000, trials=TRIALS, seed=0, checkpoints=[1000]).regret[:, -1]
        error = math.sqrt(ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12)  # rounded to whole numbers
        assert abs(ours.mean() - mean) < 4 * error, (name, ours.mean(), mean)  # 4 standard errors


def test_robust_thompson_error_names_the_wrong_parameter():
    with pytest.raises(ParameterError, match="sigma must be above 0, got 0"):
        RobustThompson(tw.Median(), sigma=0)
    with pytest.raises(ParameterError, match="inflation must be above 0, got -1"):
        RobustThompson(tw.Median(), sigma=1, inflation=-1)
    with pytest.raises(ParameterError, match="estimator must be an Estimator"):
        RobustThompson(0.1, sigma=1)
