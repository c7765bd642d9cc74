"""What every estimator of an arm's mean offers: a value for an array, and a memory that a policy holds."""

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, State


@dataclass(frozen=True)
class Estimator(ABC):
    """A location estimator, with the constants that crUCB needs of it."""

    @abstractmethod
    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the estimate along an axis of `x`."""

    @abstractmethod
    def memory(self, n_arms: int, capacity: int) -> State:
        """Return an empty memory, in its plainest form, for up to `capacity` rewards of each arm."""

    @abstractmethod
    def weights(self, x: ArrayLike) -> Floats:
        """Return how much each observation counts in the estimate of a sample, in the sample's order."""

    @abstractmethod
    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return, for each observation of a sample, why it was trimmed, or an empty string."""

    @property
    def inflation(self) -> float:
        """The factor on the confidence radius of the mean; 1 where nothing is trimmed."""
        return 1.0

    @property
    def bias(self) -> float:
        """The factor on sigma * sqrt(6 ln t) that contamination adds to the radius."""
        return 0.0


def nothing_trimmed(x: ArrayLike) -> list[str]:
    """Return the reasons of an estimator that trims nothing."""
    return [""] * np.size(np.asarray(x))
