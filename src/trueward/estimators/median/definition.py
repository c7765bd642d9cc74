"""The median: the middle reward, or the mean of the two middle ones.

Withstands just under half of the rewards being anything at all. On a rating scale it is a whole number, so that
arms whose means differ by less than a point may look the same: see `GroupedMedian`.

With `CrUCB` it gives RUCB-MAB. The authors' own code takes the upper of two middle rewards: `even="upper"`.

>>> float(Median()([1, 2, 6, 1e18]))
4.0
>>> float(Median(even="upper")([1, 2, 6, 1e18]))
6.0

Reference: Kapoor, Patel & Kar (2019), Corruption-tolerant bandit learning, Machine Learning 108.
"""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine import checks
from trueward.engine.kernel import Floats, insert, reset
from trueward.estimators.base import Estimator, nothing_trimmed
from trueward.estimators.samples.sorted_sample import SortedSample, place, sorted_sample


class MedianMemory(NamedTuple):
    """The sorted rewards, and which middle one counts."""

    sample: SortedSample
    upper: bool


@reset.register(MedianMemory)
def reset_median(state: MedianMemory) -> None:
    """Forget all rewards."""
    reset(state.sample)


@insert.register(MedianMemory)
def insert_median(memory: MedianMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the median."""
    n = place(memory.sample, arm, reward)
    high = float(memory.sample.values[arm, n // 2])
    low = high if memory.upper else float(memory.sample.values[arm, (n - 1) // 2])
    return 0.5 * low + 0.5 * high


@dataclass(frozen=True)
class Median(Estimator):
    """The median; of an even number of rewards, the mean of the two middle ones or the upper."""

    even: Literal["average", "upper"] = "average"

    def __post_init__(self) -> None:
        checks.one_of("even", self.even, ("average", "upper"))

    def _middle(self, n: int) -> list[int]:
        return sorted({n // 2 if self.even == "upper" else (n - 1) // 2, n // 2})

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        """Return the median along an axis."""
        ordered = np.sort(checks.sample(x, axis), axis=-1)
        return np.asarray(ordered[..., self._middle(ordered.shape[-1])].mean(axis=-1))

    def memory(self, n_arms: int, capacity: int) -> MedianMemory:
        """Return an empty memory."""
        return MedianMemory(sorted_sample(n_arms, capacity), self.even == "upper")

    def weights(self, x: ArrayLike) -> Floats:
        """Return the weight of the middle reward or rewards."""
        order = np.argsort(checks.sample(x, -1), kind="stable")
        middle = self._middle(order.size)
        weights = np.zeros(order.size)
        weights[order[middle]] = 1.0 / len(middle)
        return weights

    def why_trimmed(self, x: ArrayLike) -> list[str]:
        """Return no reasons: every reward counts, by its rank alone."""
        return nothing_trimmed(x)
