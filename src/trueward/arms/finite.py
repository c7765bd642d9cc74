"""Arms with rewards on a finite scale."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, kernel
from trueward.engine.protocol import draw

# random bits that select a cell: the tables of five arms just fit into the L1 cache, and few cells contain a step
BITS = 10
CELLS = 1 << BITS
RANDOM_BITS = 53  # in a uniform number
REWARDS_PER_NUMBER = RANDOM_BITS // BITS
ALL_BITS = float(1 << RANDOM_BITS)


class FiniteDistribution(NamedTuple):
    """The distribution functions of all arms on one scale, with a guide table for drawing by inversion.

    The guide table (after Chen & Asau 1974) divides the unit interval into cells. In most cells the distribution
    function has no step, so the cell alone determines the reward. That takes ten random bits, so that one uniform
    number, which has 53, serves five rewards. In the few cells with a step, another uniform number gives the position
    inside the cell. So the distribution is exact, even for probabilities far below one cell.
    """

    values: Floats  # (values,) increasing
    cdf: Floats  # (arms, values); the last column is 1
    reward: Floats  # (arms, CELLS) the reward, or NaN if the distribution function has a step inside the cell
    first_index: Ints  # (arms, CELLS) the index of the lowest possible value in the cell


@draw.register(FiniteDistribution)
def draw_finite(distribution: FiniteDistribution, table: Floats, rng: np.random.Generator) -> None:
    bits, left = 0, 0
    for t in range(table.shape[0]):
        for arm in range(table.shape[1]):
            if left == 0:
                bits, left = int(rng.random() * ALL_BITS), REWARDS_PER_NUMBER
            cell = bits & (CELLS - 1)
            bits >>= BITS
            left -= 1
            reward = distribution.reward[arm, cell]
            if reward != reward:  # NaN
                reward = draw_in_cell(distribution, arm, cell, rng.random())
            table[t, arm] = reward


@kernel
def draw_in_cell(distribution: FiniteDistribution, arm: int, cell: int, position: float) -> float:
    """Return the reward at a position in [0, 1) inside a cell; the comparison has no rounding error."""
    i = distribution.first_index[arm, cell]
    while position >= distribution.cdf[arm, i] * CELLS - cell:
        i += 1
    return float(distribution.values[i])


@dataclass(frozen=True, eq=False)
class FiniteArms(Arms):
    """Arms with probabilities on a common finite scale; rewards are drawn by inverting each distribution function."""

    @property
    @abstractmethod
    def scale(self) -> Floats:
        """The values that rewards can take, in increasing order."""

    @property
    @abstractmethod
    def probabilities(self) -> Floats:
        """The probability mass function of each arm: one row per arm, one column per value."""

    @cached_property
    def means(self) -> Floats:
        return self.probabilities @ self.scale

    @cached_property
    def sds(self) -> Floats:
        deviations = self.scale - self.means[:, None]
        return np.asarray(np.sqrt((self.probabilities * deviations * deviations).sum(axis=1)))

    @property
    def proxies(self) -> Floats:
        """Half the width of each arm's support (Hoeffding's lemma)."""
        lowest, highest = self.quantiles(0.0), self.quantiles(1.0)
        return np.asarray((highest - lowest) / 2)

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.scale[0]), float(self.scale[-1])

    def quantiles(self, q: float) -> Floats:
        """Return each arm's q-quantile: the lowest possible value x with P(reward <= x) >= q."""
        if q >= 1:
            return np.asarray(self.scale[self._last_possible])
        level = max(q - ROUNDING_TOLERANCE, np.finfo(float).tiny)  # because 1 - 0.9 is slightly less than 0.1
        reached = self.distribution().cdf >= level
        return np.asarray(self.scale[reached.argmax(axis=1)])

    def distribution(self) -> FiniteDistribution:
        return self._distribution

    @property
    def _last_possible(self) -> Ints:
        return np.asarray(self.scale.size - 1 - (self.probabilities[:, ::-1] > 0).argmax(axis=1))

    @cached_property
    def _distribution(self) -> FiniteDistribution:
        cdf = np.minimum(np.cumsum(self.probabilities, axis=1), 1.0)
        at_or_past_the_end = np.arange(self.scale.size) >= self._last_possible[:, None]
        cdf[at_or_past_the_end] = 1.0  # exactly, in spite of rounding
        edges = np.arange(CELLS + 1) / CELLS
        first_index = np.stack([np.searchsorted(row, edges[:-1], side="right") for row in cdf])
        last = np.stack([np.searchsorted(row, edges[1:], side="left") for row in cdf])
        reward = np.where(first_index == last, self.scale[first_index], np.nan)
        return FiniteDistribution(self.scale, cdf, reward, first_index.astype(np.int64))
