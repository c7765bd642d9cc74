"""Built-in adaptive attacks share one state, so that a policy's game is compiled once for all of them."""

import numba
import pytest

import trueward as tw
from trueward.adversaries.combined_attack import CombinedAttack, as_combined_attack

RATINGS, NORMAL = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.7]), tw.GaussianArms(means=[1.0, 0.3])
SHARING = [
    tw.FrontCluster(0.1, tw.WorstBounded(), by="pulls"),
    tw.PrefixBudget(0.1, tw.Unbounded()),
    tw.JunEpsilonGreedy(budget=0.1),
    tw.JunUCB(target=0),
    tw.ACE(),
    tw.OracleAttack(margin=1),
]


def compiled_type(adversary, arms):
    return numba.typeof(as_combined_attack(adversary.start(arms, 20), arms))


@pytest.mark.parametrize("adversary", SHARING, ids=repr)
def test_adaptive_attacks_have_the_same_numba_type(adversary):
    expected = compiled_type(SHARING[0], RATINGS)
    assert expected.instance_class is CombinedAttack
    assert compiled_type(adversary, RATINGS) == compiled_type(adversary, NORMAL) == expected


def test_as_combined_attack_keeps_the_attack_in_the_field_of_its_kind():
    fields = {0: "front_pulls", 1: "prefix_budget", 3: "targeted"}
    for adversary, field in ((SHARING[i], name) for i, name in fields.items()):
        state = adversary.start(RATINGS, 20)
        shared = as_combined_attack(state, RATINGS)
        assert getattr(shared, field) is state
        assert shared[1 + shared.kind] is state


def test_as_combined_attack_returns_other_attacks_unchanged():
    for adversary in (tw.GreedyAttack(tw.Mean(), 0.1), tw.FunctionAdversary(print)):
        state = adversary.start(RATINGS, 20)
        assert as_combined_attack(state, RATINGS) is state
