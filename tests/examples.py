"""One or more instances of every entry of the tables, for tests that run over all of them.

A policy that is not named here plays as it is set up for the arena: a new entry of the table is tested without an edit.
"""

import trueward as tw
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.policies import POLICIES as TABLE

RATINGS = (0.0, 10.0)
PROBLEM = Problem(tw.BinomialArms(n=10, p=[0.8, 0.7, 0.5]), horizon=400, epsilon=0.1)

VARIANTS = {
    "epsilon-greedy": [tw.EpsilonGreedy(c=5.0), tw.EpsilonGreedy(epsilon=0.2, estimator=tw.Median())],
    "ucb1": [tw.UCB1(RATINGS), tw.UCB1(RATINGS, outside="keep")],
    "crucb": [
        tw.CrUCB(tw.TrimmedMean(0.1), sigma=1.3),
        tw.CrUCB(tw.ShorthMean(0.15, tie="random"), sigma=1.3),
        tw.CrUCB(tw.Median(), sigma=1.3, c=6),
        tw.CrUCB(tw.GroupedMedian(), sigma=(1.0, 1.5, 1.2), bias_term=True),
    ],
    "tsallis-inf": [tw.TsallisINF(RATINGS), tw.TsallisINF(RATINGS, loss_estimator="iw")],
    "barbar": [tw.BARBAR(RATINGS), tw.BARBAR(RATINGS, preset="practical")],
    "barbat": [tw.BARBAT(RATINGS), tw.BARBAT(RATINGS, preset="practical")],
    "explored-ucb": [
        tw.ExploredUCB(sigma=1.3),
        tw.ExploredUCB(estimator=tw.TrimmedMean(0.1), sigma=1.3, exploration=3.0),
    ],
    "race": [tw.Race(RATINGS), tw.Race(RATINGS, preset="practical")],
    "sao": [tw.SAO(RATINGS), tw.SAO(RATINGS, preset="practical"), tw.SAO(RATINGS, log_beta=0.02)],
    "sapo": [tw.SAPO(RATINGS), tw.SAPO(RATINGS, preset="practical"), tw.SAPO(RATINGS, log_term=0.0002)],
    "budget-thompson": [tw.BudgetThompson(sigma=1.3), tw.BudgetThompson(budget=10.0, sigma=1.3, preset="practical")],
    "robust-thompson": [tw.RobustThompson(tw.TrimmedMean(0.1), sigma=1.3), tw.RobustThompson(tw.Median(), sigma=1.3)],
    "crimed": [tw.CRIMED(epsilon=0.1, sigma=1.3), tw.CRIMED(epsilon=0.0, sigma=1.3, n0=3)],
    "huber-ucb": [
        tw.HuberUCB(sigma=1.3, beta=2.6),
        tw.HuberUCB(sigma=1.3, beta=5.2, epsilon=0.05, preset="paper"),
        tw.HuberUCB(sigma=1.3, beta=2.6, sequential=True),
    ],
    "heavy-tail-ucb": [
        tw.HeavyTailUCB("median-of-means", moment=1.7),
        tw.HeavyTailUCB("catoni", moment=1.7, early="explore"),
    ],
    "mixture-thompson": [tw.MixtureThompson(RATINGS), tw.MixtureThompson(RATINGS, base="binomial")],
    "wary": [tw.Wary(RATINGS), tw.Wary((0, 10), levels=2)],
}

POLICIES = {name: VARIANTS.get(name) or [configure_policy(entry, PROBLEM)] for name, entry in TABLE.items()}

# Three arms each, so that every policy's example fits, rewards between 0 and 10 or near it.
ARMS = {
    "binomial": [tw.BinomialArms(n=10, p=[0.8, 0.7, 0.5])],
    "bernoulli": [tw.BernoulliArms([0.3, 0.6, 0.5])],
    "gaussian": [tw.GaussianArms(means=[5.0, 6.0, 4.0], sd=[1.0, 0.5, 2.0])],
    "categorical": [tw.CategoricalArms(values=[0, 5, 10], probabilities=[[0.2, 0.3, 0.5], [0.5, 0.5, 0], [1, 0, 0]])],
    "resampled": [tw.ResampledArms([[7, 8, 9, 9], [4, 9], [6.5, 7.5, 8.0]])],
}

ADVERSARIES = {
    "none": [tw.NoAdversary()],
    "bernoulli": [tw.BernoulliAdversary(0.2, tw.ContinuousMalicious()), tw.BernoulliAdversary(0.1, tw.WorstBounded())],
    "front-cluster": [tw.FrontCluster(0.2, tw.Inlier()), tw.FrontCluster(0.2, tw.Unbounded(), by="pulls")],
    "prefix-budget": [tw.PrefixBudget(0.2, tw.ContinuousMalicious()), tw.PrefixBudget(0.1, tw.Unbounded())],
    "burst": [tw.Burst(11, 30, tw.WorstBounded()), tw.Burst(1, 20, tw.ContinuousMalicious(), epsilon=0.1)],
    "brigade": [tw.Brigade(5, 40, arm=1)],
    "careless-participants": [tw.CarelessParticipants("university class"), tw.CarelessParticipants("open web poll")],
    "careless-ratings": [tw.CarelessRatings(0.3, counts=[range(11), [0, 3] * 5 + [0], [1] * 11])],
    "dropout": [tw.Dropout(0.3), tw.Dropout((0.1, 0.4, 0.2), adversary=tw.BernoulliAdversary(0.2))],
    "jun-epsilon-greedy": [tw.JunEpsilonGreedy(when="always")],
    "jun-ucb": [tw.JunUCB(budget=0.1)],
    "ace": [tw.ACE(target=0)],
    "oracle-attack": [tw.OracleAttack(margin=0.5)],
    "greedy-attack": [tw.GreedyAttack(tw.Mean(), 0.2)],
    "function": [tw.FunctionAdversary(lambda view, t, arm, reward, rng: reward - 1.0 if t % 3 else None, budget=0.3)],
}


def flat(table):
    return [pytest_id(name, i, example) for name, examples in table.items() for i, example in enumerate(examples)]


def pytest_id(name, i, example):
    import pytest

    return pytest.param(example, id=f"{name}-{i}")
