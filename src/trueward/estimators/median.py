"""The median."""

from dataclasses import dataclass
from typing import Literal

from trueward.estimators.trimmed_mean import Trimming, TrimmingEstimator


@dataclass(frozen=True)
class Median(TrimmingEstimator):
    """The median: the middle reward, or the mean of the two in the middle.

    It withstands any contamination of just under half of the rewards. On a rating scale it is a whole or half number,
    so arms whose means differ by less than a point can look the same; `GroupedMedian` tells them apart.

    `CrUCB(Median(), …)` is RUCB-MAB.

    Parameters
    ----------
    even : {"average", "upper"}, optional
        What to return for an even number of rewards: the mean of the two in the middle, the default, or the upper one,
        as in the code by the authors of RUCB-MAB.

    Examples
    --------
    >>> import trueward as tw
    >>> float(tw.Median()([1, 2, 6, 1e18]))
    4.0
    >>> float(tw.Median(even="upper")([1, 2, 6, 1e18]))
    6.0

    References
    ----------
    Kapoor, Patel & Kar (2019), Corruption-tolerant bandit learning, Machine Learning 108.
    """

    even: Literal["average", "upper"] = "average"

    @property
    def trimming(self) -> Trimming:
        return Trimming(alpha=0.5, floor=False, literal=False, upper=self.even == "upper")
