"""Huber's mean: rewards within beta count as in a mean, those beyond pull with the same force however far they are.

    the theta with  sum_i psi(x_i - theta) = 0,    psi(u) = max(-beta, min(beta, u))

A small beta comes close to the median, a large one to the mean; beta = 2 sigma loses 1 % of the mean's efficiency on
normal rewards. Withstands just under half of the rewards being anything at all, and a fraction e of them moves it by
about beta e / (1 - e): less than beta, but more than nothing. If the rewards fall apart into two halves more than
2 beta apart, every theta between them is a root, and the middle is taken.

>>> round(float(huber_mean([0, 6, 7, 8, 8, 8, 9, 9, 9, 9, 9, 9, 9, 9, 10, 10, 10, 10, 10, 10], beta=2)), 6)
8.833333

The left side is piecewise linear and falls. The rewards whose knots x_i - beta and x_i + beta lie left of the root are
found by bisection over the sorted rewards, and between two knots the root has a closed form: it is exact, whatever the
other rewards are. A reward costs O(m log n) with m rewards within beta of the estimate, and O(m log m) on a scale of m
ratings, which are counted. `sequential=True` solves only when the number of rewards is a power of two and takes one
Newton step in between, from running sums: O(log n) on average, but the estimate then depends on the order of the
rewards.

Guarantee: with a fraction epsilon contaminated, an error of order sigma sqrt(ln(1/delta) / n) + beta epsilon with
probability 1 - delta, for rewards of finite variance, around the root of E psi(Y - theta) = 0.

Reference: Huber (1964), Robust estimation of a location parameter; Basu, Maillard & Mathieu (2022), Bandits corrupted
by nature, for the bandit and the sequential form. The middle of several roots and the bisection are ours.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, insert, kernel, reset
from trueward.estimators.base import Estimator
from trueward.estimators.samples.sorted_sample import SortedSample, count_below, place, sorted_sample


class HuberMemory(NamedTuple):
    """The sorted rewards."""

    sample: SortedSample
    beta: float


class SequentialHuberMemory(NamedTuple):
    """The rewards as they came, and the sums around the last full solution."""

    sizes: Ints  # (arms,)
    values: Floats  # (arms, capacity)
    base: Floats  # (arms,) the solution when the number of rewards last was a power of two
    pull: Floats  # (arms,) sum of psi(x - base)
    inside: Ints  # (arms,) rewards within beta of base
    beta: float


@reset.register(HuberMemory)
def reset_huber(state: HuberMemory) -> None:
    """Forget all rewards."""
    reset(state.sample)


@reset.register(SequentialHuberMemory)
def reset_sequential_huber(state: SequentialHuberMemory) -> None:
    """Forget all rewards."""
    state.sizes[:] = 0


@kernel
def pull_at(values: Floats, n: int, beta: float, theta: float) -> float:
    """Return the sum of psi(x - theta): only rewards within beta are added, the others are counted."""
    first = count_below(values, n, theta - beta)
    total, last = 0.0, first
    while last < n and values[last] <= theta + beta:
        total += values[last] - theta
        last += 1
    return total + beta * (n - last - first)


@kernel
def knots_left_of_the_root(values: Floats, n: int, beta: float, shift: float) -> int:
    """Return for how many rewards the knot x + shift lies left of the root."""
    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if pull_at(values, n, beta, values[middle] + shift) > 0.0:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def huber_root(values: Floats, n: int, beta: float) -> float:
    """Return Huber's mean of n sorted values."""
    below, above = values[(n - 1) // 2], values[n // 2]
    entered = knots_left_of_the_root(values, n, beta, -beta)
    left = knots_left_of_the_root(values, n, beta, beta)
    # Two halves apart, or a beta so small that adding it to such rewards changes nothing: the median is a root.
    if above - below >= 2.0 * beta or entered <= left:
        return float(0.5 * below + 0.5 * above)
    anchor = float(values[left])  # differences only: rewards of 1e300 do not add up
    total = beta * (n - entered - left)
    for i in range(left, entered):
        total += values[i] - anchor
    return anchor + total / (entered - left)


@insert.register(HuberMemory)
def insert_huber(memory: HuberMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the root."""
    n = place(memory.sample, arm, reward)
    return huber_root(memory.sample.values[arm], n, memory.beta)


@kernel
def add_around_base(memory: SequentialHuberMemory, arm: int, reward: float) -> None:
    """Add a reward to the sums."""
    distance = reward - memory.base[arm]
    memory.pull[arm] += max(-memory.beta, min(memory.beta, distance))
    memory.inside[arm] += abs(distance) <= memory.beta


@insert.register(SequentialHuberMemory)
def insert_sequential_huber(memory: SequentialHuberMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward; solve afresh at powers of two, else take one Newton step from the last solution."""
    n = int(memory.sizes[arm]) + 1
    memory.sizes[arm] = n
    memory.values[arm, n - 1] = reward
    if n & (n - 1) == 0:
        memory.base[arm] = huber_root(np.sort(memory.values[arm, :n]), n, memory.beta)
        memory.pull[arm] = 0.0
        memory.inside[arm] = 0
        for i in range(n):
            add_around_base(memory, arm, memory.values[arm, i])
        return float(memory.base[arm])
    add_around_base(memory, arm, reward)
    return float(memory.base[arm] + memory.pull[arm] / max(memory.inside[arm], 1))


@dataclass(frozen=True)
class HuberMean(Estimator):
    """The root of sum_i psi(x_i - theta) = 0, psi clipped at beta; `sequential` for the cheap form."""

    beta: float
    _: KW_ONLY
    sequential: bool = False

    def __post_init__(self) -> None:
        checks.number("beta", self.beta, above=0)

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return Huber's mean along an axis; the sequential form takes the rewards in the order given."""
        estimate = self._in_order if self.sequential else self._exact
        return np.asarray(np.apply_along_axis(estimate, -1, checks.sample(x, axis)))

    def _exact(self, x: Floats) -> float:
        return huber_root(np.sort(x), x.size, float(self.beta))

    def _in_order(self, x: Floats) -> float:
        memory, rng = self.memory(1, x.size), np.random.default_rng(0)  # not drawn from
        return [insert(memory, 0, float(reward), rng) for reward in x][-1]

    def memory(self, n_arms: int, capacity: int) -> HuberMemory | SequentialHuberMemory:
        """Return an empty memory."""
        if not self.sequential:
            return HuberMemory(sorted_sample(n_arms, capacity), float(self.beta))
        sizes, inside = np.zeros((2, n_arms), np.int64)
        base, pull = np.zeros((2, n_arms))
        return SequentialHuberMemory(sizes, np.zeros((n_arms, capacity)), base, pull, inside, float(self.beta))

    def weights(self, x: ArrayLike) -> Floats:
        """Return weights that fall with the distance beyond beta; the exact root is their weighted mean."""
        rewards = checks.sample(x, -1)
        distance = np.abs(rewards - self(rewards))
        weights = self.beta / np.maximum(distance, self.beta)
        return np.asarray(weights / weights.sum())

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return which rewards were held back."""
        rewards = checks.sample(x, -1)
        beyond = np.abs(rewards - self(rewards)) > self.beta
        return [f"more than beta = {self.beta:g} away: held back" if far else "" for far in beyond]


def huber_mean(x: ArrayLike, beta: float, *, axis: int = -1) -> Floats:
    """Return Huber's mean of `x` along an axis."""
    return HuberMean(beta)(x, axis=axis)
