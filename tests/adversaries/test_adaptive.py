"""Attacks that act in each round share one state, so that a policy's game is compiled once for all of them."""

import numba
import pytest

import trueward as tw
from trueward.adversaries.adaptive import AdaptiveAttack, as_adaptive

RATINGS, NORMAL = tw.BinomialArms(n=10, p=[0.9, 0.8, 0.7]), tw.GaussianArms(means=[1.0, 0.3])
SHARING = [
    tw.FrontCluster(0.1, tw.WorstBounded(), by="pulls"),
    tw.PrefixBudget(0.1, tw.Unbounded()),
    tw.JunEpsilonGreedy(budget=0.1),
    tw.JunUCB(target=0),
    tw.ACE(),
    tw.OracleAttack(margin=1),
    tw.GuardBait(0.1),
    tw.GuardBait(0, by="rounds"),
]


def compiled_type(adversary, arms):
    return numba.typeof(as_adaptive(adversary.start(arms, 20), arms))


@pytest.mark.parametrize("adversary", SHARING, ids=repr)
def test_to_the_compiler_they_are_all_the_same(adversary):
    expected = compiled_type(SHARING[0], RATINGS)
    assert expected.instance_class is AdaptiveAttack
    assert compiled_type(adversary, RATINGS) == compiled_type(adversary, NORMAL) == expected


def test_the_attack_that_was_put_in_is_the_one_that_acts():
    for adversary, field in ((SHARING[1], "pulls"), (SHARING[3], "hijack"), (SHARING[6], "bait")):
        state = adversary.start(RATINGS, 20)
        shared = as_adaptive(state, RATINGS)
        assert getattr(shared, field) is state
        assert shared[1 + shared.kind] is state


def test_others_stay_what_they_are():
    for adversary in (tw.GreedyAttack(tw.Mean(), 0.1), tw.FunctionAdversary(print)):
        state = adversary.start(RATINGS, 20)
        assert as_adaptive(state, RATINGS) is state
