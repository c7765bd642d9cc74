"""The paper's setting against the numbers of independent prototypes: mean and sd of the regret over 200 trials."""

import functools
import math

import pytest

import trueward as tw

pytestmark = pytest.mark.soak

TRIALS, PROTOTYPE_TRIALS, HORIZON, EPSILON = 256, 200, 1000, 0.1
ARMS = tw.BinomialArms(n=10, p=(0.9, 0.8, 0.8, 0.8, 0.8))

SCENARIOS = {
    "clean": tw.NoAdversary(),
    "Bernoulli, random": tw.BernoulliAdversary(EPSILON, tw.RandomMalicious()),
    "Bernoulli, worst": tw.BernoulliAdversary(EPSILON, tw.WorstBounded()),
    "front cluster": tw.FrontCluster(EPSILON, tw.RandomMalicious()),
    "prefix, unbounded": tw.PrefixBudget(EPSILON, tw.Unbounded()),
}


def policies(alpha):
    sigma, ratings = ARMS.sd, ARMS.bounds
    return {
        "tUCB": tw.CrUCB(tw.TrimmedMean(alpha), sigma=sigma),
        "sUCB": tw.CrUCB(tw.ShorthMean(alpha), sigma=sigma),
        "RUCB-MAB": tw.CrUCB(tw.Median(), sigma=sigma),
        "UCB": tw.UCB(sigma=sigma),
        "EXP3": tw.EXP3(ratings),
        "EXP3++": tw.EXP3PP(ratings),
        "Tsallis-INF (IW)": tw.TsallisINF(ratings, loss_estimator="iw"),
        "Tsallis-INF (RV)": tw.TsallisINF(ratings),
        "Thompson (Gaussian)": tw.GaussianThompson(sigma=sigma),
        "Thompson (Beta)": tw.BetaThompson(ratings),
    }


PROTOTYPES = {
    "UCB": [(121, 23), (521, 184), (888, 96), (564, 308), (990, 1)],
    "tUCB": [(121, 23), (313, 143), (516, 254), (473, 218), (319, 52)],
    "sUCB": [(121, 23), (309, 161), (768, 228), (489, 222), (169, 27)],
    "RUCB-MAB": [(111, 23), (192, 188), (276, 304), (647, 219), (129, 41)],
    "EXP3": [(699, 102), (777, 85), (803, 77), (820, 84), (801, 74)],
    "EXP3++": [(695, 15), (767, 18), (806, 22), (824, 28), (804, 12)],
    "Tsallis-INF (IW)": [(399, 45), (667, 80), (807, 65), (789, 109), (798, 44)],
    "Tsallis-INF (RV)": [(267, 92), (608, 182), (797, 132), (732, 199), (784, 111)],
    "Thompson (Gaussian)": [(53, 17), (422, 321), (890, 159), (822, 287), (991, 2)],
    "Thompson (Beta)": [(40, 19), (432, 336), (908, 128), (744, 311), (845, 86)],
}


@functools.cache
def regrets():
    return {
        name: tw.play(
            policies(EPSILON if name != "clean" else 0.0),
            ARMS,
            adversary,
            horizon=HORIZON,
            trials=TRIALS,
            seed=0,
            checkpoints=[HORIZON],
        )
        for name, adversary in SCENARIOS.items()
    }


@pytest.mark.parametrize("policy", PROTOTYPES)
def test_regret_agrees_with_independent_prototypes(policy):
    for scenario, (mean, sd) in zip(SCENARIOS, PROTOTYPES[policy], strict=True):
        ours = regrets()[scenario][policy].regret[:, -1]
        error = math.sqrt(
            ours.var() / TRIALS + sd * sd / PROTOTYPE_TRIALS + 1 / 12
        )  # the prototypes are rounded to whole numbers
        assert abs(ours.mean() - mean) < 4 * error, (scenario, ours.mean(), mean)  # 4 standard errors, 50 comparisons
