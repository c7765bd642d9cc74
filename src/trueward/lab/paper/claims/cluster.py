"""The claims of figure 5, the front cluster; one about BARBAR, and one about numbers, which need no games."""

import math
from collections.abc import Iterator
from functools import partial

import numpy as np

from trueward.estimators.shorth_mean.shorth_mean import shorth_mean
from trueward.estimators.trimmed_mean import trimmed_mean
from trueward.lab.paper.claims.claim import Claim, claim
from trueward.lab.paper.claims.comparisons import ADVERSARIAL, OF_UNIFORM, OURS, SMALL, UCB_TYPES
from trueward.lab.paper.claims.findings import Compared, above, below, bounded_mean, mean
from trueward.lab.paper.claims.reading import CLEAN, CLUSTER, Reading, bernoulli

ALL = (*UCB_TYPES, *ADVERSARIAL)
CLUSTER_END, WINDOW = 100, 100  # rounds
HUGE = 1e300


@claim(
    "cluster-all-poor",
    "6, Figure 5",
    "when the first tenth of the rounds is contaminated, all algorithms do poorly",
    "regret divided by that of uniform play: the smallest of all seven algorithms",
    above(0.5),
    unit=OF_UNIFORM,
    note=OURS,
)
def _all_poor(reading: Reading) -> Iterator[Compared]:
    for policy in ALL:
        yield mean(reading.regret(policy, CLUSTER) / reading.uniform(CLUSTER)), policy


def recovers(reading: Reading, policy: str) -> Iterator[Compared]:
    """Give the regret per round in the last rounds minus that right after the cluster."""
    curve, horizon = reading.curve(policy, CLUSTER), reading.cell(CLUSTER).horizon
    late = (curve[horizon] - curve[horizon - WINDOW]) / WINDOW
    early = (curve[CLUSTER_END + WINDOW] - curve[CLUSTER_END]) / WINDOW
    bound = float(reading.cell(CLUSTER).arms.gaps.max())
    about = f"{early:.2f} per round in rounds 101 to 200, {late:.2f} in the last 100"
    yield bounded_mean(late - early, bound, reading.trials(policy, CLUSTER)), about


@claim(
    "cluster-harmful",
    "6, Figure 5",
    "the front cluster is harmful",
    "regret that it adds, divided by that of uniform play: the smallest of all seven algorithms",
    above(SMALL),
    unit=OF_UNIFORM,
    note=OURS,
)
def _harmful(reading: Reading) -> Iterator[Compared]:
    for policy in ALL:
        added = reading.regret(policy, CLUSTER) - reading.regret(policy, CLEAN)
        yield mean(added / reading.uniform(CLUSTER)), policy


@claim(
    "cluster-worse-than-spread",
    "6, Figures 1 and 5",
    "the front cluster harms more than as much contamination spread over the game (implied)",
    "regret under the cluster minus that under the Bernoulli adversary: the smallest of all seven algorithms",
    above(0),
)
def _worse_than_spread(reading: Reading) -> Iterator[Compared]:
    for policy in ALL:
        yield mean(reading.regret(policy, CLUSTER) - reading.regret(policy, bernoulli(0.1))), policy


@claim(
    "barbar-one-epoch",
    "6",
    "at T = 1000, BARBAR never leaves its first epoch, in which it plays at random",
    "length of the first epoch divided by the horizon",
    above(1, "above 1"),
    unit="horizons",
)
def _barbar_one_epoch(reading: Reading) -> Iterator[Compared]:
    cell = reading.cell(CLUSTER)
    arms, horizon = len(cell.arms.gaps), cell.horizon
    ratio = arms * barbar_lambda(arms, horizon, delta=1) / horizon
    yield (ratio, ratio, ratio), "exact, with the most favourable delta = 1; a smaller one makes it longer"


def barbar_lambda(arms: int, horizon: int, *, delta: float) -> float:
    """Return lambda of BARBAR: its first epoch has lambda rounds per arm (Gupta, Koren and Talwar 2019)."""
    return 1024 * math.log(8 * arms / delta * math.log2(horizon))


@claim(
    "numerically-stable",
    "7",
    "the algorithms are numerically stable",
    "error of the trimmed and the shorth mean when the allowed tenth of the rewards is 1e300 or -1e300",
    below(1e-9, "below 1e-9"),
    note="Of our implementation; the paper's was not at hand.",
)
def _numerically_stable(reading: Reading) -> Iterator[Compared]:
    reading.cell(CLEAN)  # judged with figure 1
    for bad in (HUGE, -HUGE):
        rewards = np.r_[np.full(10, bad), np.full(90, 8.0)]
        for name, estimator in (("trimmed mean", trimmed_mean), ("shorth mean", shorth_mean)):
            error = abs(float(estimator(rewards, alpha=0.1)) - 8)
            yield (error, error, error), f"{name}, rewards of {bad:g}"


SLOPE = "mean regret per round in the last 100 rounds minus that in rounds 101 to 200"
CONSERVATIVE = "The interval allows for the largest variance that regret per round can have."

CLUSTER_AND_OTHERS = (
    _all_poor,
    *(
        Claim(
            f"cluster-{name}-recovers",
            "6, Figure 5",
            f"{policy} recovers somewhat from the front cluster",
            SLOPE,
            below(0),
            partial(recovers, policy=policy),
            unit="points a round",
            note=CONSERVATIVE,
        )
        for name, policy in (("tsallis", "Tsallis-INF"), ("exp3pp", "EXP3++"))
    ),
    _harmful,
    _worse_than_spread,
    _barbar_one_epoch,
    _numerically_stable,
)
