import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import make_ask
from trueward.errors import ParameterError


def test_crucb_radius_agrees_with_a_hand_computed_one():
    policy = tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.2649)
    state = state_after(policy, [[8.0] * 20])
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
def test_crucb_index_is_the_estimate_plus_the_inflated_radius(estimator, inflation):
    rewards = [[3.0, 4.0, 9.0, 4.0], [5.0, 6.0]]
    policy = tw.CrUCB(estimator, sigma=1.5, c=6)
    indices = policy.indices(state_after(policy, rewards), make_ask(37, 2))
    for arm, values in enumerate(rewards):
        radius = 1.5 * inflation * math.sqrt(6 * math.log(37) / len(values))
        assert indices[arm] == pytest.approx(float(estimator(values)) + radius, rel=1e-12)


def test_crucb_adds_the_bias_term_and_requires_it_when_sigma_differs_by_arm():
    alpha, sigmas, t = 0.1, (1.0, 2.0), 50
    policy = tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas, bias_term=True)
    indices = policy.indices(state_after(policy, [[5.0] * 9, [5.0] * 9]), make_ask(t, 2))
    for arm, sigma in enumerate(sigmas):
        inside = math.sqrt(4 * math.log(t) / 9) + 4 * alpha * math.sqrt(6 * math.log(t))
        assert indices[arm] == pytest.approx(5.0 + sigma / (1 - 2 * alpha) * inside, rel=1e-12)
    with pytest.raises(ParameterError, match="bias_term must be True when sigma differs by arm"):
        tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigmas)


def test_crucb_with_alpha_zero_is_ucb():
    rewards = [[3.0, 4.0, 9.0], [5.0, 6.0]]
    ucb, crucb = tw.UCB(sigma=2.0), tw.CrUCB(tw.TrimmedMean(0.0), sigma=2.0)
    expected = ucb.indices(state_after(ucb, rewards), make_ask(9, 2))
    np.testing.assert_allclose(crucb.indices(state_after(crucb, rewards), make_ask(9, 2)), expected, rtol=1e-14)


def test_indices_that_differ_only_by_rounding_are_ties():
    policy = tw.CrUCB(tw.Mean(), sigma=1.0)
    state = state_after(policy, [[0.1 + 0.2], [0.3]])
    assert policy.probabilities(state, make_ask(5, 2)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: tw.CrUCB(tw.TrimmedMean(0.6), sigma=1), r"alpha must be at least 0 and below 0.5, got 0.6"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=-1), r"sigma\[0\] must be at least 0, got -1"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=float("nan")), r"sigma\[0\] must be at least 0, got nan"),
        (lambda: tw.CrUCB(0.1, sigma=1), r"estimator must be an Estimator"),
        (lambda: tw.CrUCB(tw.Mean(), sigma=1, c=0), r"c must be above 0, got 0"),
    ],
)
def test_crucb_error_names_the_wrong_parameter(wrong, message):
    with pytest.raises(ParameterError, match=message):
        wrong()


def test_crucb_rejects_sigmas_that_do_not_match_the_number_of_arms():
    policy = tw.CrUCB(tw.Mean(), sigma=(1, 2), bias_term=True)
    with pytest.raises(ParameterError, match="one for each of 3 arms"):
        tw.play(policy, tw.BernoulliArms([0.1, 0.2, 0.3]), horizon=10)


def test_crucb_accepts_equal_sigmas_as_a_list():
    rewards = [[3.0, 4.0], [5.0], [6.0]]
    listed, plain = (tw.CrUCB(tw.Mean(), sigma=sigma) for sigma in ([1, 1, 1], 1))
    expected = plain.indices(state_after(plain, rewards), make_ask(9, 3))
    np.testing.assert_array_equal(listed.indices(state_after(listed, rewards), make_ask(9, 3)), expected)
