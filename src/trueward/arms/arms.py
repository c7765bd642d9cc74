"""What every set of arms knows about itself: its law of true rewards, and the numbers that follow from it."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import draw
from trueward.parameters import Checked, check_integer


@dataclass(frozen=True, eq=False)
class Arms(Checked, ABC):
    """K arms, each with a fixed law of true rewards."""

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
        """A sub-Gaussian parameter of each arm: E exp(s (r - mean)) <= exp(s^2 proxy^2 / 2) for every s."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[float, float]:
        """The lowest and the highest possible reward of any arm; infinite where there is none."""

    @property
    @abstractmethod
    def scale(self) -> Floats | None:
        """The values that rewards can take, in increasing order, or None for continuous rewards."""

    @abstractmethod
    def quantiles(self, q: float) -> Floats:
        """Return each arm's lowest value with a probability of at least `q` at or below it."""

    @abstractmethod
    def distribution(self) -> State:
        """Return the state from which `draw` fills tables of rewards."""

    @property
    def n_arms(self) -> int:
        """The number of arms, K."""
        return int(self.means.size)

    @property
    def gaps(self) -> Floats:
        """How much less each arm earns than the best one."""
        return np.asarray(self.means.max() - self.means)

    @property
    def best(self) -> int:
        """The arm with the highest mean; the first of several."""
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
