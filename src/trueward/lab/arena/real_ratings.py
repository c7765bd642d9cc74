"""Ratings that people really gave, and laws like theirs: wide, heaped at the ends, close together.

Groups of five university lecturers and of five items of a questionnaire (`arms.ratings`); stars that lean to five;
ratings from 0 to 10 among them zeros that are meant; ratings that scatter more than binomial ones. What doubt costs
among honest or careless people is one group of scenarios, what trust costs under malice the other.
"""

from collections.abc import Iterator
from math import comb, exp, lgamma

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.bernoulli_adversary import BernoulliAdversary
from trueward.adversaries.careless_participants import CarelessParticipants
from trueward.adversaries.front_cluster import FrontCluster
from trueward.adversaries.none import NoAdversary
from trueward.arms.arms import Arms
from trueward.arms.categorical import CategoricalArms
from trueward.arms.ratings import SOURCES, rating_groups
from trueward.lab.arena.field import Scale
from trueward.lab.arena.scenario import A, Scenario, W

SHARE = 0.1  # of the ratings that are bad under attack, and of the rounds at the front


def overdispersed(means: list[float], *, rho: float, top: int = 10) -> CategoricalArms:
    """Return beta-binomial ratings from 0 to `top`: `rho` is the correlation between the points of a rating."""
    strength = 1 / rho - 1
    pairs = [(mean / top * strength, (1 - mean / top) * strength) for mean in means]
    laws = [
        [comb(top, k) * exp(_log_beta(k + a, top - k + b) - _log_beta(a, b)) for k in range(top + 1)] for a, b in pairs
    ]
    return CategoricalArms(values=range(top + 1), counts=laws)


def _log_beta(a: float, b: float) -> float:
    return lgamma(a) + lgamma(b) - lgamma(a + b)


LIKED = [0.04, 0.01, 0.01, 0.01, 0.02, 0.03, 0.05, 0.13, 0.20, 0.20, 0.30]
HATED_BY_SOME = [0.20, 0.02, 0.01, 0.01, 0.01, 0.02, 0.03, 0.10, 0.15, 0.15, 0.30]
ZEROS = CategoricalArms(values=range(11), probabilities=[LIKED, HATED_BY_SOME, HATED_BY_SOME])
STARS = CategoricalArms(
    values=[1, 2, 3, 4, 5],
    probabilities=[[0.08, 0.05, 0.12, 0.30, 0.45], [0, 0.02, 0.13, 0.50, 0.35], [0.1, 0.1, 0.2, 0.35, 0.25]],
)
OVERDISPERSED = overdispersed([8, 7, 7, 7, 7], rho=0.2)

ARMS: dict[str, Arms] = {
    **{f"{source} {i}": arms for source in SOURCES for i, arms in enumerate(rating_groups(source, 6), 1)},
    "stars": STARS,
    "honest zeros": ZEROS,
    "overdispersed": OVERDISPERSED,
}
CLASS = CarelessParticipants("university class")
ATTACKS = {"A": BernoulliAdversary(SHARE, A), "W": BernoulliAdversary(SHARE, W), "front W": FrontCluster(SHARE, W)}
ATTACKED = {
    "A": ("lecturers 1", "lecturers 4", "items 2", "items 5"),
    "W": ("lecturers 2", "lecturers 5", "items 3", "items 6", "stars", "honest zeros", "overdispersed"),
    "front W": ("lecturers 3", "lecturers 6", "items 1", "items 4", "overdispersed"),
}
CARELESS = ("lecturers 1", "lecturers 2", "items 1", "items 2", "honest zeros")
QUICK = (
    "real ratings: lecturers 1",
    "real ratings: items 1",
    "real ratings: class, lecturers 2",
    "real, attacked: A, items 2",
    "real, attacked: W, lecturers 2",
    "real, attacked: front W, items 1",
)


def real_scenarios() -> Iterator[Scenario]:
    """Give all arms as they are, some of them with careless raters, and all but a few under one attack or another."""
    for name in ARMS:
        yield _scenario("real ratings", name, name, NoAdversary(), None)
    for name in CARELESS:
        yield _scenario("real ratings", f"class, {name}", name, CLASS, CLASS.constraint)
    for attack, names in ATTACKED.items():
        for name in names:
            yield _scenario("real, attacked", f"{attack}, {name}", name, ATTACKS[attack], SHARE)


def _scenario(group: str, label: str, arms: str, adversary: Adversary, epsilon: float | None) -> Scenario:
    scale: Scale = "quick" if f"{group}: {label}" in QUICK else "full"
    return Scenario(group, label, ARMS[arms], adversary, 1000, epsilon, scale)
