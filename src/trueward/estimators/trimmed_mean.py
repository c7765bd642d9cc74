"""The alpha-trimmed mean: the mean of what is left when each end loses a fraction alpha.

    cut = min(round(alpha n), floor((n - 1) / 2));    mean of x_(cut+1), …, x_(n-cut)

Withstands an alpha fraction of the rewards being anything at all, in every sample. Does not withstand more, and
does not see contamination that hides among the true rewards.

>>> float(trimmed_mean([0, 7, 8, 8, 8, 9, 9, 9, 10, 1e18], alpha=0.1))
8.5

The paper's pseudo-code keeps x_(cut), …, x_(n-cut) and so lets the smallest reward through: `literal=True`.
`rounding="ceil"` is the paper's and the default; `"floor"` is what its proof needs and what SciPy's `trim_mean` does.

A policy's memory takes rewards in one by one: `mean_of_ranks` counts them, or keeps them in order.

Guarantee: with n rewards, sigma-sub-Gaussian, at most alpha of them contaminated, an error of at most
sigma / (1 - 2 alpha) (sqrt(4 ln t / n) + 4 alpha sqrt(6 ln t)) with probability 1 - 4 / t^2.

Reference: Niss & Tewari (2020), Algorithm 2 and Theorem 1. What was corrected: docs/reading-the-paper.md.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.estimators.mean_of_ranks import Kept, MeanOfRanks, kept_ranks, ranks_of
from trueward.parameters import BelowHalf


@dataclass(frozen=True)
class TrimmedMean(MeanOfRanks):
    """The mean without the lowest and the highest alpha fraction; alpha in [0, 1/2)."""

    alpha: BelowHalf
    _: KW_ONLY
    rounding: Literal["ceil", "floor"] = "ceil"
    literal: bool = False

    @property
    def rule(self) -> Kept:
        """What is left when both ends are cut."""
        return Kept(float(self.alpha), self.rounding == "floor", self.literal, upper=False)

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return which end each trimmed reward was cut from."""
        ranks = ranks_of(x)
        n = ranks.size
        start, stop = kept_ranks(self.rule, n)
        low = f"among the lowest {start} of {n} (alpha = {self.alpha:g})"
        high = f"among the highest {n - stop} of {n} (alpha = {self.alpha:g})"
        return [low if rank < start else high if rank >= stop else "" for rank in ranks]

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
