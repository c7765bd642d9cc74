"""The worlds on which the default policy is measured: labelled people, divided opinions, and the paper's arms.

`default_policy_table.py` plays them. They only test: no constant of a policy is chosen on them.
"""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import trueward as tw
from trueward.adversaries.labelled_people import LABELLED_SOURCES, LabelledPeople, labelled_people
from trueward.engine.kernel import Floats
from trueward.lab.arena.scenario import A, I, W

SIZE = 5  # arms of a group
LABELLED_SEED, RATINGS_SEED = 20, 4  # of the groups
BIMODAL, LOW_BEST = "bimodal arms, ordinary best", "best with 20 % low"
NOBODY, CLASS = tw.NoAdversary(), tw.CarelessParticipants("university class")
ON_PAPER = {
    "clean": NOBODY,
    "A": tw.BernoulliAdversary(0.1, A),
    "W": tw.BernoulliAdversary(0.1, W),
    "I": tw.BernoulliAdversary(0.1, I),
    "front W": tw.FrontCluster(0.1, W),
    "burst": tw.Burst(201, 100, W),
    "class": CLASS,
}
"""The attacks on the paper's arms; letters as in the arena."""


class World(NamedTuple):
    """Arms as they are shown, the gaps between their true means, and what contaminates the ratings."""

    arms: tw.Arms
    gaps: Floats
    adversary: tw.Adversary


def labelled_sources(folders: Iterable[Path] = ()) -> dict[str, LabelledPeople]:
    """Return the sources of the package, then those of the CSV files in some folders; a file replaces its namesake."""
    sources = {name: labelled_people(name) for name in LABELLED_SOURCES}
    for path in (path for folder in folders for path in sorted(folder.glob("*.csv"))):
        sources[path.stem] = LabelledPeople.from_csv(path)
    return dict(sorted(sources.items()))


def labelled_worlds(people: LabelledPeople, groups: int) -> list[dict[str, World]]:
    """Return groups of five arms of a source, each with attentive people, careless people and two attacks.

    Careless people are part of the ratings that are shown; the truth is what attentive people say.
    """
    worlds = list[dict[str, World]]()
    for group in people.groups(groups, size=SIZE, seed=LABELLED_SEED):
        arms = people.arms(group)
        worlds.append(
            {
                "attentive": World(arms, arms.gaps, NOBODY),
                "careless": World(people.shown_arms(group), arms.gaps, NOBODY),
                "W .1": World(arms, arms.gaps, tw.BernoulliAdversary(0.1, W)),
                "front W": World(arms, arms.gaps, tw.FrontCluster(0.1, W)),
            }
        )
    return worlds


def rating_worlds(source: str, groups: int) -> list[dict[str, World]]:
    """Return groups of five lecturers or items, clean and with a simulated university class."""
    drawn = tw.rating_groups(source, groups, size=SIZE, seed=RATINGS_SEED)
    return [{"clean": World(a, a.gaps, NOBODY), "class": World(a, a.gaps, CLASS)} for a in drawn]


def divided_worlds() -> dict[str, World]:
    """Return eight clean worlds with divided opinions."""
    good = [0.02, 0.03, 0.10, 0.30, 0.55]
    others = [[0.02, 0.03, 0.11, 0.34, 0.50], [0.02, 0.04, 0.12, 0.34, 0.48], [0.03, 0.03, 0.12, 0.36, 0.46]]
    low = 0.2 * at(11, {0: 0.4, 1: 0.3, 2: 0.3}) + 0.8 * at(11, {8: 0.3, 9: 0.4, 10: 0.3})
    hated = 0.12 * at(11, {0: 1.0}) + 0.88 * rounded_normal(11, 8.2, 1.5)
    pmfs = {
        BIMODAL: [rounded_normal(11, 7.0, 1.5), *(love_or_hate(p) for p in (0.6, 0.6, 0.55, 0.5))],
        "all arms bimodal": [love_or_hate(p) for p in (0.6, 0.5, 0.45, 0.4, 0.35)],
        "love-or-hate best": [love_or_hate(0.6), *(rounded_normal(11, m, 1.6) for m in (5.0, 4.8, 4.5, 4.0))],
        "soft bimodal": [
            p * rounded_normal(11, 8.3, 1.2) + (1 - p) * rounded_normal(11, 1.7, 1.2)
            for p in (0.62, 0.52, 0.5, 0.45, 0.4)
        ],
        LOW_BEST: [low, *(rounded_normal(11, m, 1.5) for m in (6.5, 6.3, 6.0, 5.8))],
        "12 % zeros on one arm": [*(rounded_normal(11, m, 1.5) for m in (8.2, 7.8, 7.6, 7.5)), hated],
        "stars, worst 15 % ones": [good, *others, with_ones(0.15, [0, 0.03, 0.10, 0.32, 0.55])],
        "stars, worst 8 % ones": [good, *others, with_ones(0.08, [0, 0.04, 0.14, 0.37, 0.45])],
    }
    worlds = {}
    for name, rows in pmfs.items():
        first = 1 if "stars" in name else 0
        arms = tw.CategoricalArms(values=np.arange(len(rows[0])) + first, probabilities=rows)
        worlds[name] = World(arms, arms.gaps, NOBODY)
    return worlds


def rounded_normal(n_ratings: int, mean: float, sd: float) -> Floats:
    """Return the pmf of a normal rounded to 0, 1, …, with its tails at the ends."""
    cdf = [0.5 * (1 + math.erf((k + 0.5 - mean) / sd / math.sqrt(2))) for k in range(n_ratings - 1)]
    return np.diff([0.0, *cdf, 1.0])


def at(n_ratings: int, shares: dict[int, float]) -> Floats:
    """Return a pmf on single ratings."""
    pmf = np.zeros(n_ratings)
    pmf[list(shares)] = list(shares.values())
    return pmf


def love_or_hate(p: float) -> Floats:
    """Return the pmf of people who say 10 with probability p, else 0."""
    return at(11, {0: 1 - p, 10: p})


def with_ones(share: float, pmf: list[float]) -> Floats:
    """Return stars of which a share are ones."""
    return share * at(5, {0: 1.0}) + (1 - share) * np.array(pmf)
