"""The base class of all arms."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import draw
from trueward.parameters import Checked, check_integer


@dataclass(frozen=True, eq=False)
class Arms(Checked, ABC):
    """K arms, each with a fixed distribution of true rewards.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> arms.n_arms, arms.best, arms.gaps
    (2, 0, array([0., 1.]))
    """

    example: ClassVar[str] = "BinomialArms(n=10, p=[0.9, 0.8])"

    @property
    @abstractmethod
    def means(self) -> Floats:
        """The true mean of each arm."""

    @property
    @abstractmethod
    def sds(self) -> Floats:
        """The standard deviation of each arm."""

    @property
    @abstractmethod
    def proxies(self) -> Floats:
        """A sub-Gaussian parameter of each arm: E exp(s (r - mean)) <= exp(s^2 proxy^2 / 2) for all s."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible reward of any arm; infinite if rewards are unbounded."""

    @property
    @abstractmethod
    def scale(self) -> Floats | None:
        """The values that rewards can take, in increasing order, or None for continuous rewards."""

    @abstractmethod
    def quantiles(self, q: float) -> Floats:
        """Return each arm's q-quantile: the lowest value x with P(reward <= x) >= q."""

    @abstractmethod
    def distribution(self) -> State:
        """Return the distribution as a state, from which the generic function `draw` fills tables of rewards."""

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return int(self.means.size)

    @property
    def gaps(self) -> Floats:
        """The difference between the highest mean and each arm's mean."""
        return np.asarray(self.means.max() - self.means)

    @property
    def best(self) -> int:
        """The arm with the highest mean; the first one if several tie."""
        return int(self.means.argmax())

    @property
    def sd(self) -> float:
        """The largest standard deviation."""
        return float(self.sds.max())

    @property
    def proxy(self) -> float:
        """The largest sub-Gaussian parameter."""
        return float(self.proxies.max())

    def draw(self, horizon: int, rng: np.random.Generator) -> Floats:
        """Return a (horizon, arms) table of true rewards."""
        table = np.empty((check_integer("horizon", horizon, at_least=1), self.n_arms))
        draw(self.distribution(), table, rng)
        return table
