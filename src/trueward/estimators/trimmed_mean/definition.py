"""The alpha-trimmed mean: the mean of what is left when each end loses a fraction alpha.

    cut = min(round(alpha n), floor((n - 1) / 2));    mean of x_(cut+1), …, x_(n-cut)

Withstands an alpha fraction of the rewards being anything at all, in every sample. Does not withstand more, and
does not see contamination that hides among the true rewards.

>>> float(trimmed_mean([0, 7, 8, 8, 8, 9, 9, 9, 10, 1e18], alpha=0.1))
8.5

The paper's pseudo-code keeps x_(cut), …, x_(n-cut) and so lets the smallest reward through: `literal=True`.
`rounding="ceil"` is the paper's and the default; `"floor"` is what its proof needs and what SciPy's `trim_mean` does.

Guarantee: with n rewards, sigma-sub-Gaussian, at most alpha of them contaminated, an error of at most
sigma / (1 - 2 alpha) (sqrt(4 ln t / n) + 4 alpha sqrt(6 ln t)) with probability 1 - 4 / t^2.

Reference: Niss & Tewari (2020), Algorithm 2 and Theorem 1. What was corrected: docs/reading-the-paper.md.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine import checks
from trueward.engine.kernel import Floats, ceil_edge, floor_edge, insert, kernel, reset
from trueward.estimators.base import Estimator
from trueward.estimators.samples.sorted_sample import SortedSample, place, slice_sum, sorted_sample


class TrimmedMemory(NamedTuple):
    """The sorted rewards, and what to cut."""

    sample: SortedSample
    alpha: float
    floor: bool
    literal: bool


@reset.register(TrimmedMemory)
def reset_trimmed(state: TrimmedMemory) -> None:
    """Forget all rewards."""
    reset(state.sample)


@kernel
def kept_ranks(n: int, alpha: float, floor: bool, literal: bool) -> tuple[int, int]:
    """Return (start, stop): the kept order statistics are x[start:stop], counted from 0."""
    cut = floor_edge(alpha * n) if floor else ceil_edge(alpha * n)
    if literal:
        start, stop = cut - 1, n - cut
        if cut == 0 or start >= stop:  # x_(0), or nothing left: the paper is silent, take all
            start, stop = 0, n
    else:
        start = min(cut, (n - 1) // 2)
        stop = n - start
    return start, stop


@insert.register(TrimmedMemory)
def insert_trimmed(memory: TrimmedMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the mean of the kept ranks, summed afresh."""
    n = place(memory.sample, arm, reward)
    start, stop = kept_ranks(n, memory.alpha, memory.floor, memory.literal)
    return slice_sum(memory.sample.values[arm], start, stop) / (stop - start)


@dataclass(frozen=True)
class TrimmedMean(Estimator):
    """The mean without the lowest and the highest alpha fraction; alpha in [0, 1/2)."""

    alpha: float
    _: KW_ONLY
    rounding: Literal["ceil", "floor"] = "ceil"
    literal: bool = False

    def __post_init__(self) -> None:
        checks.number("alpha", self.alpha, at_least=0, below=0.5)
        checks.one_of("rounding", self.rounding, ("ceil", "floor"))

    def _kept(self, n: int) -> tuple[int, int]:
        return kept_ranks(n, float(self.alpha), self.rounding == "floor", self.literal)

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the trimmed mean along an axis."""
        ordered = np.sort(checks.sample(x, axis), axis=-1)
        start, stop = self._kept(ordered.shape[-1])
        return np.asarray(ordered[..., start:stop].mean(axis=-1))

    def memory(self, n_arms: int, capacity: int) -> TrimmedMemory:
        """Return an empty memory."""
        return TrimmedMemory(sorted_sample(n_arms, capacity), float(self.alpha), self.rounding == "floor", self.literal)

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for what is kept; of equal rewards at the edge, the first come are cut."""
        order = np.argsort(checks.sample(x, -1), kind="stable")
        start, stop = self._kept(order.size)
        weights = np.zeros(order.size)
        weights[order[start:stop]] = 1.0 / (stop - start)
        return weights

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return which end each trimmed reward was cut from."""
        order = np.argsort(checks.sample(x, -1), kind="stable")
        n = order.size
        start, stop = self._kept(n)
        reasons = [""] * n
        for rank, i in enumerate(order):
            if rank < start:
                reasons[i] = f"among the lowest {start} of {n} (alpha = {self.alpha:g})"
            elif rank >= stop:
                reasons[i] = f"among the highest {n - stop} of {n} (alpha = {self.alpha:g})"
        return reasons

    @property
    def inflation(self) -> float:
        """1 / (1 - 2 alpha), Theorem 1."""
        return 1.0 / (1.0 - 2.0 * self.alpha)

    @property
    def bias(self) -> float:
        """4 alpha / (1 - 2 alpha), Theorem 1."""
        return 4.0 * self.alpha * self.inflation


def trimmed_mean(
    x: ArrayLike,
    alpha: float,
    *,
    axis: int = -1,
    rounding: Literal["ceil", "floor"] = "ceil",
    literal: bool = False,
) -> Floats:
    """Return the alpha-trimmed mean of `x` along an axis."""
    return TrimmedMean(alpha, rounding=rounding, literal=literal)(x, axis=axis)
