"""The alpha-shorth mean."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.engine.states import Setting, new
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator, has_countable_scale
from trueward.estimators.samples.blocked_sample import new_blocked_sample
from trueward.estimators.samples.exact_sum import ExactSum
from trueward.estimators.samples.histogram import new_histogram
from trueward.estimators.shorth_mean.counted_shorth import CountedShorth
from trueward.estimators.shorth_mean.ordered_shorth import OrderedShorth
from trueward.estimators.shorth_mean.windows import TIES, Tie, window_size
from trueward.parameters import BelowHalf, check_sample


@dataclass(frozen=True)
class ShorthMean(Estimator):
    """The alpha-shorth mean: the mean of the shortest interval that contains a fraction 1 - alpha of the rewards.

        x_(1) <= … <= x_(n) are the sorted rewards;    h = n - floor(alpha n);    k* = argmin_k x_(k+h-1) - x_(k)
        mean of x_(k*), …, x_(k*+h-1)

    It withstands a fraction alpha of arbitrary rewards, and drops skewed contamination that a trimmed mean would keep.
    It does not withstand more, and on continuous rewards its interval converges only at rate n^(-1/3).

    Parameters
    ----------
    alpha : float
        Fraction of the rewards outside the interval, in [0, 1/2).
    tie : {"average", "random", "first", "middle"}, optional
        What to do if several intervals are equally short, which is common on a rating scale. "average", the default,
        takes the mean over all of them: the expectation of the random choice of Niss & Tewari (2020), without its
        noise. "random" is the paper's choice, "first" takes the lowest (biased low), and "middle" the one in the
        middle.
    literal : bool, optional
        Follow the paper's pseudo-code to the letter: whenever alpha n is a whole number, its interval has one reward
        too many and may include a contaminated one. Default: False.
    sharpened : bool, optional
        Use the smaller constants 1 / (1 - alpha) and 5 alpha / (1 - alpha) of docs/reading-the-paper.md for
        `inflation` and `bias`, instead of those of the paper's Theorem 2. Default: False.

    Notes
    -----
    Guarantee: in round t, with n sigma-sub-Gaussian rewards, of which at most a fraction alpha is contaminated, the
    error is at most sigma / (1 - alpha) (sqrt(4 ln t / n) + 5 alpha sqrt(6 ln t)) with probability 1 - 4 / t^2. These
    are the sharpened constants.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.ShorthMean(0.1)([0, 7, 8, 8, 8, 9, 9, 9, 10, 10]))
    8.666666666666666

    References
    ----------
    Niss & Tewari (2020), Algorithm 3 and Theorem 2. Corrections: docs/reading-the-paper.md.
    """

    alpha: BelowHalf
    _: KW_ONLY
    tie: Tie = "average"
    literal: bool = False
    sharpened: bool = False

    def _size(self, n: int) -> int:
        return window_size(n, float(self.alpha), self.literal)

    def _window_weights(self, ordered: Floats, rng: np.random.Generator | None = None) -> Floats:
        """Return the weight of each window of sorted samples (…, n): equal for the windows that count."""
        n = ordered.shape[-1]
        h = self._size(n)
        lengths = ordered[..., h - 1 :] - ordered[..., : n - h + 1]
        tied = lengths == lengths.min(axis=-1, keepdims=True)
        ties = tied.sum(axis=-1, keepdims=True)
        if self.tie == "average":
            return np.asarray(tied / ties)
        if self.tie == "random":
            if rng is None:
                raise ParameterError("rng must be a numpy.random.Generator if tie='random', got None")
            low = high = np.floor(rng.random(ties.shape) * ties)
        else:
            low, high = (ties - 1) // 2 * (self.tie != "first"), ties // 2 * (self.tie != "first")
        number = np.cumsum(tied, axis=-1) - 1
        counts = tied & (low <= number) & (number <= high)
        return np.asarray(counts / counts.sum(axis=-1, keepdims=True))

    def __call__(self, x: ArrayLike, *, axis: int = -1, rng: np.random.Generator | None = None) -> Floats:
        """Return the shorth mean along an axis; `rng` is needed when ties are broken at random."""
        ordered = np.sort(check_sample(x, axis), axis=-1)
        n = ordered.shape[-1]
        h = self._size(n)
        weights = self._window_weights(ordered, rng)
        shared = ordered[..., n - h : h].sum(axis=-1, keepdims=True)
        zero = np.zeros_like(shared)
        # Sum outwards, so that a reward of 1e18 spoils only the windows that contain it.
        lower = np.cumsum(ordered[..., : n - h][..., ::-1], axis=-1)[..., ::-1]
        upper = np.cumsum(ordered[..., h:], axis=-1)
        sums = shared + np.concatenate([lower, zero], axis=-1) + np.concatenate([zero, upper], axis=-1)
        return np.asarray((np.where(weights > 0, sums / h, 0.0) * weights).sum(axis=-1))

    def memory(self, setting: Setting) -> CountedShorth | OrderedShorth:
        parameters: dict[str, Any] = {
            "alpha": float(self.alpha),
            "tie_rule": TIES.index(self.tie),
            "literal": self.literal,
        }
        if has_countable_scale(setting):
            return CountedShorth(new_histogram(setting), **parameters)
        sums = {"shared": new(ExactSum, setting), "tail": new(ExactSum, setting)}
        axes = {"tail": math.ceil(self.alpha * setting.capacity) + 2}
        return new(OrderedShorth, setting, axes, sample=new_blocked_sample(setting), **sums, **parameters)

    def weights(self, x: ArrayLike) -> Floats:
        """Return the weight of each reward; with tie="random", its expectation over the tied windows."""
        sample = check_sample(x, -1)
        order = np.argsort(sample, kind="stable")
        n = order.size
        h = self._size(n)
        expected = ShorthMean(self.alpha, literal=self.literal) if self.tie == "random" else self
        weights = np.zeros(n)
        for k, weight in enumerate(expected._window_weights(sample[order])):
            weights[order[k : k + h]] += weight / h
        return weights

    def why_down_weighted(self, x: ArrayLike) -> list[str]:
        """Return which side of the shortest interval each trimmed reward lies on."""
        sample, weights = check_sample(x, -1), self.weights(x)
        kept = sample[weights > 0]
        size = self._size(sample.size)
        interval = f"the shortest interval with {size} of {sample.size} (alpha = {self.alpha:g})"
        sides = np.where(sample <= kept.min(), "below", "above")
        return [
            "" if weight > 0 else f"trimmed: {side} {interval}" for weight, side in zip(weights, sides, strict=True)
        ]

    @property
    def inflation(self) -> float:
        """1 / (1 - 2 alpha), Theorem 2; or 1 / (1 - alpha) if sharpened."""
        return 1.0 / (1.0 - self.alpha) if self.sharpened else 1.0 / (1.0 - 2.0 * self.alpha)

    @property
    def bias(self) -> float:
        """The factor of Theorem 2; or 5 alpha / (1 - alpha) if sharpened."""
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
    """Return the alpha-shorth mean of an array along an axis; see `ShorthMean`.

    Parameters
    ----------
    x : array_like
        Rewards.
    alpha : float
        Fraction of the rewards outside the shortest interval, in [0, 1/2).
    axis : int, optional
        Axis along which to average. Default: the last one.
    tie : {"average", "random", "first", "middle"}, optional
        What to do if several intervals are equally short. Default: "average".
    literal : bool, optional
        Follow the pseudo-code of Niss & Tewari (2020) to the letter. Default: False.
    rng : numpy.random.Generator, optional
        Source of randomness; needed if tie="random".

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.shorth_mean([0, 7, 8, 8, 8, 9, 9, 9, 10, 10], alpha=0.1))
    8.666666666666666

    References
    ----------
    Niss & Tewari (2020), Algorithm 3.
    """
    return ShorthMean(alpha, tie=tie, literal=literal)(x, axis=axis, rng=rng)
