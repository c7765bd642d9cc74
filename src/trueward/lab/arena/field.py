"""Who plays in the arena: every policy, set up for the scenario at hand.

A policy of the table that has no line here plays under its own name, with its parameters filled in as far as they are
known (`game.suited`).
"""

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
from trueward.lab.arena.suited import Told, suited
from trueward.policies import POLICIES
from trueward.policies.policy import Policy
from trueward.policies.wary_thompson.wary_thompson import WaryThompson
from trueward.policies.wrappers.guarded import Guarded
from trueward.policies.wrappers.missing_as import MissingAs
from trueward.policies.wrappers.uniform_share import UniformShare

Scale = Literal["quick", "full"]
SCALES: tuple[Scale, ...] = ("quick", "full")

PILOT = 20  # rewards of each arm
HUBER_PAPER_LIMIT = 0.13  # the paper's preset is defined for rates below 0.1365


@dataclass(frozen=True)
class Entry:
    """One player: which family it is of, how it is set up, and whether it is in the quick scale."""

    family: str
    build: Callable[[Told], Learner]
    scale: Scale = "quick"
    round_cost: float = 1e-6  # seconds, about: to say how long a tournament will take
    interpreted: bool = False  # plain Python, which one core plays


YARDSTICK, PAPERS, PUBLISHED, OURS, YOURS = "yardstick", "paper's", "published", "ours", "yours"


def of_table(name: str, told: Told, **given: Any) -> Policy:
    """Return a policy of the table, with parameters as given, and else set up for the scenario."""
    return suited(POLICIES[name], told, **given)


def wary_thompson(told: Told) -> WaryThompson:
    """Return Wary Thompson: told the scale, or, where there is none, a pilot of twenty clean rewards of each arm."""
    if told.arms.scale is not None:
        return WaryThompson(told.range, ratings=told.ratings)
    return WaryThompson.from_pilot(told.arms.draw(PILOT, np.random.default_rng(0)).ravel())


FIELD: dict[str, Entry] = {
    "uniform": Entry(YARDSTICK, lambda told: of_table("uniform", told)),
    "UCB1": Entry(PAPERS, lambda told: of_table("ucb1", told)),
    "UCB": Entry(PAPERS, lambda told: of_table("ucb", told)),
    "tUCB": Entry(PAPERS, lambda told: of_table("crucb", told)),
    "sUCB": Entry(PAPERS, lambda told: of_table("crucb", told, estimator=ShorthMean(told.rate))),
    "RUCB-MAB": Entry(PAPERS, lambda told: of_table("crucb", told, estimator=Median())),
    "EXP3": Entry(PAPERS, lambda told: of_table("exp3", told)),
    "EXP3++": Entry(PAPERS, lambda told: of_table("exp3++", told)),
    "Tsallis-INF": Entry(PAPERS, lambda told: of_table("tsallis-inf", told)),
    "ε-greedy": Entry(PUBLISHED, lambda told: of_table("epsilon-greedy", told, c=5.0)),
    "Gaussian Thompson": Entry(PUBLISHED, lambda told: of_table("gaussian-thompson", told)),
    "Beta Thompson": Entry(PUBLISHED, lambda told: of_table("beta-thompson", told)),
    "med-E-UCB": Entry(PUBLISHED, lambda told: of_table("explored-ucb", told)),
    "BARBAR practical": Entry(PUBLISHED, lambda told: of_table("barbar", told, preset="practical")),
    "BARBAR": Entry(PUBLISHED, lambda told: of_table("barbar", told), "full"),
    "BARBAT practical": Entry(PUBLISHED, lambda told: of_table("barbat", told, preset="practical")),
    "BARBAT": Entry(PUBLISHED, lambda told: of_table("barbat", told), "full"),
    "Race practical": Entry(PUBLISHED, lambda told: of_table("race", told, lam=4.0 * (told.sd / told.width) ** 2)),
    "Race": Entry(PUBLISHED, lambda told: of_table("race", told), "full"),
    "SAO practical": Entry(PUBLISHED, lambda told: of_table("sao", told, preset="practical")),
    "SAO": Entry(PUBLISHED, lambda told: of_table("sao", told), "full"),
    "SAPO practical": Entry(PUBLISHED, lambda told: of_table("sapo", told, preset="practical")),
    "SAPO": Entry(PUBLISHED, lambda told: of_table("sapo", told), "full"),
    "HuberUCB practical": Entry(PUBLISHED, lambda told: of_table("huber-ucb", told)),
    "HuberUCB": Entry(
        PUBLISHED,
        lambda told: of_table("huber-ucb", told, epsilon=min(told.rate, HUBER_PAPER_LIMIT), preset="paper"),
        "full",
    ),
    "SeqHuberUCB": Entry(PUBLISHED, lambda told: of_table("huber-ucb", told, sequential=True)),
    "CRIMED": Entry(PUBLISHED, lambda told: of_table("crimed", told)),
    "MoM-UCB": Entry(PUBLISHED, lambda told: of_table("heavy-tail-ucb", told, mean="median-of-means")),
    "Catoni-UCB": Entry(PUBLISHED, lambda told: of_table("heavy-tail-ucb", told, mean="catoni"), "full"),
    "Budget UCB": Entry(PUBLISHED, lambda told: of_table("budget-ucb", told)),
    "Budget Thompson practical": Entry(
        PUBLISHED, lambda told: of_table("budget-thompson", told, sigma=told.sd, preset="practical")
    ),
    "Budget Thompson": Entry(PUBLISHED, lambda told: of_table("budget-thompson", told, sigma=told.sd), "full"),
    "Wary Thompson": Entry(OURS, wary_thompson, round_cost=2e-5),
    "Trimmed Thompson": Entry(OURS, lambda told: of_table("robust-thompson", told)),
    "Median Thompson": Entry(OURS, lambda told: of_table("robust-thompson", told, estimator=Median())),
    "Huber Thompson": Entry(OURS, lambda told: of_table("robust-thompson", told, estimator=HuberMean(2 * told.sd))),
    "Mixture Thompson": Entry(OURS, lambda told: of_table("mixture-thompson", told)),
    "Mixture Thompson binomial": Entry(OURS, lambda told: of_table("mixture-thompson", told, base="binomial")),
    "Guarded UCB": Entry(OURS, lambda told: of_table("guarded", told)),
    "Guarded tUCB": Entry(OURS, lambda told: Guarded(of_table("crucb", told))),
    "Guarded RUCB-MAB": Entry(OURS, lambda told: Guarded(of_table("crucb", told, estimator=Median()))),
    "Guarded Mixture Thompson": Entry(OURS, lambda told: Guarded(of_table("mixture-thompson", told))),
}


def _others() -> dict[str, Entry]:
    """Return the policies of the table that have no line of their own."""
    here = {type(entry.build(_EXAMPLE)) for entry in FIELD.values()} | {
        UniformShare,
        MissingAs,
    }  # devices, not competitors
    return {
        entry.__name__: Entry(PUBLISHED, functools.partial(suited, entry))
        for entry in POLICIES.values()
        if entry not in here
    }


_EXAMPLE = Told(BinomialArms(n=10, p=[0.9, 0.8]), horizon=1000, epsilon=0.1)
FIELD |= _others()


def field_of(scale: Scale) -> dict[str, Entry]:
    """Return who plays at a scale: at quick all but those whose constants need longer games."""
    return {name: entry for name, entry in FIELD.items() if scale in ("full", entry.scale)}
