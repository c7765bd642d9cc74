"""Pending rewards, whose decision was made but which have not arrived, in every family of policies."""

import math

import numpy as np
import pytest

import trueward as tw
from policy_states import state_after
from trueward.engine.protocol import choose, make_ask
from trueward.policies.selection import forced_exploration_score

RNG = np.random.default_rng(0)
EIGHT_AND_SEVEN = [[8.0] * 5, [7.0] * 5]


def ask_with(t, pending):
    return make_ask(t, len(pending))._replace(pending=np.array(pending))


def count_choices(state, ask, times=60):
    return np.bincount([choose(state, ask, RNG) for _ in range(times)], minlength=ask.p.size)


def test_ucb_counts_pending_rewards_as_pulls_in_the_radius_but_not_in_the_mean():
    policy = tw.UCB(sigma=1.5)
    state = state_after(policy, EIGHT_AND_SEVEN)
    indices = policy.indices(state, ask_with(100, [0, 11]))
    width = 1.5 * math.sqrt(4 * math.log(100))
    np.testing.assert_allclose(indices, [8 + width / math.sqrt(5), 7 + width / math.sqrt(16)], rtol=1e-14)
    np.testing.assert_array_equal(policy.estimates(state), [8.0, 7.0])


INDICES = {
    "crUCB": tw.CrUCB(tw.TrimmedMean(0.1), sigma=(1.3, 1.3), bias_term=True),
    "budget": tw.BudgetUCB(budget=3.0, sigma=1.3),
    "Huber": tw.HuberUCB(sigma=1.3, beta=2.6),
    "Huber as published": tw.HuberUCB(sigma=1.3, beta=5.2, epsilon=0.05, preset="paper"),
    "median of means": tw.HeavyTailUCB("median-of-means", moment=1.7),
    "Catoni": tw.HeavyTailUCB("catoni", moment=1.7, early="explore"),
    "explored": tw.ExploredUCB(sigma=1.3, exploration=3.0),
}


@pytest.mark.parametrize("policy", INDICES.values(), ids=INDICES)
def test_index_policy_spreads_thirty_decisions_over_both_arms_while_no_reward_arrives(policy):
    state, pending, arms = state_after(policy, EIGHT_AND_SEVEN), np.zeros(2, np.int64), []
    for t in range(11, 41):
        arms.append(choose(state, ask_with(t, pending), RNG))
        pending[arms[-1]] += 1
    assert 3 <= arms.count(1) <= 20


def test_crimed_counts_pending_rewards_as_evidence_and_as_forced_pulls():
    policy = tw.CRIMED(epsilon=0.0, sigma=1.0, n0=6)
    state = state_after(policy, EIGHT_AND_SEVEN)
    assert policy.indices(state, ask_with(20, [1, 0])).tolist() == [-math.log(6), math.inf]
    assert policy.indices(state, ask_with(20, [1, 3])).tolist() == [-math.log(6), -(8 * 0.5 + math.log(8))]


def test_explored_ucb_counts_pending_rewards_as_explored():
    policy = tw.ExploredUCB(sigma=0.01, exploration=2.0)
    state = state_after(policy, [[9.0] * 9, [0.0] * 3, [1.0] * 3])
    assert policy.probabilities(state, ask_with(5, [0, 1, 0])).tolist() == [0, 0, 1]  # 2 ln 5 = 3.22 > 3
    assert policy.probabilities(state, ask_with(5, [0, 1, 1])).tolist() == [1, 0, 0]


FIRST = {
    "UCB": tw.UCB(sigma=1.3),
    "Huber": tw.HuberUCB(sigma=1.3, beta=2.6),
    "Catoni": tw.HeavyTailUCB("catoni", moment=1.7),
    "CRIMED": tw.CRIMED(epsilon=0.1, sigma=1.3),
    "explored": tw.ExploredUCB(sigma=1.3, exploration=0.0),
    "greedy": tw.EpsilonGreedy(epsilon=0.0),
    "Thompson": tw.GaussianThompson(sigma=1.3),
    "budget Thompson": tw.BudgetThompson(budget=1.0, preset="practical"),
    "share": tw.UniformShare(tw.UCB(sigma=1.3), share=0.0),
}


@pytest.mark.parametrize("policy", FIRST.values(), ids=FIRST)
@pytest.mark.parametrize(
    ("t", "pending", "expected"),
    [
        (3, [0, 0, 0], [0, 0.5, 0.5]),  # nothing pending: the arms without a reward
        (3, [0, 1, 0], [0, 0, 1]),  # the reward of one is pending: the other
        (3, [0, 1, 1], [1, 0, 0]),  # both pending: the arm with a reward
        (9, [0, 2, 1], [0, 1 / 2, 1 / 2]),  # 1 + ln(9 / 3) = 2.1 > 2: forced exploration resumes
        (9, [0, 3, 2], [0, 0, 1]),
    ],
)
def test_arm_without_a_reward_comes_first_until_enough_rewards_are_pending(policy, t, pending, expected):
    state, ask = state_after(policy, [[5.0], [], []]), ask_with(t, pending)
    p = policy.probabilities(state, ask._replace(p=ask.p.copy()))
    np.testing.assert_allclose(p, expected, atol=1e-12)
    assert ((count_choices(state, ask) > 0) == (np.array(expected) > 0)).all()


@pytest.mark.parametrize("policy", FIRST.values(), ids=FIRST)
def test_decisions_are_uniform_while_all_arms_wait_for_their_first_reward(policy):
    state, ask = state_after(policy, [[], [], []]), ask_with(9, [3, 3, 3])
    np.testing.assert_allclose(policy.probabilities(state, ask._replace(p=ask.p.copy())), 1 / 3)
    assert (count_choices(state, ask) > 0).all()


def test_exp3pp_plays_uniformly_while_first_rewards_are_pending():
    policy = tw.EXP3PP((0, 10))
    state = state_after(policy, [[5.0], [], []])
    assert policy.probabilities(state, ask_with(3, [0, 1, 0])).tolist() == [0, 0, 1]
    np.testing.assert_allclose(policy.probabilities(state, ask_with(3, [0, 1, 1])), 1 / 3)


def test_forced_exploration_resumes_when_a_pending_reward_never_arrives():
    forced = [t for t in range(1, 1000) if forced_exploration_score(ask_with(t, [1, 0]), 0) > 0]
    assert forced == list(range(3, 1000))
    assert forced_exploration_score(ask_with(1000, [7, 0]), 0) > 0 > forced_exploration_score(ask_with(1000, [8, 0]), 0)


@pytest.mark.parametrize("policy", [tw.BetaThompson((0, 10)), tw.MixtureThompson((0, 10)), tw.EXP3((0, 10), gamma=0.1)])
def test_probabilities_from_posteriors_or_weights_do_not_depend_on_pending_rewards(policy):
    state = state_after(policy, EIGHT_AND_SEVEN)
    some, no_pending = (policy.probabilities(state, ask_with(11, pending)) for pending in ([30, 0], [0, 0]))
    np.testing.assert_array_equal(some, no_pending)


def test_uniform_share_leaves_pending_rewards_to_the_wrapped_policy():
    policy = tw.UniformShare(tw.UCB(sigma=1.3), share=0.2)
    state = state_after(policy, [[8.0] * 5, [8.0] * 5])
    np.testing.assert_allclose(policy.probabilities(state, ask_with(11, [1, 0])), [0.1, 0.9])
