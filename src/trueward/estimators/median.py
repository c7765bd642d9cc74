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
from typing import Literal

from trueward.estimators.mean_of_ranks import Kept, MeanOfRanks


@dataclass(frozen=True)
class Median(MeanOfRanks):
    """The median; of an even number of rewards, the mean of the two middle ones or the upper."""

    even: Literal["average", "upper"] = "average"

    @property
    def rule(self) -> Kept:
        """The middle rank, or both: all others are cut."""
        return Kept(alpha=0.5, floor=False, literal=False, upper=self.even == "upper")
