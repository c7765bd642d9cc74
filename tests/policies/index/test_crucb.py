import math

import numpy as np
import pytest

import trueward as tw
from telling import told
from trueward.engine.protocol import choose, make_ask
from trueward.engine.states import copy_of
from trueward.errors import ParameterError


def test_the_bonus_agrees_with_a_hand_computed_one():
    policy = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.2649)
    state = told(policy, [[8.0] * 20])
    assert policy.indices(state, make_ask(100, 1))[0] - 8.0 == pytest.approx(1.517414, abs=5e-7)


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
    indices = policy.indices(told(policy, rewards), make_ask(37, 2))
    for arm, values in enumerate(rewards):
        radius = 1.5 * inflation * math.sqrt(6 * math.log(37) / len(values))
        assert indices[arm] == pytest.approx(float(estimator(values)) + radius, rel=1e-12)


def test_the_bias_term_counts_where_sigma_differs_by_arm():
    alpha, sigmas, t = 0.1, (1.0, 2.0), 50
    policy = tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas, bias_term=True)
    indices = policy.indices(told(policy, [[5.0] * 9, [5.0] * 9]), make_ask(t, 2))
    for arm, sigma in enumerate(sigmas):
        inside = math.sqrt(4 * math.log(t) / 9) + 4 * alpha * math.sqrt(6 * math.log(t))
        assert indices[arm] == pytest.approx(5.0 + sigma / (1 - 2 * alpha) * inside, rel=1e-12)
    with pytest.raises(ParameterError, match="bias_term must be True when sigma differs by arm"):
        tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas)


def test_at_alpha_zero_crucb_is_ucb():
    rewards = [[3.0, 4.0, 9.0], [5.0, 6.0]]
    ucb, crucb = tw.UCB(sigma=2.0), tw.CrUCB(tw.TrimmedMean(0.0), sigma=2.0)
    expected = ucb.indices(told(ucb, rewards), make_ask(9, 2))
    np.testing.assert_allclose(crucb.indices(told(crucb, rewards), make_ask(9, 2)), expected, rtol=1e-14)


def test_ucb1_scales_its_bonus_with_the_range():
    policy = tw.UCB1((0.0, 10.0))
    index = policy.indices(told(policy, [[4.0, 6.0]]), make_ask(20, 1))[0]
    assert index == pytest.approx(5.0 + 10.0 * math.sqrt(2 * math.log(20) / 2), rel=1e-12)


def test_ucb1_clips_refuses_or_keeps_what_lies_outside_its_range():
    def estimate(outside):
        policy = tw.UCB1((0.0, 10.0), outside=outside)
        return policy.estimates(told(policy, [[4.0, 16.0]]))[0]

    assert estimate("clip") == 7.0
    assert estimate("keep") == 10.0
    with pytest.raises(tw.TruewardError, match=r"arm 0 lies outside of the range \[0, 1\]"):
        tw.play(tw.UCB1((0.0, 1.0), outside="raise"), tw.GaussianArms(means=[5.0]), horizon=3)


def test_an_arm_not_yet_pulled_has_an_infinite_index_and_ties_are_broken_at_random():
    policy = tw.UCB(sigma=1.0)
    state = told(policy, [[3.0], [], []])
    ask = make_ask(5, 3)
    assert policy.indices(state, ask)[1:].tolist() == [math.inf, math.inf]
    assert policy.probabilities(state, ask).tolist() == [0.0, 0.5, 0.5]
    assert math.isnan(policy.estimates(state)[1])
    first = [choose(state, ask, np.random.default_rng(seed)) for seed in range(400)]
    assert set(first) == {1, 2}
    assert abs(first.count(1) - 200) < 40  # 4 standard errors of Binomial(400, 1/2)


def test_scores_that_differ_by_rounding_alone_are_ties():
    policy = tw.CrUCB(tw.Mean(), sigma=1.0)
    state = told(policy, [[0.1 + 0.2], [0.3]])
    assert policy.probabilities(state, make_ask(5, 2)).tolist() == [0.5, 0.5]


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


def test_one_sigma_for_all_arms_may_be_given_as_a_list():
    rewards = [[3.0, 4.0], [5.0], [6.0]]
    listed, plain = (tw.CrUCB(tw.Mean(), sigma=sigma) for sigma in ([1, 1, 1], 1))
    expected = plain.indices(told(plain, rewards), make_ask(9, 3))
    np.testing.assert_array_equal(listed.indices(told(listed, rewards), make_ask(9, 3)), expected)


def test_a_very_long_horizon_takes_no_more_memory_than_a_long_one():
    long, longer = (tw.UCB(sigma=1).start(2, horizon=horizon) for horizon in (10**6, 10**9))
    assert longer.sqrt_log_table is long.sqrt_log_table
    beyond = tw.UCB(sigma=1).start(2)
    for state in (longer, beyond):
        state.estimate[:], state.width[:] = [1.0, 2.0], [3.0, 4.0]
    for t in (10**6, 10**6 + 1, 10**9):
        ask = make_ask(t, 2)
        np.testing.assert_array_equal(tw.UCB(sigma=1).indices(longer, ask), tw.UCB(sigma=1).indices(beyond, ask))


def test_the_roots_of_the_rounds_are_shared_and_never_copied():
    state = tw.UCB(sigma=1).start(2, horizon=500)
    for other in (tw.UCB(sigma=2).start(3, horizon=500), copy_of(state), copy_of(state, np.array([1]))):
        assert other.sqrt_log_table is state.sqrt_log_table
