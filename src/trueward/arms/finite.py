"""Rewards on a finite scale, drawn by inverting each arm's distribution function.

A guide table (Chen & Asau 1974) leads from a uniform number to the first value it can mean; the rest is a short
walk. One uniform number gives one reward, whatever the scale.
"""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from trueward.arms.base import Arms
from trueward.kernel import EDGE, Floats, Ints, draw

GUIDES_PER_VALUE = 8
FEWEST_GUIDES = 1024  # so that few uniform numbers need a walk at all


class FiniteLaw(NamedTuple):
    """The distribution functions of all arms on one scale."""

    values: Floats  # (values,) increasing
    cdf: Floats  # (arms, values), ends with 1
    guide: Ints  # (arms, guides) first value with cdf > guide / guides


@draw.register(FiniteLaw)
def draw_finite(law: FiniteLaw, table: Floats, rng: np.random.Generator) -> None:
    """Fill a table of rewards, round by round."""
    guides = law.guide.shape[1]
    for t in range(table.shape[0]):
        for arm in range(table.shape[1]):
            u = rng.random()
            i = law.guide[arm, int(u * guides)]
            while u >= law.cdf[arm, i]:
                i += 1
            table[t, arm] = law.values[i]


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
        """The true mean of each arm."""
        return self.probabilities @ self.scale

    @cached_property
    def sds(self) -> Floats:
        """The standard deviation of each arm."""
        deviations = self.scale - self.means[:, None]
        return np.asarray(np.sqrt((self.probabilities * deviations * deviations).sum(axis=1)))

    @property
    def proxies(self) -> Floats:
        """Half the width of each arm's support (Hoeffding's lemma)."""
        lowest, highest = self.quantiles(0.0), self.quantiles(1.0)
        return np.asarray((highest - lowest) / 2)

    @property
    def bounds(self) -> tuple[float, float]:
        """The ends of the scale."""
        return float(self.scale[0]), float(self.scale[-1])

    def quantiles(self, q: float) -> Floats:
        """Return each arm's lowest possible value with a probability of at least `q` at or below it."""
        if q >= 1:
            return np.asarray(self.scale[self._last_possible])
        reached = self.law().cdf >= max(q - EDGE, np.finfo(float).tiny)  # 1 - 0.9 is a little less than 0.1
        return np.asarray(self.scale[reached.argmax(axis=1)])

    def law(self) -> FiniteLaw:
        """Return the distribution functions, with a guide into them."""
        return self._law

    @property
    def _last_possible(self) -> Ints:
        return np.asarray(self.scale.size - 1 - (self.probabilities[:, ::-1] > 0).argmax(axis=1))

    @cached_property
    def _law(self) -> FiniteLaw:
        cdf = np.minimum(np.cumsum(self.probabilities, axis=1), 1.0)
        cdf[np.arange(self.scale.size) >= self._last_possible[:, None]] = (
            1.0  # rounding must not reach past what is possible
        )
        guides = max(FEWEST_GUIDES, GUIDES_PER_VALUE * self.scale.size)
        grid = np.arange(guides) / guides
        guide = np.stack([np.searchsorted(row, grid, side="right") for row in cdf])
        return FiniteLaw(self.scale, cdf, guide.astype(np.int64))


def kearns_saul(p: Floats) -> Floats:
    """Return the optimal sub-Gaussian variance proxy of Bernoulli(p): (1 - 2p) / (2 ln((1 - p) / p)).

    Reference: Kearns & Saul (1998), Large deviation methods for approximate probabilistic inference; optimality by
    Buldygin & Moskvichova (2013).
    """
    inside = (p > 0) & (p < 1) & (np.abs(p - 0.5) > 1e-6)
    q = np.where(inside, p, 0.25)
    proxy = np.where(inside, (1 - 2 * q) / (2 * np.log((1 - q) / q)), 0.25)
    return np.where((p <= 0) | (p >= 1), 0.0, proxy)
