"""The probabilities of the arms against their definition, written out in NumPy."""

import numpy as np
import pytest
from tests.telling import told

import trueward as tw
from trueward.engine.stages import ask_at
from trueward.policies.posterior.best_arm import gauss_rules, highest_atom_probabilities, highest_atoms
from trueward.policies.wary_thompson.judgement import TRIES, views_of


def highest_by_definition(atoms):
    """Return P(arm a's draw is the highest), ties shared evenly, by as many nodes as make Gauss's rule exact."""
    below, mass = np.cumsum(atoms, axis=1) - atoms, np.zeros(len(atoms))
    nodes, weights = np.polynomial.legendre.leggauss((len(atoms) + 1) // 2)
    for node, weight in zip((nodes + 1) / 2, weights / 2, strict=True):
        f = below + node * atoms
        for arm in range(len(atoms)):
            mass[arm] += weight * (atoms[arm] * np.delete(f, arm, axis=0).prod(axis=0)).sum()
    return mass


@pytest.mark.parametrize("n_arms", [1, 2, 5, 16, 17, 60])
@pytest.mark.parametrize("values", [1, 2, 30])
def test_the_highest_of_atoms_with_ties_is_by_definition(n_arms, values):
    atoms = np.random.default_rng(n_arms).dirichlet(np.full(values, 0.3), n_arms)
    np.testing.assert_allclose(highest_atom_probabilities(atoms), highest_by_definition(atoms), atol=1e-9)


@pytest.mark.parametrize("n_arms", [3, 5, 8, 40])
@pytest.mark.parametrize("spread", [0.01, 0.03, 0.2])
def test_a_rule_with_fewer_nodes_is_off_by_no_more_than_it_says(n_arms, spread):
    middle, values = np.random.default_rng(n_arms).uniform(0.48, 0.52, (n_arms, 1)), np.linspace(0, 1, 128)
    atoms = np.exp(-0.5 * ((values - middle) / spread) ** 2) + 1e-12  # all are within reach
    atoms /= atoms.sum(axis=1, keepdims=True)
    below, rules, found = np.cumsum(atoms, axis=1) - atoms, gauss_rules(n_arms, 128), np.empty(n_arms)
    errors = []
    for rule in rules:
        highest_atoms(atoms, below, 0, 128, rule, found)
        errors.append(np.abs(found - highest_by_definition(atoms)).max())
        q, off = int(rule[0, 0]), rule[0, 1]
        assert errors[-1] <= (1 + n_arms) * off * atoms.max() ** (2 * q) + 1e-9  # all are divided by their sum
    assert errors[-1] <= 1e-9
    assert errors[0] > 1e-9  # or there would be nothing to bound


def test_an_arm_that_cannot_reach_the_others_is_never_the_highest():
    atoms = np.array([[1.0, 0.0, 0.0], [0.0, 0.5, 0.5], [0.0, 0.5, 0.5]])
    assert highest_atom_probabilities(atoms).tolist() == [0.0, 0.5, 0.5]


@pytest.mark.parametrize("n_arms", [2, 5, 40])
@pytest.mark.parametrize("polarised", [None, True])
def test_the_probability_of_an_arm_is_that_two_draws_agree_on_it(n_arms, polarised):
    policy = tw.WaryThompson((1, 5), polarised=polarised)
    rng = np.random.default_rng(n_arms)
    state = told(policy, [1 + rng.binomial(4, 0.5 + 0.3 * rng.random(), 30) for _ in range(n_arms)], capacity=40)
    p = np.zeros(n_arms)
    for view in views_of(state.judgement, state.belief, state.model, 0):
        one = highest_by_definition(view.atoms)
        agree = (one**2).sum()
        never = (1 - agree) ** TRIES
        p += view.weight * ((1 - never) * one**2 / agree + never * one)
    np.testing.assert_allclose(policy.probabilities(state, ask_at(1, n_arms)), p, atol=1e-6)
