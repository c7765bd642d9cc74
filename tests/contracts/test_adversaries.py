"""The contract of every registered adversary, with every scheme of values."""

from dataclasses import fields

import numpy as np
import pytest

import trueward as tw
from trueward.adversaries import ADVERSARIES, VALUES
from trueward.errors import ParameterError

ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8))
POLICY = tw.UCB(sigma=1.3)


def greedy(view, t, arm, reward, rng):
    """Contaminate whenever a budget of 0.3 allows, and try once more now and then."""
    return -10 * rng.random() if t % 7 == 0 or view.touched[arm] + 1 <= 0.3 * (view.pulls[arm] + 1) else None


EXAMPLES = {
    "none": [tw.NoAdversary()],
    "bernoulli": [tw.BernoulliAdversary(0.3, scheme()) for scheme in VALUES.values()],
    "front-cluster": [
        tw.FrontCluster(0.3),
        tw.FrontCluster(0.3, tw.Unbounded()),
        tw.FrontCluster(0.3, tw.Unbounded(), by="pulls"),
    ],
    "prefix-budget": [tw.PrefixBudget(0.3, scheme()) for scheme in VALUES.values()],
    "burst": [tw.Burst(11, 20), tw.Burst(5, 9, tw.Unbounded())],
    "brigade": [tw.Brigade(5, 30), tw.Brigade(5, 30, promote=False)],
    "careless-participants": [
        tw.CarelessParticipants("crowd workers"),
        tw.CarelessParticipants("university class", evidence=True),
    ],
    "careless-ratings": [tw.CarelessRatings(0.3, counts=[range(11), [0, 3] * 5 + [0], [1] * 11])],
    "dropout": [tw.Dropout(0.3), tw.Dropout((0.1, 0.4, 0.3), adversary=tw.BernoulliAdversary(0.3))],
    "jun-epsilon-greedy": [tw.JunEpsilonGreedy()],
    "jun-ucb": [tw.JunUCB(), tw.JunUCB(budget=0.3, on_scale=True)],
    "ace": [tw.ACE(budget=0.3)],
    "oracle-attack": [tw.OracleAttack(budget=0.3)],
    "greedy-attack": [tw.GreedyAttack(tw.Mean(), 0.3)],
    "function": [tw.FunctionAdversary(greedy, budget=0.3), tw.FunctionAdversary(greedy)],
}
ALL = [adversary for examples in EXAMPLES.values() for adversary in examples]


def name_of(adversary):
    values = getattr(adversary, "values", None)
    details = [type(values).__name__ if values else "", getattr(adversary, "by", ""), str(adversary.budget)]
    return "-".join([type(adversary).__name__, *filter(None, details)])


def for_each(adversaries):
    return pytest.mark.parametrize("adversary", adversaries, ids=name_of)


every = for_each(ALL)


def play(adversary, *, seed=3, compiled=False, policy=POLICY, trials=3):
    return tw.play(policy, ARMS, adversary, horizon=60, trials=trials, seed=seed, keep_history=True, compiled=compiled)


def true_rewards():
    """Return the tables of true rewards, which are the same for every adversary."""
    tables = []

    def copy_truth(view, t, arm, reward, rng):
        if t == 1:
            tables.append(view.truth.copy())

    play(copy_truth)
    return tables


def is_changed(observed, truth):
    """Return which rewards were observed and differ from the truth."""
    return ~np.isnan(observed) & (observed != truth)


def contaminates(adversary):
    return not isinstance(getattr(adversary, "adversary", adversary), tw.NoAdversary)


def assert_same(first, second):
    for field in fields(first):
        one, two = np.asarray(getattr(first, field.name)), np.asarray(getattr(second, field.name))
        assert one.dtype == two.dtype, field.name
        assert one.tobytes() == two.tobytes(), field.name


def test_every_registered_adversary_has_an_example():
    assert EXAMPLES.keys() == ADVERSARIES.keys()
    assert {adversary.interpreted_only for adversary in EXAMPLES["function"]} == {True}
    assert not any(adversary.interpreted_only for adversary in ALL if adversary not in EXAMPLES["function"])
    for name, examples in EXAMPLES.items():
        assert examples
        assert all(type(example) is ADVERSARIES[name] for example in examples)


@for_each([adversary for adversary in ALL if adversary.budget is not None])
def test_adversary_keeps_its_declared_budget_at_every_moment(adversary):
    trace = play(adversary)
    truth = true_rewards()
    for trial, arms in enumerate(trace.arms):
        changed = is_changed(trace.observed[trial], truth[trial][np.arange(60), arms])
        for arm in range(ARMS.n_arms):
            n = np.arange(1, (arms == arm).sum() + 1)
            assert (np.cumsum(changed[arms == arm]) <= adversary.budget * n + 1e-9).all()
    assert (trace.touched <= adversary.budget * trace.pulls[:, -1] + 1e-9).all()
    assert (trace.first_violation == 0).all()


@every
def test_adversary_constraint_is_its_budget_or_declared_rate(adversary):
    declared = getattr(
        adversary, "adversary", adversary
    )  # the adversary that contaminates ratings that are not missing
    rate = declared.budget if declared.budget is not None else getattr(declared, "epsilon", None)
    if isinstance(declared, tw.NoAdversary | tw.CarelessParticipants):
        rate = sum(adversary.population.shares.values()) if isinstance(adversary, tw.CarelessParticipants) else 0.0
    assert adversary.constraint == rate


@every
def test_trace_counts_touched_and_changed_rewards(adversary):
    trace, truth = play(adversary), true_rewards()
    for trial, arms in enumerate(trace.arms):
        changed = is_changed(trace.observed[trial], truth[trial][np.arange(60), arms])
        assert np.bincount(arms[changed], minlength=3).tolist() == trace.changed[trial].tolist()
    assert (trace.changed <= trace.touched).all()
    assert (trace.touched <= trace.pulls[:, -1]).all()
    assert (trace.touched.sum() > 0) == contaminates(adversary)


@every
def test_adversary_depends_on_the_seed_and_on_nothing_else(adversary):
    assert_same(play(adversary), play(adversary))
    assert (play(adversary).observed != play(adversary, seed=4).observed).any()


@every
def test_adversary_first_trials_do_not_depend_on_later_ones(adversary):
    np.testing.assert_array_equal(play(adversary, trials=2).observed, play(adversary, trials=4).observed[:2])


@for_each([adversary for adversary in ALL if not adversary.interpreted_only])
def test_adversary_interpreted_equals_compiled_bit_for_bit(adversary):
    assert_same(play(adversary, compiled=False), play(adversary, compiled=True))


@every
def test_true_rewards_do_not_depend_on_the_adversary(adversary):
    assert (play(adversary).best_reward == play(tw.NoAdversary()).best_reward).all()


@for_each([adversary for adversary in ALL if not adversary.adaptive])
def test_oblivious_adversary_attacks_every_policy_in_the_same_way(adversary):
    first, second = play(adversary), play(adversary, policy=tw.Uniform())
    same = first.arms == second.arms
    assert same.any()
    np.testing.assert_array_equal(first.observed[same], second.observed[same])


@pytest.mark.parametrize("cls", [tw.BernoulliAdversary, tw.FrontCluster, tw.PrefixBudget])
def test_adversary_refuses_values_that_are_no_scheme(cls):
    for values in (tw.WorstBounded, "worst-bounded", None):
        with pytest.raises(ParameterError, match=r"values must be Values such as WorstBounded\(\), got"):
            cls(0.1, values)
