"""What every policy must do, over every entry of the table."""

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


def fresh(policy, capacity=400):
    return policy.start(3, horizon=400, capacity=capacity)


def live(state, rounds, rewards, seed=0):
    """Play some rounds, interpreted, and return the arms."""
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
def test_probabilities_sum_to_one_and_looking_changes_nothing(policy):
    state = fresh(policy)
    live(state, 60, lambda t, arm: float((7 * t) % 11))
    before = [array.copy() for array in arrays_of(state)]
    p = policy.probabilities(state, make_ask(61, 3))
    assert p.shape == (3,)
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0)
    assert np.isfinite(policy.estimates(state)).all()
    for array, old in zip(arrays_of(state), before, strict=True):
        np.testing.assert_array_equal(array, old)


@pytest.mark.parametrize("policy", ALL)
def test_what_is_learned_goes_over_into_more_room_and_more_arms(policy):
    state = fresh(policy, capacity=60)
    live(state, 60, lambda t, arm: float((7 * t) % 11))
    for fresh_one in (policy.start(3, horizon=400, capacity=200), grown(policy)):
        if fresh_one is not None:
            larger = grow(state, fresh_one)
            before, after = policy.estimates(state), policy.estimates(larger)
            shared = after.size > 3 and isinstance(
                policy, tw.WaryThompson
            )  # one arm more may be the one that is attacked
            np.testing.assert_allclose(after[:3], before, rtol=2e-3 if shared else 1e-12)
            assert np.isnan(after[3:]).all() or policy.samples


def grown(policy):
    """Return a state with an arm more, for policies that are not told one thing per arm."""
    try:
        return policy.start(4, horizon=400, capacity=200)
    except tw.ParameterError:
        return None


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
    p = policy.probabilities(state, make_ask(121, 3))
    assert p.sum() == pytest.approx(1.0)


@pytest.mark.parametrize("policy", [case for case in ALL if np.ndim(getattr(case.values[0], "sigma", 0)) == 0])
def test_a_single_arm_is_played_always(policy):
    trace = tw.play(policy, tw.BernoulliArms([0.5]), horizon=30, trials=2, compiled=False)
    assert (trace.regret == 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_rewards_may_be_late(policy):
    for delay in (tw.FixedDelay(9), tw.GeometricDelay(9)):
        trace = tw.play(policy, ARMS, horizon=60, delay=delay, compiled=False)
        assert (trace.pulls[:, -1] > 0).all()


@pytest.mark.parametrize("policy", ALL)
def test_answers_may_be_missing_and_missing_ones_counted(policy):
    counting = policy if policy.learns_from_missing else tw.MissingAs(policy, severity=1.0, low=0.0, pooled=False)
    for each in (policy, counting):
        trace = tw.play(each, ARMS, tw.DropOut((0.1, 0.5, 0.3)), horizon=60, compiled=False)
        assert trace.missing.sum() > 0
    state = fresh(counting)
    live(state, 12, lambda t, arm: 8.0)
    before = counting.estimates(state)[0]
    for t in range(13, 43):
        update_missing(state, make_observation(0, UNTOUCHED, n_arms=3, t=t), np.random.default_rng(t))
    assert not counting.estimates(state)[0] > before + 1e-9  # answers that never came made nothing better


@pytest.mark.parametrize("policy", ALL)
def test_with_asks_under_way_only_arms_of_some_probability_are_chosen(policy):
    for told, pending in ((0, [1, 0, 2]), (2, [4, 1, 1]), (30, [0, 20, 1])):
        state, rng = fresh(policy), np.random.default_rng(1)
        live(state, told, lambda t, arm: float((7 * t) % 11))
        ask = make_ask(told + 1, 3)._replace(pending=np.array(pending))
        p = policy.probabilities(state, ask._replace(p=ask.p.copy()))
        assert p.sum() == pytest.approx(1.0)
        for _ in range(10):
            assert p[choose(state, ask, rng)] > 0.0
