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

from trueward.engine.states import Setting
from trueward.estimators.base import countable
from trueward.estimators.mean_of_ranks import MeanOfRanks
from trueward.estimators.median.counted import CountedMedian
from trueward.estimators.median.ordered import OrderedMedian
from trueward.estimators.samples.blocked_sample import blocked_sample
from trueward.estimators.samples.histogram import histogram


@dataclass(frozen=True)
class Median(MeanOfRanks):
    """The median; of an even number of rewards, the mean of the two middle ones or the upper."""

    even: Literal["average", "upper"] = "average"

    def kept(self, n: int) -> tuple[int, int]:
        """Return the middle rank, or both."""
        return n // 2 if self.even == "upper" else (n - 1) // 2, n // 2 + 1

    def memory(self, setting: Setting) -> CountedMedian | OrderedMedian:
        """Return an empty memory."""
        if countable(setting):
            return CountedMedian(histogram(setting), self.even == "upper")
        return OrderedMedian(blocked_sample(setting), self.even == "upper")
