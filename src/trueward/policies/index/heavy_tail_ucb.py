"""Robust UCB for heavy tails: the median of means, or Catoni's mean."""

import math
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import REWARDS, Setting, copy_of, kept, new, per_arm, scratch, single
from trueward.errors import ParameterError
from trueward.estimators.catoni_mean import catoni_root, catoni_scale
from trueward.estimators.estimator import has_countable_scale
from trueward.estimators.median_of_means import median_in_place, median_of_blocks
from trueward.estimators.samples.histogram import Histogram, count_rating, new_histogram
from trueward.parameters import Positive, above, at_most
from trueward.policies.index.index_policy import IndexPolicy, prepare, score
from trueward.policies.selection import forced_exploration_score


class HeavyTailUCBState(NamedTuple):
    """All rewards in the order observed, and the estimate of each arm at its last reward and at the last round."""

    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    latest: Annotated[Floats, per_arm(scratch)]  # in the last round; the next search for Catoni's root starts here
    blocks: Annotated[Ints, per_arm(scratch)]  # number of blocks of the latest median of means; 0 after a new reward
    histogram: Histogram  # of the same rewards, if they lie on a known scale; else without values
    ones: Annotated[Ints, single(1, REWARDS)]  # the count of each reward, without a histogram
    buffer: Annotated[Floats, single(scratch, REWARDS)]  # for sorting
    catoni: bool
    explore: bool  # whether the index is infinite below 4 L rewards
    moment: float  # v
    order: float  # e


@kernel
def update_median_of_means(state: HeavyTailUCBState, arm: int, log: float) -> None:
    """Compute the median of means of an arm, unless rewards and number of blocks are unchanged; `log` is L."""
    n = int(state.sizes[arm])
    blocks = max(1, int(min(1.0 + 8.0 * log, 0.5 * n)))
    if blocks != state.blocks[arm]:
        state.blocks[arm] = blocks
        state.latest[arm] = median_of_blocks(state.values[arm], n, blocks, state.buffer)


@kernel
def update_catoni_mean(state: HeavyTailUCBState, arm: int, log: float) -> None:
    """Compute Catoni's mean of an arm, or the median below 4 L rewards; `log` is L."""
    n = int(state.sizes[arm])
    if n >= 4.0 * log and log > 0.0:
        values, counts = state.values[arm, :n], state.ones[:n]
        if state.histogram.counts.shape[1] > 0:
            values, counts = state.histogram.values, state.histogram.counts[arm]
        start = float(state.latest[arm])
        state.latest[arm] = catoni_root(values, counts, catoni_scale(n, state.moment, log), start)
    else:
        for i in range(n):
            state.buffer[i] = state.values[arm, i]
        state.latest[arm] = median_in_place(state.buffer, n)


@kernel
def update_latest_estimate(state: HeavyTailUCBState, arm: int, t: int) -> None:
    """Compute the estimate of an arm at the confidence of round t."""
    if state.catoni:
        update_catoni_mean(state, arm, 2.0 * math.log(t))
    else:
        update_median_of_means(state, arm, 2.0 * math.log(t))


@kernel
def confidence_radius(state: HeavyTailUCBState, n: int, t: int) -> float:
    """Return the radius after n rewards in round t; powers are computed as logarithms, which cannot overflow."""
    log = 2.0 * math.log(t)
    if state.catoni:
        return math.inf if state.explore and n < 4.0 * log else 2.0 * math.sqrt(state.moment * log / n)
    power = 1.0 / (1.0 + state.order)
    logarithm = power * math.log(12.0 * state.moment) + (1.0 - power) * math.log(16.0 * (0.125 + log) / n)
    return exp(logarithm)


@prepare.register(HeavyTailUCBState)
def update_latest_estimates(state: HeavyTailUCBState, ask: Ask) -> None:
    """Compute the estimate of every arm at the confidence of this round."""
    for arm in range(state.sizes.size):
        if state.sizes[arm] > 0:
            update_latest_estimate(state, arm, ask.t)


@score.register(HeavyTailUCBState)
def heavy_tail_upper_bound(state: HeavyTailUCBState, ask: Ask, arm: int) -> float:
    """Return latest estimate + radius; pending rewards count in the radius."""
    if state.sizes[arm] == 0:
        return forced_exploration_score(ask, arm)
    return float(state.latest[arm] + confidence_radius(state, int(state.sizes[arm] + ask.pending[arm]), ask.t))


@update.register(HeavyTailUCBState)
def store_reward(state: HeavyTailUCBState, seen: Observation, rng: np.random.Generator) -> None:
    """Store the reward and recompute the estimate of its arm."""
    arm = seen.arm
    if state.sizes[arm] == 0:
        state.latest[arm] = seen.reward
    state.values[arm, state.sizes[arm]] = seen.reward
    state.sizes[arm] += 1
    if state.histogram.counts.shape[1] > 0:
        count_rating(state.histogram, arm, seen.reward)
    state.blocks[arm] = 0
    update_latest_estimate(state, arm, seen.t)
    state.estimate[arm] = state.latest[arm]


@dataclass(frozen=True)
class HeavyTailUCB(IndexPolicy):
    """Robust UCB for heavy tails: an upper confidence bound around the median of means, or around Catoni's mean.

        play argmax_a  mean_a(t) + radius(N_a, t),    both at confidence delta = 1 / t^2,  L = 2 ln t

        median-of-means:  min(8 (1/8 + L), N / 2) blocks,  radius (12 v)^(1/(1+e)) (16 (1/8 + L) / N)^(e/(1+e))
        catoni:           e = 1,                           radius 2 sqrt(v L / N),  for N >= 4 L

    It needs E|X - mu|^(1 + e) <= v and assumes nothing else about the rewards. Heavy tails are not contamination: the
    median of means breaks as soon as half of its blocks contain a bad reward, and Catoni's mean only dampens bad
    rewards. The policy is here for comparison.

    Parameters
    ----------
    mean : {"median-of-means", "catoni"}
        The estimator of an arm's mean.
    moment : float
        The bound v on E|X - mu|^(1 + order); for order 1, on the variance.
    order : float
        The exponent e in (0, 1]. Catoni's mean needs 1.
    early : {"median", "explore"}
        What to do for Catoni's mean below 4 L rewards, where it has no bound: use the median with the same radius, or
        an infinite index.

    Notes
    -----
    Guarantee: without contamination, the regret is at most sum_a 2 c (v / gap_a)^(1/e) ln T + 5 gap_a, with
    c = 32 12^(1/e) for the median of means and c = 4 for Catoni's mean with early="explore".

    The confidence of Catoni's mean changes every round, so a round costs O(n) for each arm; on a scale of m values,
    rewards are counted, and it costs O(m). The median of means costs O(n) only for the arm that was played and when the
    number of blocks changes.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.HeavyTailUCB("catoni", moment=1.0, early="explore")
    >>> state = policy.start(n_arms=2)
    >>> for _ in range(40):
    ...     update(state, make_observation(0, 5.0, n_arms=2, t=100), np.random.default_rng(0))
    >>> policy.indices(state, make_ask(100, 2)).round(4).tolist()  # 5 + 2 sqrt(2 ln 100 / 40)
    [5.9597, inf]

    References
    ----------
    Bubeck, Cesa-Bianchi & Lugosi (2013), Bandits with heavy tail, Lemmas 2 and 3, for all constants. New in
    trueward: the median for an arm with few rewards.
    """

    mean: Literal["median-of-means", "catoni"]
    _: KW_ONLY
    moment: Positive
    order: Annotated[float, above(0), at_most(1)] = 1.0
    early: Literal["median", "explore"] = "median"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mean == "catoni" and self.order != 1:
            raise ParameterError(f"order must be 1, a bounded variance, for Catoni's mean, got {self.order!r}")

    def state(self, setting: Setting) -> HeavyTailUCBState:
        counts = self.mean == "catoni" and has_countable_scale(setting)
        return new(
            HeavyTailUCBState,
            setting,
            histogram=new_histogram(setting if counts else replace(setting, scale=None)),
            catoni=self.mean == "catoni",
            explore=self.early == "explore",
            moment=float(self.moment),
            order=float(self.order),
        )

    def estimates(self, state: HeavyTailUCBState) -> Floats:
        """Return the estimates, each at the confidence of the round of its arm's last reward."""
        return np.where(state.sizes > 0, state.estimate, np.nan)

    def indices(self, state: HeavyTailUCBState, ask: Ask) -> Floats:
        """Return the upper confidence bounds, computed on a copy so that the search for Catoni's root is unaffected."""
        return super().indices(copy_of(state), ask)
