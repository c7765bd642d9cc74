"""The contract of a policy, checked for every entry of the registry."""

import numpy as np
import pytest

import examples
import trueward as tw
from trueward.engine.protocol import (
    UNTOUCHED,
    Observation,
    choose,
    make_ask,
    make_observation,
    reset,
    update,
    update_missing,
)
from trueward.engine.states import arrays_of, grow

ALL = examples.flat(examples.POLICIES)
ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7, 0.5])


def start(policy, capacity=400):
    return policy.start(3, horizon=400, capacity=capacity)


def play_rounds(state, rounds, rewards, seed=0):
    """Play interpreted rounds, and return the arms played."""
    rng, arms = np.random.default_rng(seed), []
    for t in range(1, rounds + 1):
        ask = make_ask(t, 3)
        arms.append(choose(state, ask, rng))
        update(state, Observation(t, arms[-1], rewards(t, arms[-1]), ask.p, ask.available), rng)
    return arms


@pytest.mark.parametrize("policy", ALL)
def test_every_arm_is_tried(policy):
    trace = tw.play(policy, ARMS, horizon=200, trials=4, compiled=False)
    assert (trace.pulls[:, -1] > 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_probabilities_sum_to_one_and_leave_the_state_unchanged(policy):
    state = start(policy)
    play_rounds(state, 60, lambda t, arm: float((7 * t) % 11))
    before = [array.copy() for array in arrays_of(state)]
    p = policy.probabilities(state, make_ask(61, 3))
    assert p.shape == (3,)
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0)
    assert np.isfinite(policy.estimates(state)).all()
    for array, old in zip(arrays_of(state), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("policy", ALL)
def test_grown_state_keeps_the_estimates_for_more_rewards_and_more_arms(policy):
    state = start(policy, capacity=60)
    play_rounds(state, 60, lambda t, arm: float((7 * t) % 11))
    for empty in (policy.start(3, horizon=400, capacity=200), start_with_four_arms(policy)):
        if empty is not None:
            larger = grow(state, empty)
            before, after = policy.estimates(state), policy.estimates(larger)
            # In Wary the estimates depend on the number of arms: the new one may be the one that is attacked.
            joint = after.size > 3 and isinstance(policy, tw.Wary)
            np.testing.assert_allclose(after[:3], before, rtol=0.02 if joint else 1e-12)
            assert np.isnan(after[3:]).all() or policy.samples


def start_with_four_arms(policy):
    """Return a state with one more arm, or None for a policy whose parameters fix the number of arms."""
    try:
        return policy.start(4, horizon=400, capacity=200)
    except tw.ParameterError:
        return None


@pytest.mark.parametrize("policy", ALL)
def test_reset_state_plays_the_same_game_again(policy):
    state = start(policy)
    rewards = lambda t, arm: float((3 * t + arm) % 11)  # noqa: E731 - used twice, and short
    once = play_rounds(state, 80, rewards)
    reset(state)
    assert play_rounds(state, 80, rewards) == once


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize("huge", [1e300, -1e300])
def test_huge_finite_rewards_cause_no_nan_overflow_or_warning(policy, huge):
    state = start(policy)
    arms = play_rounds(state, 120, lambda t, arm: (huge, -huge, 0.0, 5.0, huge)[t % 5])
    assert set(arms) <= {0, 1, 2}
    for array in arrays_of(state):
        assert not np.isnan(array).any()
    assert np.isfinite(policy.estimates(state)[np.unique(arms)]).all()
    p = policy.probabilities(state, make_ask(121, 3))
    assert p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("policy", [case for case in ALL if np.ndim(getattr(case.values[0], "sigma", 0)) == 0])
def test_single_arm_is_always_played(policy):
    trace = tw.play(policy, tw.BernoulliArms([0.5]), horizon=30, trials=2, compiled=False)
    assert (trace.regret == 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_every_arm_is_tried_when_rewards_are_delayed(policy):
    for delay in (tw.FixedDelay(9), tw.GeometricDelay(9)):
        trace = tw.play(policy, ARMS, horizon=60, delay=delay, compiled=False)
        assert (trace.pulls[:, -1] > 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_missing_rewards_do_not_raise_the_estimate(policy):
    counting = policy if policy.learns_from_missing else tw.MissingAs(policy, severity=1.0, low=0.0, pooled=False)
    for each in (policy, counting):
        trace = tw.play(each, ARMS, tw.Dropout((0.1, 0.5, 0.3)), horizon=60, compiled=False)
        assert trace.missing.sum() > 0
    state = start(counting)
    play_rounds(state, 12, lambda t, arm: 8.0)
    before = counting.estimates(state)[0]
    for t in range(13, 43):
        update_missing(state, make_observation(0, UNTOUCHED, n_arms=3, t=t), np.random.default_rng(t))
    assert not counting.estimates(state)[0] > before + 1e-9  # missing rewards do not make an arm look better


@pytest.mark.parametrize("policy", ALL)
def test_chosen_arms_have_positive_probability_while_rewards_are_pending(policy):
    for rounds, pending in ((0, [1, 0, 2]), (2, [4, 1, 1]), (30, [0, 20, 1])):
        state, rng = start(policy), np.random.default_rng(1)
        play_rounds(state, rounds, lambda t, arm: float((7 * t) % 11))
        ask = make_ask(rounds + 1, 3)._replace(pending=np.array(pending))
        p = policy.probabilities(state, ask._replace(p=ask.p.copy()))
        assert p.sum() == pytest.approx(1.0)
        for _ in range(10):
            assert p[choose(state, ask, rng)] > 0.0
