"""The base class of all estimators of an arm's mean."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, State
from trueward.engine.states import Setting
from trueward.parameters import Checked

MAX_COUNTED_VALUES = 128  # on a larger scale, scanning the counts costs more than keeping the rewards in order


@dataclass(frozen=True)
class Estimator(Checked, ABC):
    """An estimator of location, with the constants that CrUCB's confidence radius needs.

    It works in two ways, with the same result. Called on an array, it returns the estimate along an axis. For a
    policy, `memory` returns a state that takes in rewards one by one: `insert(memory, arm, reward, rng)` adds a reward
    and returns the arm's new estimate.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import insert
    >>> from trueward.engine.states import Setting
    >>> estimator = tw.Median()
    >>> float(estimator([1, 2, 6]))
    2.0
    >>> memory, rng = estimator.memory(Setting(1)), np.random.default_rng(0)
    >>> [float(insert(memory, 0, reward, rng)) for reward in (1.0, 2.0, 6.0)]
    [1.0, 1.5, 2.0]
    """

    example: ClassVar[str] = "TrimmedMean(0.1)"

    @abstractmethod
    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the estimate along an axis of `x`."""

    @abstractmethod
    def memory(self, setting: Setting) -> State:
        """Return an empty memory: counts if all rewards lie on a small known scale, else one for any rewards."""

    @abstractmethod
    def weights(self, x: ArrayLike) -> Floats:
        """Return the weight of each observation of a sample in the estimate, in the order of the sample."""

    def why_down_weighted(self, x: ArrayLike) -> list[str]:
        """Return, for each observation of a sample, how and why its weight was reduced, or "" if it was not.

        For example "trimmed: among the lowest 1 of 10".
        """
        return [""] * np.size(np.asarray(x))

    @property
    def inflation(self) -> float:
        """The factor on the confidence radius of the mean; 1 if nothing is trimmed."""
        return 1.0

    @property
    def bias(self) -> float:
        """The factor on sigma sqrt(6 ln t) that contamination adds to the radius."""
        return 0.0


def has_countable_scale(setting: Setting) -> bool:
    """Return whether rewards lie on a known scale that is small enough to count them."""
    return setting.scale is not None and 0 < setting.scale.size <= MAX_COUNTED_VALUES
