"""What every estimator of an arm's mean offers: a value for an array, and a memory that a policy holds."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, State
from trueward.engine.states import Setting
from trueward.parameters import Checked

LARGEST_SCALE = 128  # values; beyond, going through the counts costs more than keeping order


@dataclass(frozen=True)
class Estimator(Checked, ABC):
    """A location estimator, with the constants that crUCB needs of it."""

    example: ClassVar[str] = "TrimmedMean(0.1)"

    @abstractmethod
    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the estimate along an axis of `x`."""

    @abstractmethod
    def memory(self, setting: Setting) -> State:
        """Return an empty memory: counts, where all rewards lie on a known scale; else one for any rewards."""

    @abstractmethod
    def weights(self, x: ArrayLike) -> Floats:
        """Return how much each observation counts in the estimate of a sample, in the sample's order."""

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return, for each observation of a sample, why it was trimmed, or an empty string: by default, none was."""
        return [""] * np.size(np.asarray(x))

    @property
    def inflation(self) -> float:
        """The factor on the confidence radius of the mean; 1 where nothing is trimmed."""
        return 1.0

    @property
    def bias(self) -> float:
        """The factor on sigma * sqrt(6 ln t) that contamination adds to the radius."""
        return 0.0


def countable(setting: Setting) -> bool:
    """Return whether rewards lie on a known scale, small enough to count them."""
    return setting.scale is not None and 0 < setting.scale.size <= LARGEST_SCALE
