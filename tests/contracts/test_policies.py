"""What every policy must do, over every entry of the table."""

import numpy as np
import pytest

import examples
import trueward as tw
from trueward.engine.kernel import choose, reset, update
from trueward.policies.base import arrays_of

ALL = examples.flat(examples.POLICIES)
ARMS = tw.BinomialArms(n=10, p=[0.9, 0.7, 0.5])


def fresh(policy, capacity=400):
    state = policy.start(3, horizon=400, capacity=capacity)
    reset(state)
    return state


def live(state, rounds, rewards, seed=0):
    """Play some rounds, interpreted, and return the arms."""
    rng, arms = np.random.default_rng(seed), []
    for t in range(1, rounds + 1):
        arms.append(choose(state, t, rng))
        update(state, t, arms[-1], rewards(t, arms[-1]), rng)
    return arms


@pytest.mark.parametrize("policy", ALL)
def test_every_arm_is_tried(policy):
    trace = tw.play(policy, ARMS, horizon=200, trials=4, compiled=False)
    assert (trace.pulls[:, -1] > 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_probabilities_sum_to_one_and_looking_changes_nothing(policy):
    state = fresh(policy)
    live(state, 60, lambda t, arm: float((7 * t) % 11))
    before = [array.copy() for array in arrays_of(state)]
    p = policy.probabilities(state, 61)
    assert p.shape == (3,)
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0)
    assert np.isfinite(policy.estimates(state)).all()
    for array, old in zip(arrays_of(state), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("policy", ALL)
def test_reset_forgets_everything(policy):
    state = fresh(policy)
    rewards = lambda t, arm: float((3 * t + arm) % 11)  # noqa: E731 - a short law of rewards
    once = live(state, 80, rewards)
    reset(state)
    assert live(state, 80, rewards) == once


@pytest.mark.parametrize("policy", ALL)
@pytest.mark.parametrize("huge", [1e300, -1e300])
def test_any_finite_reward_is_played_without_nan_overflow_or_warning(policy, huge):
    state = fresh(policy)
    arms = live(state, 120, lambda t, arm: (huge, -huge, 0.0, 5.0, huge)[t % 5])
    assert set(arms) <= {0, 1, 2}
    for array in arrays_of(state):
        assert not np.isnan(array).any()
    assert np.isfinite(policy.estimates(state)[np.unique(arms)]).all()
    p = policy.probabilities(state, 121)
    assert p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("policy", ALL)
def test_huge_rewards_are_played_compiled_as_well(policy):
    arms = tw.GaussianArms(means=[1e300, -1e300, 0.0], sd=1.0)
    slow = tw.play(policy, arms, horizon=50, trials=2, compiled=False)
    fast = tw.play(policy, arms, horizon=50, trials=2)
    np.testing.assert_array_equal(slow.pulls, fast.pulls)
    assert np.isfinite(fast.observed_reward).all()


@pytest.mark.parametrize("policy", [case for case in ALL if np.ndim(getattr(case.values[0], "sigma", 0)) == 0])
def test_a_single_arm_is_played_always(policy):
    trace = tw.play(policy, tw.BernoulliArms([0.5]), horizon=30, trials=2, compiled=False)
    assert (trace.regret == 0).all()
