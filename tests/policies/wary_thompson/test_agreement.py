"""The probabilities of the arms against their definition, written out in NumPy."""

import numba
import numpy as np
import pytest
from tests.policy_states import state_after

import trueward as tw
from trueward.engine.protocol import make_ask
from trueward.policies.wary_thompson.agreement import add_agreed
from trueward.policies.wary_thompson.judgement import ATTEMPTS, TRIES
from trueward.policies.wary_thompson.rating_model import Assumptions


def highest_by_definition(atoms):
    """Return P(arm a's draw is the highest), ties shared evenly, by as many nodes as make Gauss's rule exact."""
    below, mass = np.cumsum(atoms, axis=1) - atoms, np.zeros(len(atoms))
    nodes, weights = np.polynomial.legendre.leggauss((len(atoms) + 1) // 2)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        f = below + node * atoms
        for arm in range(len(atoms)):
            mass[arm] += weight * (atoms[arm] * np.delete(f, arm, axis=0).prod(axis=0)).sum()
    return mass


def laid(state, part, spread):
    """Return how likely each arm has each of the different means, in a part of the model."""
    model = state.model
    cells = state.judgement.chances[:, 0] * model.groups[part][:, None] * model.near[spread]
    rows = state.belief.weights[:, 0] / state.belief.weights[:, 0].sum(axis=2, dtype=float, keepdims=True)
    means = np.einsum("agb,agmb->agm", cells / cells.sum(axis=(1, 2), keepdims=True), rows)
    values, place = np.unique(model.stretch[:, None] * model.means + model.shift[:, None], return_inverse=True)
    return np.array([np.bincount(place.ravel(), arm.ravel(), values.size) for arm in means])


def agreed(one, agreeing):
    """Return how likely an arm is the first that so many draws agree on, or the last one drawn, try by try."""
    played, open_still, agree = np.zeros(one.size), 1.0, one**agreeing
    for _ in range(TRIES):
        played += open_still * agree
        open_still, before = open_still * (1 - agree.sum()), open_still
    so_many_others = sum((one**alike).sum() - one**alike for alike in range(1, agreeing))
    return played + before * one * so_many_others


def by_definition(state, n_arms):
    """Return the probabilities of the arms, if none is owed a look."""
    model, support = state.model, state.judgement.support[:, 0]
    attacks = len(model.groups) - len(model.ends)
    honest, pushed, logs = [], np.zeros(n_arms), []
    for end, spread in np.ndindex(len(model.ends), len(model.near)):
        log = model.ends[end] + support[:, end, spread].sum()
        if end < len(model.ends) - attacks:
            honest.append((log, highest_by_definition(laid(state, end, spread))))
        else:
            down = laid(state, end + attacks, spread)
            for arm in range(n_arms):
                atoms = laid(state, end, spread)
                atoms[arm] = down[arm]
                odds = log + support[arm, end + attacks, spread] - support[arm, end, spread]
                logs.append((odds, arm, highest_by_definition(atoms)[arm]))
    top = max(log for log, *_ in honest + logs)
    all_honest, all_attacked = (sum(np.exp(log - top) for log, *_ in views) for views in (honest, logs))
    for log, arm, wins in logs:
        pushed[arm] += np.exp(log - top) * wins / (all_honest + all_attacked)
    share, p = all_honest / (all_honest + all_attacked), np.zeros(n_arms)
    again = 1 - share - pushed.sum()
    for log, highest in honest:
        one = sum(again**i for i in range(ATTEMPTS)) * (share * highest + pushed) + again**ATTEMPTS * highest
        p += np.exp(log - top) / all_honest * agreed(one, state.agreeing)
    return p


@pytest.mark.parametrize("agreeing", [1, 2, 3, 4])
def test_an_arm_is_played_as_often_as_draws_agree_on_it_or_it_is_the_last_one(agreeing):
    one, games, rng = np.array([0.3, 0.2, *[0.1] * 5]), 100_000, np.random.default_rng(agreeing)
    played, still_open = np.zeros(games, int), np.arange(games)
    for _ in range(TRIES):
        arms = rng.choice(one.size, (still_open.size, agreeing), p=one)
        other = arms != arms[:, :1]
        last = np.where(other.any(axis=1), other.argmax(axis=1), agreeing - 1)
        played[still_open] = arms[np.arange(still_open.size), last]
        still_open = still_open[other.any(axis=1)]
    found = np.zeros(one.size)
    add_agreed(one, agreeing, 1.0, found)
    assert found.sum() == pytest.approx(1.0)
    often = np.bincount(played) / games
    assert (np.abs(often - found) < 4 * np.sqrt(found * (1 - found) / games)).all(), (often, found)
    np.testing.assert_allclose(found, agreed(one, agreeing), atol=1e-12)


def test_compiled_code_adds_up_who_agrees_as_python_does_in_every_bit():
    draws = np.random.default_rng(0).dirichlet(np.ones(5), 2000)  # of `**`, one number in a thousand would differ
    compiled = numba.njit(lambda one, p: add_agreed(one, 2, 1.0, p))
    found, by_python = np.zeros(draws.shape), np.zeros(draws.shape)
    for one, fast, slow in zip(draws, found, by_python, strict=True):
        compiled(one, fast)
        add_agreed(one, 2, 1.0, slow)
    np.testing.assert_array_equal(found, by_python)


class Three(tw.WaryThompson):
    """The policy in which three draws have to agree."""

    assumed = Assumptions(agreeing=3)


@pytest.mark.parametrize("n_arms", [2, 5, 12])
@pytest.mark.parametrize("polarised", [None, True])
@pytest.mark.parametrize("make", [tw.WaryThompson, Three])
def test_the_probability_of_an_arm_is_that_draws_agree_on_it(n_arms, polarised, make):
    policy = make((1, 5), polarised=polarised)
    rng = np.random.default_rng(n_arms)
    state = state_after(policy, [1 + rng.binomial(4, 0.5 + 0.3 * rng.random(), 30) for _ in range(n_arms)], capacity=40)
    expected = by_definition(state, n_arms)
    np.testing.assert_allclose(policy.probabilities(state, make_ask(1, n_arms)), expected, atol=1e-5)


def test_the_probabilities_are_those_of_the_definition_where_a_study_is_attacked():
    policy = tw.WaryThompson((1, 5))
    others = [[4, 3, 4, 3, 4, 3, 4, 3, 5, 5] * 3] * 2
    state = state_after(policy, [[4, 5, 4, 5, 4, 4, 5, 4, 1, 1] * 3, *others], capacity=40)
    p = policy.probabilities(state, make_ask(1, 3))
    np.testing.assert_allclose(p, by_definition(state, 3), atol=1e-5)
    assert p[0] > 0.6


@pytest.mark.parametrize("share", [0.7, 0.9])
def test_probabilities_are_numbers_where_many_good_ratings_leave_no_room_for_an_attack(share):
    rng, policy = np.random.default_rng(5), tw.WaryThompson((1, 5))
    rows = [1 + rng.binomial(4, share, 160), *(1 + rng.binomial(4, 0.6, 4) for _ in range(4))]
    p = policy.probabilities(state_after(policy, rows, capacity=200), make_ask(1, 5))
    assert p.min() >= 0.0
    assert p.sum() == pytest.approx(1.0)
