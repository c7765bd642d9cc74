"""Scenarios with ratings that people gave, and with similar distributions: wide, heaped at the ends, close together.

The arms are groups of five university lecturers and of five questionnaire items (`arms.ratings`), stars that lean
towards five, ratings from 0 to 10 with honest zeros, and ratings that vary more than binomial ones. One group of
scenarios shows what doubt costs among honest or careless people, the other what trust costs under attack.
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
from trueward.lab.arena.field import Size
from trueward.lab.arena.scenario import A, Scenario, W

SHARE = 0.1  # of contaminated ratings under attack, and of the rounds in a front cluster


def overdispersed(means: list[float], *, rho: float, top: int = 10) -> CategoricalArms:
    """Return beta-binomial ratings from 0 to `top`; `rho` is the correlation between the points of a rating."""
    strength = 1 / rho - 1
    pairs = [(mean / top * strength, (1 - mean / top) * strength) for mean in means]
    pmfs = [
        [comb(top, k) * exp(_log_beta(k + a, top - k + b) - _log_beta(a, b)) for k in range(top + 1)] for a, b in pairs
    ]
    return CategoricalArms(values=range(top + 1), counts=pmfs)


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
    """Yield all arms without contamination, some with careless raters, and most under an attack."""
    for name in ARMS:
        yield _scenario("real ratings", name, name, NoAdversary(), None)
    for name in CARELESS:
        yield _scenario("real ratings", f"class, {name}", name, CLASS, CLASS.constraint)
    for attack, names in ATTACKED.items():
        for name in names:
            yield _scenario("real, attacked", f"{attack}, {name}", name, ATTACKS[attack], SHARE)


def _scenario(group: str, label: str, arms: str, adversary: Adversary, epsilon: float | None) -> Scenario:
    size: Size = "quick" if f"{group}: {label}" in QUICK else "full"
    return Scenario(group, label, ARMS[arms], adversary, 1000, epsilon, size)
