"""The suite: every scenario of the arena.

It has every attack on the paper's arms, and the attacks that distinguish policies on other arms as well: more arms and
fewer, smaller gaps and unequal ones, shorter games and longer ones, other scales, and ratings that people really gave.
Letters in labels stand for what contaminated rewards look like (`VALUE_LETTERS`, and docs/reading-the-paper.md).
"""

from functools import partial

import numpy as np

from trueward.adversaries.ace import ACE
from trueward.adversaries.adversary import Adversary
from trueward.adversaries.bernoulli_adversary import BernoulliAdversary
from trueward.adversaries.brigade import Brigade
from trueward.adversaries.burst import Burst
from trueward.adversaries.careless_participants import CarelessParticipants
from trueward.adversaries.dropout import Dropout
from trueward.adversaries.front_cluster import FrontCluster
from trueward.adversaries.greedy_attack import GreedyAttack
from trueward.adversaries.jun_epsilon_greedy import JunEpsilonGreedy
from trueward.adversaries.jun_ucb import JunUCB
from trueward.adversaries.none import NoAdversary
from trueward.adversaries.oracle_attack import OracleAttack
from trueward.adversaries.prefix_budget import PrefixBudget
from trueward.arms.arms import Arms
from trueward.arms.bernoulli import BernoulliArms
from trueward.arms.binomial import BinomialArms
from trueward.arms.categorical import CategoricalArms
from trueward.arms.gaussian import GaussianArms
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.lab.arena.field import Size
from trueward.lab.arena.labelled_people_scenarios import labelled_people_scenarios
from trueward.lab.arena.real_rating_scenarios import ARMS, real_scenarios
from trueward.lab.arena.scenario import A, B, I, Scenario, U, W

GROUPS = {
    "clean": "nothing is contaminated",
    "tenth": "a tenth of each arm's rewards, at random or as early as the budget allows",
    "rates": "at random, at rates below or above a tenth of each arm's rewards",
    "people": "careless raters in sessions: 15 to 30 % of the ratings, seldom malicious",
    "labelled people": "people known to be attentive, alone or with 13 to 22 % who are known to be careless",
    "missing": "10 to 40 % of the ratings are missing: those of low raters, on all arms or on some; or at random",
    "real ratings": "ratings that people gave, and similar distributions: clean, or with careless raters in sessions",
    "real, attacked": "the same, with a tenth of each arm's rewards at random, or all of the first tenth of the rounds",
    "bursts": "all rewards, or all of one arm, in at most a tenth of the rounds in a row",
    "first pulls": "all of each arm's first pulls, in at most a tenth of the rounds",
    "adaptive": "a tenth of each arm's rewards, by an attacker who observes the game",
    "no limit": "every reward of the other arms, in a targeted attack; hardly any policy withstands it",
}
"""The groups of scenarios, and what is contaminated in them."""

BURST_SHARE = 0.1  # of the rounds
SHOP = ([0.05, 0.03, 0.07, 0.20, 0.65], *[[0.15, 0.10, 0.20, 0.30, 0.25]] * 4)  # skewed, as ratings in shops are


def slider(means: list[float], *, sd: float) -> CategoricalArms:
    """Return normal ratings, rounded and truncated to 0 to 100."""
    values = np.arange(101.0)
    densities = [np.exp(-(((values - mean) / sd) ** 2) / 2) for mean in means]
    return CategoricalArms(values=values, probabilities=[density / density.sum() for density in densities])


def ratings(best: float = 0.9, others: float = 0.8, n_arms: int = 5) -> BinomialArms:
    """Return the paper's binomial ratings from 0 to 10, with one best arm and equal others."""
    return BinomialArms(n=10, p=[best, *[others] * (n_arms - 1)])


PAPER, TWO, TEN, TWENTY = ratings(), ratings(n_arms=2), ratings(n_arms=10), ratings(n_arms=20)
CLOSE = ratings(0.83)
SPREAD = BinomialArms(n=10, p=[0.9, 0.8, 0.7, 0.6, 0.5])
CLICKS = BernoulliArms([0.6, 0.4, 0.4, 0.4, 0.4])
STARS = CategoricalArms(values=[1, 2, 3, 4, 5], probabilities=SHOP)
SLIDER = slider([70, 60, 60, 60, 60], sd=15)
NORMAL = GaussianArms(means=[1, 0, 0, 0, 0], sd=1)


def scenario(
    group: str, label: str, adversary: Adversary, arms: Arms = PAPER, horizon: int = 1000, size: Size = "full"
) -> Scenario:
    """Return a scenario; its rate is the share of rounds for bursts, and otherwise what the adversary declares."""
    epsilon = BURST_SHARE if group in ("bursts", "first pulls") else adversary.constraint or None
    return Scenario(group, label, arms, adversary, horizon, epsilon, size)


clean, tenth, rate, people, missing = (partial(scenario, g) for g in ("clean", "tenth", "rates", "people", "missing"))
burst, first_pulls, adaptive = (partial(scenario, group) for group in ("bursts", "first pulls", "adaptive"))
no_limit = partial(scenario, "no limit")

MORE_OF_OTHERS, MORE_OF_BEST = (0.1, *[0.4] * 4), (0.4, *[0.1] * 4)  # missing share of each arm; the first is the best
CLEAN = NoAdversary()
TENTH_A, TENTH_W, TENTH_U = (BernoulliAdversary(0.1, values) for values in (A, W, U))

SUITE: tuple[Scenario, ...] = (
    clean("ratings", CLEAN, size="quick"),
    clean("clicks", CLEAN, CLICKS, size="quick"),
    clean("stars", CLEAN, STARS),
    clean("slider", CLEAN, SLIDER),
    clean("continuous", CLEAN, NORMAL, size="quick"),
    clean("close", CLEAN, CLOSE, 3000),
    clean("spread-out", CLEAN, SPREAD, 500),
    clean("2 arms", CLEAN, TWO, 500),
    clean("20 arms", CLEAN, TWENTY, 3000),
    clean("150 rounds", CLEAN, PAPER, 150),
    clean("10,000 rounds", CLEAN, PAPER, 10_000),
    tenth("A", TENTH_A, size="quick"),
    tenth("B", BernoulliAdversary(0.1, B)),
    tenth("W", TENTH_W, size="quick"),
    tenth("U", TENTH_U, size="quick"),
    tenth("I", BernoulliAdversary(0.1, I), size="quick"),
    tenth("budget W", PrefixBudget(0.1, W), size="quick"),
    tenth("budget U", PrefixBudget(0.1, U)),
    tenth("W, clicks", TENTH_W, CLICKS, 3000),
    tenth("W, stars", TENTH_W, STARS, size="quick"),
    tenth("W, slider", TENTH_W, SLIDER),
    tenth("W, continuous", TENTH_W, NORMAL),
    tenth("U, continuous", TENTH_U, NORMAL, size="quick"),
    tenth("W, close", TENTH_W, CLOSE, 3000),
    tenth("W, spread-out", TENTH_W, SPREAD, 500),
    tenth("W, 2 arms", TENTH_W, TWO, 500),
    tenth("W, 10 arms", TENTH_W, TEN),
    tenth("W, 20 arms", TENTH_W, TWENTY, 3000),
    tenth("A, 150 rounds", TENTH_A, PAPER, 150),
    tenth("W, 10,000 rounds", TENTH_W, PAPER, 10_000),
    rate("A 2 %", BernoulliAdversary(0.02, A)),
    rate("W 2 %", BernoulliAdversary(0.02, W)),
    rate("A 2 %, close", BernoulliAdversary(0.02, A), CLOSE, 3000),
    rate("W 2 %, clicks", BernoulliAdversary(0.02, W), CLICKS, 3000),
    rate("A 5 %", BernoulliAdversary(0.05, A)),
    rate("W 5 %", BernoulliAdversary(0.05, W), size="quick"),
    rate("A 20 %", BernoulliAdversary(0.2, A), size="quick"),
    rate("W 20 %", BernoulliAdversary(0.2, W)),
    rate("A 30 %", BernoulliAdversary(0.3, A)),
    people("class", CarelessParticipants("university class"), size="quick"),
    people("crowd", CarelessParticipants("crowd workers")),
    people("poll", CarelessParticipants("open web poll")),
    people("poll, stars", CarelessParticipants("open web poll"), STARS),
    *labelled_people_scenarios(),
    missing("low raters 10 %", Dropout(0.1)),
    missing("low raters 30 %", Dropout(0.3), size="quick"),
    missing("low raters 30 %, close", Dropout(0.3), CLOSE),
    missing("low raters 30 %, clicks", Dropout(0.3, slope=3.0), CLICKS),
    missing("low raters 40 %, stars", Dropout(0.4, slope=1.5), STARS),
    missing("low raters 30 %, lecturers", Dropout(0.3), ARMS["lecturers 1"]),
    missing("low raters of the others", Dropout(MORE_OF_OTHERS)),
    missing("low raters of the others, close", Dropout(MORE_OF_OTHERS), CLOSE, size="quick"),
    missing("low raters of the others, clicks", Dropout(MORE_OF_OTHERS, slope=3.0), CLICKS),
    missing("low raters of the others, stars", Dropout(MORE_OF_OTHERS, slope=1.5), STARS),
    missing("at random 30 %", Dropout(0.3, slope=0.0)),
    missing("at random 30 %, stars", Dropout(0.3, slope=0.0), STARS),
    missing("at random, of the best", Dropout(MORE_OF_BEST, slope=0.0)),
    missing("at random, of the best, clicks", Dropout(MORE_OF_BEST, slope=0.0), CLICKS),
    *real_scenarios(),
    burst("front A", FrontCluster(BURST_SHARE, A), size="quick"),
    burst("front W", FrontCluster(BURST_SHARE, W), size="quick"),
    burst("front B", FrontCluster(BURST_SHARE, B)),
    burst("front W 5 %", FrontCluster(BURST_SHARE / 2, W)),
    burst("201–300 W", Burst(201, 100, W), size="quick"),
    burst("451–550 W", Burst(451, 100, W)),
    burst("801–900 W", Burst(801, 100, W)),
    burst("worst promoted", Brigade(201, 100), size="quick"),
    burst("best demoted", Brigade(201, 100, promote=False)),
    burst("front W, clicks", FrontCluster(BURST_SHARE, W), CLICKS, 3000),
    burst("201–300 W, stars", Burst(201, 100, W), STARS),
    burst("front W, slider", FrontCluster(BURST_SHARE, W), SLIDER),
    burst("201–300 U, continuous", Burst(201, 100, U), NORMAL),
    burst("front W, 2 arms", FrontCluster(BURST_SHARE, W), TWO, 500),
    burst("front W, 20 arms", FrontCluster(BURST_SHARE, W), TWENTY, 3000),
    burst("front A, 150 rounds", FrontCluster(BURST_SHARE, A), PAPER, 150),
    burst("front W, 10,000 rounds", FrontCluster(BURST_SHARE, W), PAPER, 10_000),
    first_pulls("A", FrontCluster(BURST_SHARE, A, by="pulls")),
    first_pulls("W", FrontCluster(BURST_SHARE, W, by="pulls")),
    first_pulls("W 2 %", FrontCluster(0.02, W, by="pulls")),
    adaptive("Jun on ε-greedy", JunEpsilonGreedy(budget=0.1)),
    adaptive("Jun on UCB", JunUCB(budget=0.1), size="quick"),
    adaptive("Jun on UCB, as ratings", JunUCB(budget=0.1, on_scale=True)),
    adaptive("Jun on UCB, continuous", JunUCB(budget=0.1), NORMAL),
    adaptive("ACE", ACE(budget=0.1)),
    adaptive("oracle", OracleAttack(budget=0.1)),
    adaptive("greedy on trimmed mean", GreedyAttack(TrimmedMean(0.1), 0.1)),
    adaptive("greedy on shorth mean", GreedyAttack(ShorthMean(0.1), 0.1)),
    no_limit("Jun on ε-greedy", JunEpsilonGreedy()),
    no_limit("Jun on UCB", JunUCB()),
    no_limit("ACE", ACE()),
    no_limit("oracle", OracleAttack()),
)


def suite_of(size: Size) -> tuple[Scenario, ...]:
    """Return the scenarios of an arena of this size."""
    return tuple(scenario for scenario in SUITE if size in ("full", scenario.size))
