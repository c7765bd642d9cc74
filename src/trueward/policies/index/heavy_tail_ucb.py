"""Robust UCB for heavy tails: an upper confidence bound around the median of means, or around Catoni's mean.

    play argmax_a  mean_a(t) + radius(N_a, t),    both at confidence delta = 1 / t^2,  L = 2 ln t

    median-of-means:  min(8 (1/8 + L), N / 2) blocks,  radius (12 v)^(1/(1+e)) (16 (1/8 + L) / N)^(e/(1+e))
    catoni:           e = 1,                           radius 2 sqrt(v L / N),  for N >= 4 L

It needs E|X - mu|^(1 + e) <= v and nothing else of the rewards. Heavy tails are not contamination: with the median of
means, half as many bad rewards as there are blocks break it, and Catoni's mean only damps them. It is here for
comparison. Catoni's mean has no bound below 4 L rewards: there `early="median"` takes the median with the same radius,
and `early="explore"` an infinite index.

>>> policy = HeavyTailUCB("catoni", moment=1.0, early="explore")
>>> state = policy.start(2, horizon=None, capacity=40)
>>> for _ in range(40):
...     update(state, 100, 0, 5.0, np.random.default_rng(0))
>>> policy.indices(state, 100).round(4).tolist()  # 5 + 2 sqrt(2 ln 100 / 40)
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
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, exp, kernel, reset, update
from trueward.errors import ParameterError
from trueward.estimators.catoni_mean import catoni_root, catoni_scale
from trueward.estimators.median_of_means import median_in_place, median_of_blocks
from trueward.estimators.memories import LARGEST_SCALE
from trueward.estimators.samples.histogram import Histogram, histogram, tally
from trueward.policies.base import CountingPolicy, restrict
from trueward.policies.choosing import best_of, ties_of


class HeavyTailState(NamedTuple):
    """All rewards as they came, and the estimates of the last round."""

    sizes: Ints  # (arms,)
    values: Floats  # (arms, capacity)
    estimate: Floats  # (arms,) infinite for an arm not yet pulled
    blocks: Ints  # (arms,) with which the median of means was taken; 0 if there is a new reward
    upper: Floats  # (arms,) the index of the round under way
    counted: Histogram  # the same rewards, if they lie on a known scale; else without values
    once: Ints  # (1, capacity) that each reward counts once, where none are counted
    room: Floats  # (1, capacity) to sort in
    catoni: bool
    explore: bool
    moment: float
    order: float


@reset.register(HeavyTailState)
def reset_heavy_tail(state: HeavyTailState) -> None:
    """Forget all rewards."""
    state.sizes[:] = 0
    reset(state.counted)
    state.estimate[:] = math.inf
    state.blocks[:] = 0


@kernel
def estimate_blocks(state: HeavyTailState, arm: int, log: float) -> None:
    """Take the median of means of an arm, if anything has changed."""
    n = int(state.sizes[arm])
    blocks = max(1, int(min(1.0 + 8.0 * log, 0.5 * n)))
    if blocks != state.blocks[arm]:
        state.blocks[arm] = blocks
        state.estimate[arm] = median_of_blocks(state.values[arm], n, blocks, state.room[0])


@kernel
def estimate_catoni(state: HeavyTailState, arm: int, log: float) -> None:
    """Take Catoni's mean of an arm, or the median of a few rewards."""
    n = int(state.sizes[arm])
    if n >= 4.0 * log and log > 0.0:
        values, times = state.values[arm, :n], state.once[0, :n]
        if state.counted.counts.shape[1] > 0:
            values, times = state.counted.values[0], state.counted.counts[arm]
        start = float(state.estimate[arm])  # finite: it was the median before
        state.estimate[arm] = catoni_root(values, times, catoni_scale(n, state.moment, log), start)
    else:
        for i in range(n):
            state.room[0, i] = state.values[arm, i]
        state.estimate[arm] = median_in_place(state.room[0], n)


@kernel
def estimate_at(state: HeavyTailState, arm: int, t: int) -> None:
    """Bring the estimate of an arm to the confidence of round t."""
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


@kernel
def index_at(state: HeavyTailState, t: int) -> None:
    """Fill in the index of each arm."""
    for arm in range(state.sizes.size):
        state.upper[arm] = math.inf
        if state.sizes[arm] > 0:
            estimate_at(state, arm, t)
            state.upper[arm] = state.estimate[arm] + radius_at(state, int(state.sizes[arm]), t)


@choose.register(HeavyTailState)
def choose_heavy_tail(state: HeavyTailState, t: int, rng: np.random.Generator) -> int:
    """Play the highest index."""
    index_at(state, t)
    return best_of(state.upper, rng)


@update.register(HeavyTailState)
def update_heavy_tail(state: HeavyTailState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Remember the reward."""
    if state.sizes[arm] == 0:
        state.estimate[arm] = reward
    state.values[arm, state.sizes[arm]] = reward
    state.sizes[arm] += 1
    if state.counted.counts.shape[1] > 0:
        tally(state.counted, arm, reward)
    state.blocks[arm] = 0
    estimate_at(state, arm, t)


@dataclass(frozen=True)
class HeavyTailUCB(CountingPolicy):
    """Plays the highest mean + radius, for rewards with E|X - mu|^(1 + order) <= moment."""

    mean: Literal["median-of-means", "catoni"]
    _: KW_ONLY
    moment: float
    order: float = 1.0
    early: Literal["median", "explore"] = "median"

    def __post_init__(self) -> None:
        checks.one_of("mean", self.mean, ("median-of-means", "catoni"))
        checks.number("moment", self.moment, above=0)
        checks.number("order", self.order, above=0, at_most=1)
        checks.one_of("early", self.early, ("median", "explore"))
        if self.mean == "catoni" and self.order != 1:
            raise ParameterError(f"order must be 1, a bounded variance, for Catoni's mean, got {self.order!r}")

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> HeavyTailState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        countable = self.mean == "catoni" and self.known_scale.size <= LARGEST_SCALE
        return HeavyTailState(
            np.zeros(n_arms, np.int64),
            np.zeros((n_arms, capacity)),
            np.full(n_arms, math.inf),
            np.zeros(n_arms, np.int64),
            np.zeros(n_arms),
            histogram(n_arms, self.known_scale if countable else np.zeros(0)),
            np.ones((1, capacity), np.int64),
            np.zeros((1, capacity)),
            self.mean == "catoni",
            self.early == "explore",
            float(self.moment),
            float(self.order),
        )

    def estimates(self, state: HeavyTailState) -> Floats:
        """Return the means of the last round."""
        return np.where(state.sizes > 0, state.estimate, np.nan)

    def indices(self, state: HeavyTailState, t: int) -> Floats:
        """Return the upper confidence bound of each arm."""
        copy = restrict(state, np.arange(state.sizes.size))
        index_at(copy, t)
        return np.asarray(copy.upper)

    def probabilities(self, state: HeavyTailState, t: int) -> Floats:
        """Return 1 for the highest index, or equal shares of those that tie."""
        return ties_of(self.indices(state, t))
