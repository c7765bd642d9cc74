"""How far apart the quantiles around a median can be: what has to be known about the true rewards.

Contamination shifts the *level* of a sample median: it becomes the quantile at 1/2 + u instead of the one at 1/2. A
spread R turns levels into rewards. For every law F of its class with the median m, and every u up to a limit of 1/2,

    |F^-1(1/2 ± u) - m| <= R(u)

Beyond the limit the class promises nothing, and R is infinite.

>>> round(GaussianSpread(sigma=2)(0.1), 4)
0.5067
>>> FunctionSpread(lambda u: 4 * u, limit=0.3)(0.1), FunctionSpread(lambda u: 4 * u, limit=0.3)(0.31)
(0.4, inf)

Reference: Altschuler, Brunel & Malek (2019), the classes of laws of their section on medians.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, ClassVar

import numpy as np

from trueward.arms.arms import Arms
from trueward.parameters import Checked, Positive, above, at_most, check_number


class Spread(Checked, ABC):
    """A class of laws, by how far their quantiles at 1/2 ± u can be from their median."""

    example: ClassVar[str] = "GaussianSpread(sigma=1)"

    @abstractmethod
    def __call__(self, u: float) -> float:
        """Return R(u) for u >= 0, which never decreases; infinite where the class promises nothing."""


@dataclass(frozen=True, kw_only=True)
class GaussianSpread(Spread):
    """Normal laws with a standard deviation of at most sigma: R(u) = sigma Phi^-1(1/2 + u)."""

    sigma: Positive

    def __call__(self, u: float) -> float:
        return self.sigma * NormalDist().inv_cdf(0.5 + u) if 0.5 + u < 1 else math.inf


@dataclass(frozen=True)
class ArmsSpread(Spread):
    """Laws shaped like those of known arms: ratings of a pilot study as `ResampledArms`, for example."""

    arms: Arms

    def __call__(self, u: float) -> float:
        """Return the longest way from a median to a quantile at 1/2 ± u."""
        if u > 0.5:
            return math.inf
        medians = self.arms.quantiles(0.5)
        above, below = self.arms.quantiles(0.5 + u) - medians, medians - self.arms.quantiles(0.5 - u)
        return float(np.maximum(above, below).max())


@dataclass(frozen=True)
class FunctionSpread(Spread):
    """A class of your own: a function that never decreases, up to a limit.

    A density of at least d between the quantiles at 1/2 ± limit gives R(u) = u / d.
    """

    function: Callable[[float], float]
    limit: Annotated[float, above(0), at_most(0.5)] = 0.5

    def __call__(self, u: float) -> float:
        return check_number(f"the spread at {u:g}", self.function(u), at_least=0) if u <= self.limit else math.inf
