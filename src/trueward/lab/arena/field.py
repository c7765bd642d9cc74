"""Who plays in the arena: every policy, set up for the scenario at hand.

A policy that has to be told a contamination rate, a standard deviation or a range is told the truth of the scenario;
where nothing is contaminated, a tenth. That is a favour: nobody knows these in a study.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from trueward.arms import Arms
from trueward.estimators import HuberMean, Median, ShorthMean, TrimmedMean
from trueward.game.play import Learner
from trueward.policies import (
    BARBAR,
    BARBAT,
    CRIMED,
    EXP3,
    EXP3PP,
    SAO,
    UCB,
    UCB1,
    BetaThompson,
    BudgetThompson,
    BudgetUCB,
    Champion,
    CrUCB,
    EpsilonGreedy,
    ExploredUCB,
    GaussianThompson,
    Guarded,
    HeavyTailUCB,
    HuberUCB,
    MixtureThompson,
    Race,
    RobustThompson,
    TsallisINF,
    Uniform,
)

Scale = Literal["quick", "full"]
SCALES: tuple[Scale, ...] = ("quick", "full")

PILOT = 20  # rewards of each arm
USUAL_RATE = 0.1  # what policies are told where nothing is contaminated
SDS_PAST_THE_MEANS = 3.0  # the range declared for rewards without bounds, as the adversaries have it
VALUES_IN_THE_RANGE = 41  # to which continuous rewards are rounded by a policy that needs a scale
HUBER_PAPER_LIMIT = 0.13  # the paper's preset is defined for rates below 0.1365


@dataclass(frozen=True)
class Told:
    """What a policy may be told about a scenario."""

    arms: Arms
    horizon: int
    epsilon: float | None

    @property
    def rate(self) -> float:
        """The contamination rate, or a tenth."""
        return USUAL_RATE if self.epsilon is None else self.epsilon

    @property
    def sd(self) -> float:
        """The largest standard deviation."""
        return self.arms.sd

    @property
    def range(self) -> tuple[float, float]:
        """The range of rewards; where there is none, three standard deviations past the extreme means."""
        if self.arms.scale is not None:
            return self.arms.bounds
        reach = SDS_PAST_THE_MEANS * self.sd
        return float(self.arms.means.min()) - reach, float(self.arms.means.max()) + reach

    @property
    def ratings(self) -> int:
        """The number of values on the scale."""
        return VALUES_IN_THE_RANGE if self.arms.scale is None else self.arms.scale.size

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.range[1] - self.range[0]

    @property
    def total(self) -> float:
        """All that contamination may move: the rate of all rounds, by half the range each."""
        return self.rate * self.horizon * self.width / 2.0


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


def field_of(scale: Scale) -> dict[str, Entry]:
    """Return who plays at a scale: at quick all but those whose constants need longer games."""
    return {name: entry for name, entry in FIELD.items() if scale in ("full", entry.scale)}
