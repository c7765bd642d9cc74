"""Rewards on a finite scale, drawn by inverting each arm's distribution function.

A guide table (after Chen & Asau 1974) cuts the unit interval into cells. In most of them the distribution function has
no step, and the cell alone decides the reward: ten random bits, so that one uniform number, which has 53 of them,
serves five rewards. In the few cells with a step, a fresh uniform number says where in the cell we are. So the law is
exact, down to probabilities far below one cell.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, kernel
from trueward.engine.protocol import draw

BITS = 10  # that choose a cell: the guides of five arms just fit into the first cache, and few cells have a step
CELLS = 1 << BITS
RANDOM_BITS = 53  # in a uniform number
REWARDS_PER_NUMBER = RANDOM_BITS // BITS
ALL_BITS = float(1 << RANDOM_BITS)


class FiniteDistribution(NamedTuple):
    """The distribution functions of all arms on one scale."""

    values: Floats  # (values,) increasing
    cdf: Floats  # (arms, values), ends with 1
    sure: Floats  # (arms, CELLS) the reward, or NaN where the distribution function has a step inside the cell
    first: Ints  # (arms, CELLS) the lowest value possible in the cell


@draw.register(FiniteDistribution)
def draw_finite(distribution: FiniteDistribution, table: Floats, rng: np.random.Generator) -> None:
    """Fill a table of rewards, round by round."""
    bits, left = 0, 0
    for t in range(table.shape[0]):
        for arm in range(table.shape[1]):
            if left == 0:
                bits, left = int(rng.random() * ALL_BITS), REWARDS_PER_NUMBER
            cell = bits & (CELLS - 1)
            bits >>= BITS
            left -= 1
            reward = distribution.sure[arm, cell]
            if reward != reward:  # NaN
                reward = draw_in_cell(distribution, arm, cell, rng.random())
            table[t, arm] = reward


@kernel
def draw_in_cell(distribution: FiniteDistribution, arm: int, cell: int, place: float) -> float:
    """Return the reward at a place in [0, 1) of a cell; both sides of the comparison are exact."""
    i = distribution.first[arm, cell]
    while place >= distribution.cdf[arm, i] * CELLS - cell:
        i += 1
    return float(distribution.values[i])


@dataclass(frozen=True, eq=False)
class FiniteArms(Arms):
    """Arms with probabilities on one scale of values."""

    @property
    @abstractmethod
    def scale(self) -> Floats:
        """The values that rewards can take, in increasing order."""

    @property
    @abstractmethod
    def probabilities(self) -> Floats:
        """The probability of each value, one row per arm."""

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
        """Return each arm's lowest possible value with a probability of at least `q` at or below it."""
        if q >= 1:
            return np.asarray(self.scale[self._last_possible])
        reached = self.distribution().cdf >= max(
            q - ROUNDING_TOLERANCE, np.finfo(float).tiny
        )  # 1 - 0.9 is a little less than 0.1
        return np.asarray(self.scale[reached.argmax(axis=1)])

    def distribution(self) -> FiniteDistribution:
        return self._law

    @property
    def _last_possible(self) -> Ints:
        return np.asarray(self.scale.size - 1 - (self.probabilities[:, ::-1] > 0).argmax(axis=1))

    @cached_property
    def _law(self) -> FiniteDistribution:
        cdf = np.minimum(np.cumsum(self.probabilities, axis=1), 1.0)
        cdf[np.arange(self.scale.size) >= self._last_possible[:, None]] = (
            1.0  # rounding must not reach past what is possible
        )
        edges = np.arange(CELLS + 1) / CELLS
        first = np.stack([np.searchsorted(row, edges[:-1], side="right") for row in cdf])
        last = np.stack([np.searchsorted(row, edges[1:], side="left") for row in cdf])
        return FiniteDistribution(
            self.scale, cdf, np.where(first == last, self.scale[first], np.nan), first.astype(np.int64)
        )


def kearns_saul(p: Floats) -> Floats:
    """Return the optimal sub-Gaussian variance proxy of Bernoulli(p): (1 - 2p) / (2 ln((1 - p) / p)).

    Reference: Kearns & Saul (1998), Large deviation methods for approximate probabilistic inference; optimality by
    Buldygin & Moskvichova (2013).
    """
    inside = (p > 0) & (p < 1) & (np.abs(p - 0.5) > 1e-6)
    q = np.where(inside, p, 0.25)
    proxy = np.where(inside, (1 - 2 * q) / (2 * np.log((1 - q) / q)), 0.25)
    return np.where((p <= 0) | (p >= 1), 0.0, proxy)
