"""Who plays in the arena: every policy, set up for the scenario at hand.

A policy of the table that has no line here plays under its own name, with its parameters filled in as far as they are
known (`game.suited`).
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trueward.arms.binomial import BinomialArms
from trueward.estimators.huber_mean.definition import HuberMean
from trueward.estimators.median.definition import Median
from trueward.estimators.shorth_mean.definition import ShorthMean
from trueward.estimators.trimmed_mean.definition import TrimmedMean
from trueward.game.play import Learner
from trueward.game.suited import Told, suited
from trueward.policies import POLICIES
from trueward.policies.champion.champion import Champion
from trueward.policies.index.budget_ucb import BudgetUCB
from trueward.policies.index.crimed import CRIMED
from trueward.policies.index.crucb import CrUCB
from trueward.policies.index.explored_ucb import ExploredUCB
from trueward.policies.index.heavy_tail_ucb import HeavyTailUCB
from trueward.policies.index.huber_ucb import HuberUCB
from trueward.policies.index.ucb import UCB
from trueward.policies.index.ucb1 import UCB1
from trueward.policies.posterior.beta_thompson import BetaThompson
from trueward.policies.posterior.budget_thompson import BudgetThompson
from trueward.policies.posterior.gaussian_thompson import GaussianThompson
from trueward.policies.posterior.mixture_thompson import MixtureThompson
from trueward.policies.posterior.robust_thompson import RobustThompson
from trueward.policies.sampling.barbar import BARBAR, BARBAT
from trueward.policies.sampling.epsilon_greedy import EpsilonGreedy
from trueward.policies.sampling.exp3 import EXP3
from trueward.policies.sampling.exp3pp import EXP3PP
from trueward.policies.sampling.race import Race
from trueward.policies.sampling.sao import SAO
from trueward.policies.sampling.tsallis_inf import TsallisINF
from trueward.policies.sampling.uniform import Uniform
from trueward.policies.wrappers.guarded import Guarded

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
    source: str | None = None  # a digest of the file that a user's policy comes from


YARDSTICK, PAPERS, PUBLISHED, OURS, YOURS = "yardstick", "paper's", "published", "ours", "yours"


def mixture(told: Told, base: Literal["normal", "binomial"] = "normal") -> MixtureThompson:
    """Return mixture Thompson sampling on the scale of the scenario."""
    return MixtureThompson(told.range, base=base, ratings=told.ratings)


def champion(told: Told) -> Champion:
    """Return the champion: told the scale, or, where there is none, a pilot of twenty clean rewards of each arm."""
    if told.arms.scale is not None:
        return Champion(told.range, ratings=told.ratings)
    return Champion.from_pilot(told.arms.draw(PILOT, np.random.default_rng(0)).ravel())


FIELD: dict[str, Entry] = {
    "uniform": Entry(YARDSTICK, lambda _: Uniform()),
    "UCB1": Entry(PAPERS, lambda told: UCB1(told.range)),
    "UCB": Entry(PAPERS, lambda told: UCB(sigma=told.sd)),
    "tUCB": Entry(PAPERS, lambda told: CrUCB(TrimmedMean(told.rate), sigma=told.sd)),
    "sUCB": Entry(PAPERS, lambda told: CrUCB(ShorthMean(told.rate), sigma=told.sd)),
    "RUCB-MAB": Entry(PAPERS, lambda told: CrUCB(Median(), sigma=told.sd)),
    "EXP3": Entry(PAPERS, lambda told: EXP3(told.range)),
    "EXP3++": Entry(PAPERS, lambda told: EXP3PP(told.range)),
    "Tsallis-INF": Entry(PAPERS, lambda told: TsallisINF(told.range)),
    "ε-greedy": Entry(PUBLISHED, lambda _: EpsilonGreedy(c=5.0)),
    "Gaussian Thompson": Entry(PUBLISHED, lambda told: GaussianThompson(sigma=told.sd)),
    "Beta Thompson": Entry(PUBLISHED, lambda told: BetaThompson(told.range)),
    "med-E-UCB": Entry(PUBLISHED, lambda told: ExploredUCB(sigma=told.sd)),
    "BARBAR practical": Entry(PUBLISHED, lambda told: BARBAR(told.range, preset="practical")),
    "BARBAR": Entry(PUBLISHED, lambda told: BARBAR(told.range), "full"),
    "BARBAT practical": Entry(PUBLISHED, lambda told: BARBAT(told.range, preset="practical")),
    "BARBAT": Entry(PUBLISHED, lambda told: BARBAT(told.range), "full"),
    "Race practical": Entry(PUBLISHED, lambda told: Race(told.range, lam=4.0 * (told.sd / told.width) ** 2)),
    "Race": Entry(PUBLISHED, lambda told: Race(told.range), "full"),
    "SAO practical": Entry(PUBLISHED, lambda told: SAO(told.range, preset="practical")),
    "SAO": Entry(PUBLISHED, lambda told: SAO(told.range), "full"),
    "HuberUCB practical": Entry(PUBLISHED, lambda told: HuberUCB(sigma=told.sd, beta=2 * told.sd)),
    "HuberUCB": Entry(
        PUBLISHED,
        lambda told: HuberUCB(
            sigma=told.sd, beta=2 * told.sd, epsilon=min(told.rate, HUBER_PAPER_LIMIT), preset="paper"
        ),
        "full",
    ),
    "SeqHuberUCB": Entry(PUBLISHED, lambda told: HuberUCB(sigma=told.sd, beta=2 * told.sd, sequential=True)),
    "CRIMED": Entry(PUBLISHED, lambda told: CRIMED(epsilon=told.rate, sigma=told.sd)),
    "MoM-UCB": Entry(PUBLISHED, lambda told: HeavyTailUCB("median-of-means", moment=told.sd * told.sd)),
    "Catoni-UCB": Entry(PUBLISHED, lambda told: HeavyTailUCB("catoni", moment=told.sd * told.sd), "full"),
    "Budget UCB": Entry(PUBLISHED, lambda told: BudgetUCB(budget=told.total, sigma=told.sd)),
    "Budget Thompson practical": Entry(PUBLISHED, lambda told: BudgetThompson(sigma=told.sd, preset="practical")),
    "Budget Thompson": Entry(PUBLISHED, lambda told: BudgetThompson(sigma=told.sd), "full"),
    "Champion": Entry(OURS, champion, round_cost=2e-5),
    "Trimmed Thompson": Entry(OURS, lambda told: RobustThompson(TrimmedMean(told.rate), sigma=told.sd)),
    "Median Thompson": Entry(OURS, lambda told: RobustThompson(Median(), sigma=told.sd)),
    "Huber Thompson": Entry(OURS, lambda told: RobustThompson(HuberMean(2 * told.sd), sigma=told.sd)),
    "Mixture Thompson": Entry(OURS, mixture),
    "Mixture Thompson binomial": Entry(OURS, lambda told: mixture(told, "binomial")),
    "Guarded UCB": Entry(OURS, lambda told: Guarded(UCB(sigma=told.sd))),
    "Guarded tUCB": Entry(OURS, lambda told: Guarded(CrUCB(TrimmedMean(told.rate), sigma=told.sd))),
    "Guarded RUCB-MAB": Entry(OURS, lambda told: Guarded(CrUCB(Median(), sigma=told.sd))),
    "Guarded Mixture Thompson": Entry(OURS, lambda told: Guarded(mixture(told))),
}


def _others() -> dict[str, Entry]:
    """Return the policies of the table that have no line of their own."""
    here = {type(entry.build(_EXAMPLE)) for entry in FIELD.values()}
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
