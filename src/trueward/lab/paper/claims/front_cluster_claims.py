"""The claims of figure 5, the front cluster; one about BARBAR and one about overflow, which need no games."""

import math
from collections.abc import Iterator

import numpy as np
import polars as pl

from trueward.estimators.shorth_mean.shorth_mean import shorth_mean
from trueward.estimators.trimmed_mean import trimmed_mean
from trueward.lab.paper.claims.claim import (
    ADVERSARIAL,
    ARMS,
    HORIZON,
    OF_UNIFORM,
    OWN_THRESHOLD,
    SMALL,
    UCB_TYPES,
    Claim,
    Comparison,
    above,
    below,
    claim,
    regret,
    uniform_regret,
)
from trueward.lab.paper.estimates import bounded_mean, exactly, mean
from trueward.lab.paper.readings import BERNOULLI_SETTINGS, CLEAN, CLUSTER

ALL = (*UCB_TYPES, *ADVERSARIAL)
SPREAD = BERNOULLI_SETTINGS[1]  # as much contamination, spread over the game
CLUSTER_END, WINDOW = 100, 100  # rounds
HUGE = 1e300


@claim(
    "cluster-all-poor",
    "6, Figure 5",
    "when the first tenth of the rounds is contaminated, all algorithms do poorly",
    "regret divided by that of uniform play: the smallest of all seven algorithms",
    above(0.5),
    policies=ALL,
    settings=(CLUSTER,),
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
)
def all_poor(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy in ALL:
        yield Comparison(policy, mean(regret(games, policy, CLUSTER) / uniform_regret(games, CLUSTER)))


def recovers(curves: pl.DataFrame) -> Iterator[Comparison]:
    """Compare the regret per round at the end with that right after the cluster."""
    curve = dict(curves.select("round", "mean").iter_rows())
    late = (curve[HORIZON] - curve[HORIZON - WINDOW]) / WINDOW
    early = (curve[CLUSTER_END + WINDOW] - curve[CLUSTER_END]) / WINDOW
    slopes = f"{early:.2f} per round in rounds 101 to 200, {late:.2f} in the last 100"
    yield Comparison(slopes, bounded_mean(late - early, float(ARMS.gaps.max()), curves["trials"][0]))


@claim(
    "cluster-harmful",
    "6, Figure 5",
    "the front cluster is harmful",
    "regret that it adds, divided by that of uniform play: the smallest of all seven algorithms",
    above(SMALL),
    policies=ALL,
    settings=(CLEAN, CLUSTER),
    unit=OF_UNIFORM,
    note=OWN_THRESHOLD,
)
def harmful(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy in ALL:
        added = regret(games, policy, CLUSTER) - regret(games, policy, CLEAN)
        yield Comparison(policy, mean(added / uniform_regret(games, CLUSTER)))


@claim(
    "cluster-worse-than-spread",
    "6, Figures 1 and 5",
    "the front cluster harms more than as much contamination spread over the game (implied)",
    "regret under the cluster minus that under the Bernoulli adversary: the smallest of all seven algorithms",
    above(0),
    policies=ALL,
    settings=(SPREAD, CLUSTER),
)
def worse_than_spread(games: pl.DataFrame) -> Iterator[Comparison]:
    for policy in ALL:
        yield Comparison(policy, mean(regret(games, policy, CLUSTER) - regret(games, policy, SPREAD)))


@claim(
    "barbar-one-epoch",
    "6",
    "at T = 1000, BARBAR never leaves its first epoch, in which it plays at random",
    "length of the first epoch divided by the horizon",
    above(1, "above 1"),
    settings=(CLUSTER,),
    unit="horizons",
)
def barbar_one_epoch(_: pl.DataFrame) -> Iterator[Comparison]:
    arms = len(ARMS.gaps)
    ratio = arms * barbar_lambda(arms, HORIZON, delta=1) / HORIZON
    yield Comparison("exact, with the most favourable delta = 1; a smaller one makes it longer", exactly(ratio))


def barbar_lambda(arms: int, horizon: int, *, delta: float) -> float:
    """Return lambda of BARBAR: its first epoch has lambda rounds per arm (Gupta, Koren and Talwar 2019)."""
    return 1024 * math.log(8 * arms / delta * math.log2(horizon))


@claim(
    "numerically-stable",
    "7",
    "the algorithms are numerically stable",
    "error of the trimmed and the shorth mean when the allowed tenth of the rewards is 1e300 or -1e300",
    below(1e-9, "below 1e-9"),
    settings=(CLEAN,),
    note="This is about our implementation; we do not have the paper's.",
)
def numerically_stable(_: pl.DataFrame) -> Iterator[Comparison]:
    for bad in (HUGE, -HUGE):
        rewards = np.r_[np.full(10, bad), np.full(90, 8.0)]
        for name, estimator in (("trimmed mean", trimmed_mean), ("shorth mean", shorth_mean)):
            error = abs(float(estimator(rewards, alpha=0.1)) - 8)
            yield Comparison(f"{name}, rewards of {bad:g}", exactly(error))


CLUSTER_CLAIMS = (
    all_poor,
    *(
        Claim(
            f"cluster-{name}-recovers",
            "6, Figure 5",
            f"{policy} recovers somewhat from the front cluster",
            "mean regret per round in the last 100 rounds minus that in rounds 101 to 200",
            below(0),
            recovers,
            policies=(policy,),
            settings=(CLUSTER,),
            table="curves",
            unit="points a round",
            note="The interval allows for the largest variance that regret per round can have.",
        )
        for name, policy in (("tsallis", "Tsallis-INF"), ("exp3pp", "EXP3++"))
    ),
    harmful,
    worse_than_spread,
    barbar_one_epoch,
    numerically_stable,
)
