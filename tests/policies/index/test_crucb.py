import math

import numpy as np
import pytest

import trueward as tw
from trueward.engine.kernel import choose, update
from trueward.errors import ParameterError


def state_after(policy, rewards, n_arms=None):
    state = policy.start(n_arms or len(rewards), horizon=None, capacity=100)
    rng = np.random.default_rng(0)
    for arm, values in enumerate(rewards):
        for value in values:
            update(state, 1, arm, value, rng)
    return state


def test_the_bonus_agrees_with_a_hand_computed_one():
    policy = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.2649)
    state = state_after(policy, [[8.0] * 20])
    assert policy.indices(state, 100)[0] - 8.0 == pytest.approx(1.517414, abs=5e-7)


@pytest.mark.parametrize(
    ("estimator", "inflation"),
    [
        (tw.Mean(), 1.0),
        (tw.Median(), 1.0),
        (tw.TrimmedMean(0.2), 1 / 0.6),
        (tw.ShorthMean(0.2), 1 / 0.6),
        (tw.ShorthMean(0.2, sharpened=True), 1 / 0.8),
    ],
)
def test_the_index_is_the_estimate_plus_the_inflated_radius(estimator, inflation):
    rewards = [[3.0, 4.0, 9.0, 4.0], [5.0, 6.0]]
    policy = tw.CrUCB(estimator, sigma=1.5, c=6)
    indices = policy.indices(state_after(policy, rewards), 37)
    for arm, values in enumerate(rewards):
        radius = 1.5 * inflation * math.sqrt(6 * math.log(37) / len(values))
        assert indices[arm] == pytest.approx(float(estimator(values)) + radius, rel=1e-12)


def test_the_bias_term_counts_where_sigma_differs_by_arm():
    alpha, sigmas, t = 0.1, (1.0, 2.0), 50
    policy = tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas, bias_term=True)
    indices = policy.indices(state_after(policy, [[5.0] * 9, [5.0] * 9]), t)
    for arm, sigma in enumerate(sigmas):
        inside = math.sqrt(4 * math.log(t) / 9) + 4 * alpha * math.sqrt(6 * math.log(t))
        assert indices[arm] == pytest.approx(5.0 + sigma / (1 - 2 * alpha) * inside, rel=1e-12)
    with pytest.raises(ParameterError, match="bias_term must be True when sigma differs by arm"):
        tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas)


def test_at_alpha_zero_crucb_is_ucb():
    rewards = [[3.0, 4.0, 9.0], [5.0, 6.0]]
    ucb, crucb = tw.UCB(sigma=2.0), tw.CrUCB(tw.TrimmedMean(0.0), sigma=2.0)
    np.testing.assert_allclose(
        ucb.indices(state_after(ucb, rewards), 9), crucb.indices(state_after(crucb, rewards), 9), rtol=1e-14
    )


def test_ucb1_scales_its_bonus_with_the_range():
    policy = tw.UCB1((0.0, 10.0))
    index = policy.indices(state_after(policy, [[4.0, 6.0]]), 20)[0]
    assert index == pytest.approx(5.0 + 10.0 * math.sqrt(2 * math.log(20) / 2), rel=1e-12)


def test_ucb1_clips_refuses_or_keeps_what_lies_outside_its_range():
    def estimate(outside):
        policy = tw.UCB1((0.0, 10.0), outside=outside)
        return policy.estimates(state_after(policy, [[4.0, 16.0]]))[0]

    assert estimate("clip") == 7.0
    assert estimate("keep") == 10.0
    with pytest.raises(tw.TruewardError, match=r"arm 0 lies outside of the range \[0, 1\]"):
        tw.play(tw.UCB1((0.0, 1.0), outside="raise"), tw.GaussianArms(means=[5.0]), horizon=3)


def test_an_arm_not_yet_pulled_has_an_infinite_index_and_ties_are_broken_at_random():
    policy = tw.UCB(sigma=1.0)
    state = state_after(policy, [[3.0], [], []])
    assert policy.indices(state, 5)[1:].tolist() == [math.inf, math.inf]
    assert policy.probabilities(state, 5).tolist() == [0.0, 0.5, 0.5]
    assert math.isnan(policy.estimates(state)[1])
    first = [choose(state, 5, np.random.default_rng(seed)) for seed in range(400)]
    assert set(first) == {1, 2}
    assert abs(first.count(1) - 200) < 40  # 4 standard errors of Binomial(400, 1/2)


def test_scores_that_differ_by_rounding_alone_are_ties():
    policy = tw.CrUCB(tw.Mean(), sigma=1.0)
    state = state_after(policy, [[0.1 + 0.2], [0.3]])
    assert policy.probabilities(state, 5).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tw.CrUCB(tw.TrimmedMean(0.6), sigma=1), r"alpha must be at least 0 and below 0.5, got 0.6"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=-1), r"sigma\[0\] must be at least 0, got -1"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=float("nan")), r"sigma\[0\] must be at least 0, got nan"),
        (lambda: tw.CrUCB(0.1, sigma=1), r"estimator must be an Estimator"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=1, c=0), r"c must be above 0, got 0"),
        (lambda: tw.UCB(sigma="1"), r"sigma must be a number, got '1'"),
        (lambda: tw.UCB1((1, 1)), r"range must have low below high"),
        (lambda: tw.UCB1(3), r"range must be a pair"),
    ],
)
def test_wrong_parameters_are_named(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()


def test_one_sigma_per_arm_must_fit_the_arms():
    policy = tw.CrUCB(tw.Mean(), sigma=(1, 2), bias_term=True)
    with pytest.raises(ParameterError, match="one for each of 3 arms"):
        tw.play(policy, tw.BernoulliArms([0.1, 0.2, 0.3]), horizon=10)
