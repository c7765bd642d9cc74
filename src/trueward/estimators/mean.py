"""The sample mean."""

from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import insert
from trueward.engine.states import Setting, new, per_arm
from trueward.estimators.estimator import Estimator
from trueward.parameters import check_sample


class MeanMemory(NamedTuple):
    """The number and the mean of each arm's rewards."""

    sizes: Annotated[Ints, per_arm(0)]
    mean: Annotated[Floats, per_arm(0.0)]


@insert.register(MeanMemory)
def insert_mean(memory: MeanMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Move the mean towards the reward. Unlike a sum, the mean cannot overflow with rewards of 1e300."""
    memory.sizes[arm] += 1
    memory.mean[arm] += (reward - memory.mean[arm]) / memory.sizes[arm]
    return float(memory.mean[arm])


def means_of(memory: MeanMemory) -> Floats:
    """Return the mean of each arm; NaN for an arm without rewards."""
    return np.where(memory.sizes > 0, memory.mean, np.nan)


@dataclass(frozen=True)
class Mean(Estimator):
    """The sample mean: efficient, but a single bad reward can move it anywhere.

        mean(x) = (x_1 + … + x_n) / n

    It withstands no contamination. It is the estimator of UCB1, and the one that robust estimators are compared with.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.Mean()([1, 2, 6]))
    3.0

    References
    ----------
    Auer, Cesa-Bianchi & Fischer (2002), Finite-time analysis of the multiarmed bandit problem, for UCB1.
    """

    def __call__(self, x: ArrayLike, *, axis: int = -1) -> Floats:
        return np.asarray(check_sample(x, axis).mean(axis=-1))

    def memory(self, setting: Setting) -> MeanMemory:
        return new(MeanMemory, setting)

    def weights(self, x: ArrayLike) -> Floats:
        n = check_sample(x, -1).size
        return np.full(n, 1.0 / n)
