"""Which memory serves an estimator best: counts on a declared scale, cursors in order for any rewards.

The memory in an estimator's own file is the plain form, in which its definition can be read, and what the fast ones are
tested against. An estimator without a fast form, a user's own for example, keeps its own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, State
from trueward.estimators.base import Estimator
from trueward.estimators.grouped_median.definition import GroupedMedian
from trueward.estimators.huber_mean.counted import CountedHuber
from trueward.estimators.huber_mean.definition import HuberMean
from trueward.estimators.mean import Mean
from trueward.estimators.median.counted import CountedGroupedMedian, CountedMedian
from trueward.estimators.median.definition import Median
from trueward.estimators.median.ordered import OrderedMedian
from trueward.estimators.samples.blocked_sample import blocked_sample
from trueward.estimators.samples.histogram import histogram
from trueward.estimators.shorth_mean.counted import CountedShorth
from trueward.estimators.shorth_mean.definition import TIES, ShorthMean
from trueward.estimators.shorth_mean.ordered import ordered_shorth
from trueward.estimators.trimmed_mean.counted import CountedTrimmed
from trueward.estimators.trimmed_mean.definition import TrimmedMean
from trueward.estimators.trimmed_mean.ordered import ordered_trimmed

LARGEST_SCALE = 128  # values; beyond, going through the counts costs more than keeping order

ORDERED: dict[type[Estimator], Callable[[Any, int, int], State]] = {
    Median: lambda e, n_arms, capacity: OrderedMedian(blocked_sample(n_arms, capacity), e.even == "upper"),
    TrimmedMean: lambda e, n_arms, capacity: ordered_trimmed(
        n_arms, capacity, float(e.alpha), floor=e.rounding == "floor", literal=e.literal
    ),
    ShorthMean: lambda e, n_arms, capacity: ordered_shorth(
        n_arms, capacity, float(e.alpha), tie=TIES.index(e.tie), literal=e.literal
    ),
}

COUNTED: dict[type[Estimator], Callable[[Any, int, Floats], State]] = {
    Mean: lambda e, n_arms, _: e.memory(n_arms, 0),
    Median: lambda e, n_arms, scale: CountedMedian(histogram(n_arms, scale), e.even == "upper"),
    GroupedMedian: lambda e, n_arms, scale: CountedGroupedMedian(histogram(n_arms, scale), float(e.width)),
    HuberMean: lambda e, n_arms, scale: CountedHuber(histogram(n_arms, scale), float(e.beta)),
    TrimmedMean: lambda e, n_arms, scale: CountedTrimmed(
        histogram(n_arms, scale), float(e.alpha), e.rounding == "floor", e.literal
    ),
    ShorthMean: lambda e, n_arms, scale: CountedShorth(
        histogram(n_arms, scale), float(e.alpha), TIES.index(e.tie), e.literal
    ),
}


def remember(estimator: Estimator, n_arms: int, capacity: int) -> State:
    """Return the memory that serves an estimator best."""
    build = ORDERED.get(type(estimator))
    return estimator.memory(n_arms, capacity) if build is None else build(estimator, n_arms, capacity)


@dataclass(frozen=True, eq=False)
class OnScale(Estimator):
    """An estimator of ratings that are known to lie on a scale."""

    estimator: Estimator
    scale: Floats

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the estimate along an axis of `x`."""
        return self.estimator(x, axis=axis)

    def memory(self, n_arms: int, capacity: int) -> State:  # noqa: ARG002 - counts need no room for rewards
        """Return empty counts."""
        return COUNTED[type(self.estimator)](self.estimator, n_arms, self.scale)

    def weights(self, x: ArrayLike) -> Floats:
        """Return how much each observation counts."""
        return self.estimator.weights(x)

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return why each observation was trimmed."""
        return self.estimator.why_trimmed(x)

    @property
    def inflation(self) -> float:
        """The estimator's."""
        return self.estimator.inflation

    @property
    def bias(self) -> float:
        """The estimator's."""
        return self.estimator.bias


def on_scale(estimator: Estimator, scale: Floats) -> Estimator:
    """Return an estimator that counts, if it can and the scale is small enough; else the same one."""
    by_order = isinstance(estimator, HuberMean) and estimator.sequential
    countable = type(estimator) in COUNTED and not by_order and 0 < scale.size <= LARGEST_SCALE
    return OnScale(estimator, np.asarray(scale, dtype=np.float64)) if countable else estimator
