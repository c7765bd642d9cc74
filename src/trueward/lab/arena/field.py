"""The field: every policy of the arena, and how it is configured for a problem."""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from trueward.arms.binomial import BinomialArms
from trueward.estimators.huber_mean import HuberMean
from trueward.estimators.median import Median
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean
from trueward.game.play import Learner
from trueward.lab.arena.problem import Problem, configure_policy
from trueward.policies import POLICIES
from trueward.policies.policy import Policy
from trueward.policies.wary.wary import Wary
from trueward.policies.wrappers.missing_as import MissingAs
from trueward.policies.wrappers.uniform_share import UniformShare

Size = Literal["quick", "full"]
SIZES: tuple[Size, ...] = ("quick", "full")
BASELINE, PAPERS, PUBLISHED, OURS, YOURS = "baseline", "paper's", "published", "ours", "yours"

PILOT_ROUNDS = 20  # true rewards of each arm
HUBER_PAPER_LIMIT = 0.13  # the paper's preset is defined for rates below 0.1365


@dataclass(frozen=True)
class Competitor:
    """A policy in the arena: its family, and how it is built for a problem.

    Parameters
    ----------
    family : str
        "baseline", "paper's", "published", "ours" or "yours".
    build : callable
        Takes a `Problem` and returns the policy that plays it.
    size : {"quick", "full"}
        The smallest size of the arena in which it plays.
    round_cost : float
        Seconds per round, approximately; used to predict how long a tournament takes.
    interpreted : bool
        Whether the policy is plain Python, which uses a single core.

    Examples
    --------
    >>> import trueward as tw
    >>> from trueward.lab.arena import Competitor, Problem
    >>> careful = Competitor("yours", lambda problem: tw.CrUCB(tw.Median(), sigma=2 * problem.sd))
    >>> problem = Problem(tw.BernoulliArms([0.5, 0.6]), horizon=100, epsilon=None)
    >>> careful.build(problem).sigma
    1.0
    """

    family: str
    build: Callable[[Problem], Learner]
    size: Size = "quick"
    round_cost: float = 1e-6
    interpreted: bool = False


def registered(name: str, problem: Problem, **parameters: Any) -> Policy:
    return configure_policy(POLICIES[name], problem, **parameters)


def wary(problem: Problem) -> Wary:
    """Return Wary with the rating scale, or, for continuous rewards, a pilot of 20 true rewards per arm."""
    if problem.arms.scale is not None:
        return Wary(problem.range, levels=problem.levels)
    return Wary.from_pilot(problem.arms.draw(PILOT_ROUNDS, np.random.default_rng(0)).ravel())


FIELD: dict[str, Competitor] = {
    "uniform": Competitor(BASELINE, lambda problem: registered("uniform", problem)),
    "UCB1": Competitor(PAPERS, lambda problem: registered("ucb1", problem)),
    "UCB": Competitor(PAPERS, lambda problem: registered("ucb", problem)),
    "tUCB": Competitor(PAPERS, lambda problem: registered("crucb", problem)),
    "sUCB": Competitor(PAPERS, lambda problem: registered("crucb", problem, estimator=ShorthMean(problem.rate))),
    "RUCB-MAB": Competitor(PAPERS, lambda problem: registered("crucb", problem, estimator=Median())),
    "EXP3": Competitor(PAPERS, lambda problem: registered("exp3", problem)),
    "EXP3++": Competitor(PAPERS, lambda problem: registered("exp3++", problem)),
    "Tsallis-INF": Competitor(PAPERS, lambda problem: registered("tsallis-inf", problem)),
    "ε-greedy": Competitor(PUBLISHED, lambda problem: registered("epsilon-greedy", problem, c=5.0)),
    "Gaussian Thompson": Competitor(PUBLISHED, lambda problem: registered("gaussian-thompson", problem)),
    "Beta Thompson": Competitor(PUBLISHED, lambda problem: registered("beta-thompson", problem)),
    "med-E-UCB": Competitor(PUBLISHED, lambda problem: registered("explored-ucb", problem)),
    "BARBAR practical": Competitor(PUBLISHED, lambda problem: registered("barbar", problem, preset="practical")),
    "BARBAR": Competitor(PUBLISHED, lambda problem: registered("barbar", problem), "full"),
    "BARBAT practical": Competitor(PUBLISHED, lambda problem: registered("barbat", problem, preset="practical")),
    "BARBAT": Competitor(PUBLISHED, lambda problem: registered("barbat", problem), "full"),
    "Race practical": Competitor(
        PUBLISHED, lambda problem: registered("race", problem, lam=4.0 * (problem.sd / problem.width) ** 2)
    ),
    "Race": Competitor(PUBLISHED, lambda problem: registered("race", problem), "full"),
    "SAO practical": Competitor(PUBLISHED, lambda problem: registered("sao", problem, preset="practical")),
    "SAO": Competitor(PUBLISHED, lambda problem: registered("sao", problem), "full"),
    "SAPO practical": Competitor(PUBLISHED, lambda problem: registered("sapo", problem, preset="practical")),
    "SAPO": Competitor(PUBLISHED, lambda problem: registered("sapo", problem), "full"),
    "HuberUCB practical": Competitor(PUBLISHED, lambda problem: registered("huber-ucb", problem)),
    "HuberUCB": Competitor(
        PUBLISHED,
        lambda problem: registered("huber-ucb", problem, epsilon=min(problem.rate, HUBER_PAPER_LIMIT), preset="paper"),
        "full",
    ),
    "SeqHuberUCB": Competitor(PUBLISHED, lambda problem: registered("huber-ucb", problem, sequential=True)),
    "CRIMED": Competitor(PUBLISHED, lambda problem: registered("crimed", problem)),
    "MoM-UCB": Competitor(PUBLISHED, lambda problem: registered("heavy-tail-ucb", problem, mean="median-of-means")),
    "Catoni-UCB": Competitor(PUBLISHED, lambda problem: registered("heavy-tail-ucb", problem, mean="catoni"), "full"),
    "Budget UCB": Competitor(PUBLISHED, lambda problem: registered("budget-ucb", problem)),
    "Budget Thompson practical": Competitor(
        PUBLISHED, lambda problem: registered("budget-thompson", problem, sigma=problem.sd, preset="practical")
    ),
    "Budget Thompson": Competitor(
        PUBLISHED, lambda problem: registered("budget-thompson", problem, sigma=problem.sd), "full"
    ),
    "Wary": Competitor(OURS, wary, round_cost=2e-5),
    "Trimmed Thompson": Competitor(OURS, lambda problem: registered("robust-thompson", problem)),
    "Median Thompson": Competitor(OURS, lambda problem: registered("robust-thompson", problem, estimator=Median())),
    "Huber Thompson": Competitor(
        OURS, lambda problem: registered("robust-thompson", problem, estimator=HuberMean(2 * problem.sd))
    ),
    "Mixture Thompson": Competitor(OURS, lambda problem: registered("mixture-thompson", problem)),
    "Mixture Thompson binomial": Competitor(
        OURS, lambda problem: registered("mixture-thompson", problem, base="binomial")
    ),
}


WRAPPERS = (UniformShare, MissingAs)  # for live studies; they do not compete


def _unlisted() -> dict[str, Competitor]:
    """Return the registered policies that have no line above; all their parameters are derived from the problem."""
    example = Problem(BinomialArms(n=10, p=[0.9, 0.8]), horizon=1000, epsilon=0.1)
    listed = {type(competitor.build(example)) for competitor in FIELD.values()}
    return {
        policy.__name__: Competitor(PUBLISHED, functools.partial(configure_policy, policy))
        for policy in POLICIES.values()
        if policy not in listed and policy not in WRAPPERS
    }


FIELD |= _unlisted()


def field_of(size: Size) -> dict[str, Competitor]:
    """Return the policies of an arena; the quick one leaves out those whose constants need longer games."""
    return {name: competitor for name, competitor in FIELD.items() if size in ("full", competitor.size)}
