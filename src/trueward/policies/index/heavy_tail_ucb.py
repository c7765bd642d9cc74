"""Robust UCB for heavy tails: an upper confidence bound around the median of means, or around Catoni's mean.

    play argmax_a  mean_a(t) + radius(N_a, t),    both at confidence delta = 1 / t^2,  L = 2 ln t

    median-of-means:  min(8 (1/8 + L), N / 2) blocks,  radius (12 v)^(1/(1+e)) (16 (1/8 + L) / N)^(e/(1+e))
    catoni:           e = 1,                           radius 2 sqrt(v L / N),  for N >= 4 L

It needs E|X - mu|^(1 + e) <= v and nothing else of the rewards. Heavy tails are not contamination: with the median of
means, half as many bad rewards as there are blocks break it, and Catoni's mean only damps them. It is here for
comparison. Catoni's mean has no bound below 4 L rewards: there `early="median"` takes the median with the same radius,
and `early="explore"` an infinite index.

>>> from trueward.engine.protocol import make_ask, make_observation
>>> policy = HeavyTailUCB("catoni", moment=1.0, early="explore")
>>> state = policy.start(2)
>>> for _ in range(40):
...     update(state, make_observation(0, 5.0, n_arms=2, t=100), np.random.default_rng(0))
>>> policy.indices(state, make_ask(100, 2)).round(4).tolist()  # 5 + 2 sqrt(2 ln 100 / 40)
[5.9597, inf]

A round costs O(n) for each arm with Catoni's mean, whose confidence changes every round; ratings on a scale of m values
are counted, and then it costs O(m). With the median of means it costs O(n) only when the number of blocks changes, and
for the arm that was played.

Guarantee: a regret of at most sum_a 2 c (v / gap_a)^(1/e) ln T + 5 gap_a, without contamination, with c = 32 12^(1/e)
for the median of means and c = 4 for Catoni's mean (with `early="explore"`).

Reference: Bubeck, Cesa-Bianchi & Lugosi (2013), Bandits with heavy tail, Lemmas 2 and 3, for all constants. Ours: the
median for an arm with few rewards.
"""

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import REWARDS, Setting, copy_of, kept, new, per_arm, scratch, single
from trueward.errors import ParameterError
from trueward.estimators.catoni_mean import catoni_root, catoni_scale
from trueward.estimators.estimator import countable
from trueward.estimators.median_of_means import median_in_place, median_of_blocks
from trueward.estimators.samples.histogram import Histogram, histogram, tally
from trueward.parameters import Positive, above, at_most
from trueward.policies.index.index_policy import IndexPolicy, prepare, score
from trueward.policies.selection import forced_exploration_score


class HeavyTailState(NamedTuple):
    """All rewards as they came, and the estimates: at the last reward of each arm, and at the last ask."""

    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    latest: Annotated[Floats, per_arm(scratch)]  # at the last ask or reward: Catoni's next root is sought from here
    blocks: Annotated[Ints, per_arm(scratch)]  # with which its median was taken; 0 if there is a new reward
    counted: Histogram  # the same rewards, if they lie on a known scale; else without values
    once: Annotated[Ints, single(1, REWARDS)]  # that each reward counts once, where none are counted
    room: Annotated[Floats, single(scratch, REWARDS)]  # to sort in
    catoni: bool
    explore: bool
    moment: float
    order: float


@kernel
def estimate_blocks(state: HeavyTailState, arm: int, log: float) -> None:
    """Take the median of means of an arm, if anything has changed."""
    n = int(state.sizes[arm])
    blocks = max(1, int(min(1.0 + 8.0 * log, 0.5 * n)))
    if blocks != state.blocks[arm]:
        state.blocks[arm] = blocks
        state.latest[arm] = median_of_blocks(state.values[arm], n, blocks, state.room)


@kernel
def estimate_catoni(state: HeavyTailState, arm: int, log: float) -> None:
    """Take Catoni's mean of an arm, or the median of a few rewards."""
    n = int(state.sizes[arm])
    if n >= 4.0 * log and log > 0.0:
        values, times = state.values[arm, :n], state.once[:n]
        if state.counted.counts.shape[1] > 0:
            values, times = state.counted.values, state.counted.counts[arm]
        start = float(state.latest[arm])
        state.latest[arm] = catoni_root(values, times, catoni_scale(n, state.moment, log), start)
    else:
        for i in range(n):
            state.room[i] = state.values[arm, i]
        state.latest[arm] = median_in_place(state.room, n)


@kernel
def estimate_at(state: HeavyTailState, arm: int, t: int) -> None:
    """Bring the latest estimate of an arm to the confidence of round t."""
    if state.catoni:
        estimate_catoni(state, arm, 2.0 * math.log(t))
    else:
        estimate_blocks(state, arm, 2.0 * math.log(t))


@kernel
def radius_at(state: HeavyTailState, n: int, t: int) -> float:
    """Return the radius of n rewards in round t."""
    log = 2.0 * math.log(t)
    if state.catoni:
        return math.inf if state.explore and n < 4.0 * log else 2.0 * math.sqrt(state.moment * log / n)
    power = 1.0 / (1.0 + state.order)
    logarithm = power * math.log(12.0 * state.moment) + (1.0 - power) * math.log(16.0 * (0.125 + log) / n)
    return exp(logarithm)


@prepare.register(HeavyTailState)
def estimate_all(state: HeavyTailState, ask: Ask) -> None:
    """Bring the latest estimate of every arm to the confidence of the round."""
    for arm in range(state.sizes.size):
        if state.sizes[arm] > 0:
            estimate_at(state, arm, ask.t)


@score.register(HeavyTailState)
def upper_bound(state: HeavyTailState, ask: Ask, arm: int) -> float:
    """Return the upper confidence bound of an arm."""
    if state.sizes[arm] == 0:
        return forced_exploration_score(ask, arm)
    return float(state.latest[arm] + radius_at(state, int(state.sizes[arm] + ask.pending[arm]), ask.t))


@update.register(HeavyTailState)
def remember(state: HeavyTailState, seen: Observation, rng: np.random.Generator) -> None:
    """Remember the reward, and estimate its arm anew."""
    arm = seen.arm
    if state.sizes[arm] == 0:
        state.latest[arm] = seen.reward
    state.values[arm, state.sizes[arm]] = seen.reward
    state.sizes[arm] += 1
    if state.counted.counts.shape[1] > 0:
        tally(state.counted, arm, seen.reward)
    state.blocks[arm] = 0
    estimate_at(state, arm, seen.t)
    state.estimate[arm] = state.latest[arm]


@dataclass(frozen=True)
class HeavyTailUCB(IndexPolicy):
    """Plays the highest mean + radius, for rewards with E|X - mu|^(1 + order) <= moment."""

    mean: Literal["median-of-means", "catoni"]
    _: KW_ONLY
    moment: Positive
    order: Annotated[float, above(0), at_most(1)] = 1.0
    early: Literal["median", "explore"] = "median"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mean == "catoni" and self.order != 1:
            raise ParameterError(f"order must be 1, a bounded variance, for Catoni's mean, got {self.order!r}")

    def state(self, setting: Setting) -> HeavyTailState:
        counts = self.mean == "catoni" and countable(setting)
        return new(
            HeavyTailState,
            setting,
            counted=histogram(setting if counts else replace(setting, scale=None)),
            catoni=self.mean == "catoni",
            explore=self.early == "explore",
            moment=float(self.moment),
            order=float(self.order),
        )

    def estimates(self, state: HeavyTailState) -> Floats:
        """Return the means, each at the confidence of its arm's last reward."""
        return np.where(state.sizes > 0, state.estimate, np.nan)

    def indices(self, state: HeavyTailState, ask: Ask) -> Floats:
        """Return the upper confidence bound of each arm, computed on a copy: the next root is not sought from here."""
        return super().indices(copy_of(state), ask)
