import math

import numpy as np
import pytest

import trueward as tw
from policy_states import observe_reward
from trueward.engine.protocol import Observation, make_ask, update
from trueward.policies.sampling.exp3pp import loss_radius

LOSSES = [10.0, 12.0, 15.0, 20.0, 40.0]


def exp3pp_state(losses, weighted, pulls):
    state = tw.EXP3PP().start(len(losses))
    state.losses[:], state.weighted[:], state.pulls[:] = losses, weighted, pulls
    return state


def test_exp3pp_agrees_with_hand_computed_weights_while_xi_is_not_the_minimum():
    pulls = [40, 25, 15, 12, 8]
    widths = [loss_radius(5, n, 100) for n in pulls]
    np.testing.assert_allclose(widths, [0.439103, 0.555427, 0.717053, 0.80169, 0.981865], atol=5e-7)
    p = tw.EXP3PP().probabilities(exp3pp_state([n * 0.5 for n in pulls], LOSSES, pulls), make_ask(100, 5))
    beta = 0.02836757
    assert 0.5 * math.sqrt(math.log(5) / 500) == pytest.approx(beta, abs=5e-9)
    rho = np.array([0.250464, 0.236649, 0.217343, 0.188602, 0.106942])
    np.testing.assert_allclose(p, (1 - 5 * beta) * rho + beta, atol=2e-6)
    assert p.sum() == pytest.approx(1.0, abs=1e-12)


def test_exp3pp_explores_less_where_xi_is_the_minimum():
    # t = 10^6, K = 2: beta = sqrt(ln 2 / (2 * 10^6)) / 2 = 2.94e-4. Means 0 and 1 of half a million losses each:
    # radius sqrt((3 ln 10^6 + ln 2) / 10^6) = 6.49e-3, gap 1 - 2 radius, xi = 256 ln(10^6) / 10^6 / gap^2 = 3.63e-3.
    # At t = 10^9 with 5 * 10^8 pulls each xi = 256 ln(10^9) / 10^9 = 5.3e-6 is below beta = 9.3e-6: it is the minimum.
    t, n = 10**9, 5 * 10**8
    p = tw.EXP3PP().probabilities(exp3pp_state([0.0, float(n)], [0.0, 1e12], [n, n]), make_ask(t, 2))
    radius = math.sqrt((3 * math.log(t) + math.log(2)) / (2 * n))
    xi = 256 * math.log(t) / (t * (1 - 2 * radius) ** 2)
    beta = 0.5 * math.sqrt(math.log(2) / (2 * t))
    assert xi < 0.6 * beta
    assert p[1] == pytest.approx(
        xi, rel=1e-9
    )  # the exponential weight exp(-beta 1e12) is zero: only exploration is left
    t, n = 10**6, 5 * 10**5
    p = tw.EXP3PP().probabilities(exp3pp_state([0.0, float(n)], [0.0, 1e12], [n, n]), make_ask(t, 2))
    assert p[1] == pytest.approx(0.5 * math.sqrt(math.log(2) / (2 * t)), rel=1e-9)  # here beta is the smaller


def test_exp3pp_plays_every_arm_once_first_with_weight_one():
    policy = tw.EXP3PP()
    state = policy.start(3)
    assert policy.probabilities(state, make_ask(1, 3)).tolist() == pytest.approx([1 / 3] * 3)
    observe_reward(state, 2, 0.25, n_arms=3)
    assert state.weighted.tolist() == [0.0, 0.0, 0.75]
    assert policy.probabilities(state, make_ask(2, 3)).tolist() == [0.5, 0.5, 0.0]
    trace = tw.play(policy, tw.BernoulliArms([0.2] * 7), horizon=7, trials=20)
    assert (trace.pulls[:, -1] == 1).all()


def test_exp3pp_does_not_treat_a_tried_arm_as_unavailable():
    bandit = tw.Bandit(tw.EXP3PP(), arms=3, seed=0)
    tried = bandit.ask(ticket=True)
    bandit.tell(tried, 0.25)
    waiting = [bandit.ask(ticket=True) for _ in range(3)]  # of two arms not yet tried: one is asked for twice
    twice = [ticket for ticket in waiting if sum(other.arm == ticket.arm for other in waiting) > 1]
    for ticket in twice[:2]:
        bandit.tell(ticket, 0.5)
    assert bandit._state.pulls[twice[0].arm] == 2
    assert bandit._state.weighted[tried.arm] == 0.75


def test_exp3pp_credits_an_unavailable_arm():
    state, rng = tw.EXP3PP().start(3), np.random.default_rng(0)
    for arm in range(3):
        observe_reward(state, arm, 0.5, n_arms=3)
    update(state, Observation(4, 1, 0.75, np.array([0.0, 0.5, 0.5]), np.array([False, True, True])), rng)
    assert state.weighted.tolist() == [0.75, 1.0, 0.5]
