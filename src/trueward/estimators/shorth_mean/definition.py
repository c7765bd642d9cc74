"""The alpha-shorth mean: the mean of the shortest interval that holds a fraction 1 - alpha of the rewards.

    h = n - floor(alpha n);    k* = argmin_k x_(k+h-1) - x_(k);    mean of x_(k*), …, x_(k*+h-1)

Withstands an alpha fraction of the rewards being anything at all, and drops skewed contamination that a trimmed
mean would keep. Does not withstand more; and on continuous rewards its interval settles only at rate n^(-1/3).

>>> float(shorth_mean([0, 7, 8, 8, 8, 9, 9, 9, 10, 10], alpha=0.1))
8.666666666666666

On a rating scale many intervals are equally short. `tie="average"` takes the mean over all of them (the
expectation of the paper's random choice, without its noise); `"random"` is the paper's, `"first"` the lowest (biased
low), `"midmost"` the middle one of them. The paper's pseudo-code takes one point too many whenever alpha n is a whole
number, and lets a bad reward in: `literal=True`.

Guarantee: with n rewards, sigma-sub-Gaussian, at most alpha of them contaminated, an error of at most
sigma / (1 - alpha) (sqrt(4 ln t / n) + 5 alpha sqrt(6 ln t)) with probability 1 - 4 / t^2.

Reference: Niss & Tewari (2020), Algorithm 3 and Theorem 2; `sharpened=True` uses the smaller constants 1/(1 - alpha)
and 5 alpha/(1 - alpha) of docs/reading-the-paper.md.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine import checks
from trueward.engine.kernel import Floats, ceil_edge, floor_edge, insert, kernel, reset
from trueward.errors import ParameterError
from trueward.estimators.base import Estimator
from trueward.estimators.samples.sorted_sample import SortedSample, place, slice_sum, sorted_sample

Tie = Literal["average", "random", "first", "midmost"]
TIES: tuple[Tie, ...] = ("average", "random", "first", "midmost")
AVERAGE, RANDOM, FIRST, MIDMOST = range(4)


class ShorthMemory(NamedTuple):
    """The sorted rewards, the fraction to drop, and which of equally short windows to take."""

    sample: SortedSample
    alpha: float
    tie: int
    literal: bool


@reset.register(ShorthMemory)
def reset_shorth(state: ShorthMemory) -> None:
    """Forget all rewards."""
    reset(state.sample)


@kernel
def window_size(n: int, alpha: float, literal: bool) -> int:
    """Return how many order statistics a window holds; more than half of them, so that windows overlap."""
    if literal:
        return min(n, n - ceil_edge(alpha * n) + 1)  # floor((1 - alpha) n) + 1, the paper is silent past n
    return max(n - floor_edge(alpha * n), n // 2 + 1)


@kernel
def tied_range(ties: int, tie: int, rng: np.random.Generator) -> tuple[int, int]:
    """Return (first, last): which of the tied windows, numbered from 0, count in the estimate."""
    if tie == AVERAGE:
        return 0, ties - 1
    if tie == FIRST:
        return 0, 0
    if tie == MIDMOST:
        return (ties - 1) // 2, ties // 2
    picked = int(rng.random() * ties) if ties > 1 else 0
    return picked, picked


@kernel
def shorth_of_sorted(values: Floats, n: int, h: int, tie: int, rng: np.random.Generator) -> float:
    """Return the mean of the shortest window of h among n sorted values, averaged over the tied ones.

    All windows share the ranks n-h … h-1. The two tails are summed outwards from there, so that a window's sum
    never holds, not even for a moment, a value outside of it: one of 1e18 cannot disturb the others.
    """
    spare = n - h
    shortest = values[h - 1] - values[0]
    ties = 0
    for k in range(spare + 1):
        length = values[k + h - 1] - values[k]
        if length < shortest:
            shortest = length
            ties = 0
        if length == shortest:
            ties += 1
    first, last = tied_range(ties, tie, rng)
    picked = last - first + 1

    total = slice_sum(values, spare, h)
    estimate = total / h
    upper, number = 0.0, 0
    for k in range(spare + 1):  # window k reaches k values past the shared ranks: ranks h … h+k-1
        if k > 0:
            upper += values[h + k - 1]
        if values[k + h - 1] - values[k] == shortest:
            if first <= number <= last:
                estimate += upper / h / picked
            if number == last:
                break
            number += 1
    lower, number = 0.0, ties - 1
    for k in range(spare, -1, -1):  # and starts spare - k values before them: ranks k … spare-1
        if k < spare:
            lower += values[k]
        if values[k + h - 1] - values[k] == shortest:
            if first <= number <= last:
                estimate += lower / h / picked
            if number == first:
                break
            number -= 1
    return estimate


@insert.register(ShorthMemory)
def insert_shorth(memory: ShorthMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the shorth mean; a random tie is drawn once, here."""
    n = place(memory.sample, arm, reward)
    h = window_size(n, memory.alpha, memory.literal)
    return shorth_of_sorted(memory.sample.values[arm], n, h, memory.tie, rng)


@dataclass(frozen=True)
class ShorthMean(Estimator):
    """The mean of the shortest interval with a fraction 1 - alpha of the rewards; alpha in [0, 1/2)."""

    alpha: float
    _: KW_ONLY
    tie: Tie = "average"
    literal: bool = False
    sharpened: bool = False

    def __post_init__(self) -> None:
        checks.number("alpha", self.alpha, at_least=0, below=0.5)
        checks.one_of("tie", self.tie, TIES)

    def window_weights(self, ordered: Floats, rng: np.random.Generator | None = None) -> Floats:
        """Return the weight of each window of sorted samples (…, n): equal on those that count."""
        n = ordered.shape[-1]
        h = window_size(n, float(self.alpha), self.literal)
        lengths = ordered[..., h - 1 :] - ordered[..., : n - h + 1]
        tied = lengths == lengths.min(axis=-1, keepdims=True)
        ties = tied.sum(axis=-1, keepdims=True)
        if self.tie == "average":
            return np.asarray(tied / ties)
        if self.tie == "random":
            if rng is None:
                raise ParameterError("rng must be given with tie='random', got None")
            low = high = np.floor(rng.random(ties.shape) * ties)
        else:
            low, high = (ties - 1) // 2 * (self.tie != "first"), ties // 2 * (self.tie != "first")
        number = np.cumsum(tied, axis=-1) - 1
        counts = tied & (low <= number) & (number <= high)
        return np.asarray(counts / counts.sum(axis=-1, keepdims=True))

    def __call__(self, x: ArrayLike, *, axis: int = -1, rng: np.random.Generator | None = None) -> Floats:
        """Return the shorth mean along an axis; `rng` is needed when ties are broken at random."""
        ordered = np.sort(checks.sample(x, axis), axis=-1)
        n = ordered.shape[-1]
        h = window_size(n, float(self.alpha), self.literal)
        weights = self.window_weights(ordered, rng)
        shared = ordered[..., n - h : h].sum(axis=-1, keepdims=True)
        zero = np.zeros_like(shared)
        lower = np.cumsum(ordered[..., : n - h][..., ::-1], axis=-1)[..., ::-1]  # outwards, as in the kernel
        upper = np.cumsum(ordered[..., h:], axis=-1)
        sums = shared + np.concatenate([lower, zero], axis=-1) + np.concatenate([zero, upper], axis=-1)
        return np.asarray((np.where(weights > 0, sums / h, 0.0) * weights).sum(axis=-1))

    def memory(self, n_arms: int, capacity: int) -> ShorthMemory:
        """Return an empty memory."""
        return ShorthMemory(sorted_sample(n_arms, capacity), float(self.alpha), TIES.index(self.tie), self.literal)

    def weights(self, x: ArrayLike) -> Floats:
        """Return each reward's share; with tie="random", its expectation over the tied windows."""
        sample = checks.sample(x, -1)
        order = np.argsort(sample, kind="stable")
        n = order.size
        h = window_size(n, float(self.alpha), self.literal)
        expected = ShorthMean(self.alpha, literal=self.literal) if self.tie == "random" else self
        weights = np.zeros(n)
        for k, weight in enumerate(expected.window_weights(sample[order])):
            weights[order[k : k + h]] += weight / h
        return weights

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return which side of the shortest interval each trimmed reward lies on."""
        sample, weights = checks.sample(x, -1), self.weights(x)
        kept = sample[weights > 0]
        size = window_size(sample.size, float(self.alpha), self.literal)
        interval = f"the shortest interval with {size} of {sample.size} (alpha = {self.alpha:g})"
        sides = np.where(sample <= kept.min(), "below", "above")
        return ["" if weight > 0 else f"{side} {interval}" for weight, side in zip(weights, sides, strict=True)]

    @property
    def inflation(self) -> float:
        """1 / (1 - 2 alpha), Theorem 2; or 1 / (1 - alpha), sharpened."""
        return 1.0 / (1.0 - self.alpha) if self.sharpened else 1.0 / (1.0 - 2.0 * self.alpha)

    @property
    def bias(self) -> float:
        """The factor of Theorem 2, or 5 alpha / (1 - alpha), sharpened."""
        if self.sharpened:
            return 5.0 * self.alpha * self.inflation
        return (6.0 * self.alpha - 8.0 * self.alpha * self.alpha) * self.inflation / (1.0 - self.alpha)


def shorth_mean(
    x: ArrayLike,
    alpha: float,
    *,
    axis: int = -1,
    tie: Tie = "average",
    literal: bool = False,
    rng: np.random.Generator | None = None,
) -> Floats:
    """Return the alpha-shorth mean of `x` along an axis."""
    return ShorthMean(alpha, tie=tie, literal=literal)(x, axis=axis, rng=rng)
