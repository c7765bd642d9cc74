"""The family of estimators that are the mean of some of the middle ranks: which, depends on their number alone."""

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.engine import checks
from trueward.engine.kernel import Floats
from trueward.estimators.base import Estimator


@dataclass(frozen=True)
class MeanOfRanks(Estimator):
    """The mean of the order statistics x[start:stop]."""

    @abstractmethod
    def kept(self, n: int) -> tuple[int, int]:
        """Return (start, stop) for n rewards, counted from 0."""

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the mean of the kept ranks along an axis."""
        ordered = np.sort(checks.sample(x, axis), axis=-1)
        start, stop = self.kept(ordered.shape[-1])
        return np.asarray(ordered[..., start:stop].mean(axis=-1))

    def weights(self, x: ArrayLike) -> Floats:
        """Return equal weights for what is kept; of equal rewards at the edge, the first come are cut."""
        ranks = ranks_of(x)
        start, stop = self.kept(ranks.size)
        return np.where((start <= ranks) & (ranks < stop), 1.0 / (stop - start), 0.0)


def ranks_of(x: ArrayLike) -> NDArray[np.intp]:
    """Return the rank of each observation of a sample, counted from 0; of equal ones, the first come is the lowest."""
    return np.argsort(np.argsort(checks.sample(x, -1), kind="stable"))
