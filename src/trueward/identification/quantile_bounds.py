"""Bounds on how far the quantiles around a median can be from it: what must be known about the true rewards."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import Annotated, ClassVar

import numpy as np

from trueward.arms.arms import Arms
from trueward.parameters import Checked, Positive, above, at_most, check_number


class QuantileBound(Checked, ABC):
    """A class of distributions, given by how far their quantiles at 1/2 ± u can be from their median.

        |F^-1(1/2 ± u) - m| <= R(u)    for every distribution F of the class, with median m, and every u up to a limit

    Contamination shifts the *level* of a sample median, which becomes the quantile at 1/2 + u instead of the one at
    1/2. A quantile bound R turns this shift into a distance between rewards. Beyond the limit, which is at most 1/2,
    nothing is known about the class, and R is infinite.

    References
    ----------
    Altschuler, Brunel & Malek (2019), the classes of distributions in their section on medians.
    """

    example: ClassVar[str] = "GaussianQuantileBound(sigma=1)"

    @abstractmethod
    def __call__(self, u: float) -> float:
        """Return R(u) for u >= 0: non-decreasing, and infinite beyond the limit."""


@dataclass(frozen=True, kw_only=True)
class GaussianQuantileBound(QuantileBound):
    """Quantile bound of Gaussian distributions with a standard deviation of at most sigma.

        R(u) = sigma Phi^-1(1/2 + u)

    Parameters
    ----------
    sigma : float
        Largest standard deviation.

    Examples
    --------
    >>> round(GaussianQuantileBound(sigma=2)(0.1), 4)
    0.5067

    References
    ----------
    Altschuler, Brunel & Malek (2019), the classes of distributions in their section on medians.
    """

    sigma: Positive

    def __call__(self, u: float) -> float:
        return self.sigma * NormalDist().inv_cdf(0.5 + u) if 0.5 + u < 1 else math.inf


@dataclass(frozen=True)
class ArmsQuantileBound(QuantileBound):
    """Quantile bound of distributions shaped like those of known arms, such as the ratings of a pilot study.

        R(u) = the longest distance from an arm's median to its quantile at 1/2 + u or at 1/2 - u

    Parameters
    ----------
    arms : Arms
        Arms with the same shape, for example `ResampledArms` of a pilot study.

    Examples
    --------
    >>> from trueward.arms import BinomialArms
    >>> bound = ArmsQuantileBound(BinomialArms(n=10, p=[0.9, 0.8]))
    >>> bound(0.1), bound(0.2)
    (0.0, 1.0)

    References
    ----------
    Altschuler, Brunel & Malek (2019), the classes of distributions in their section on medians.
    """

    arms: Arms

    def __call__(self, u: float) -> float:
        if u > 0.5:
            return math.inf
        medians = self.arms.quantiles(0.5)
        above, below = self.arms.quantiles(0.5 + u) - medians, medians - self.arms.quantiles(0.5 - u)
        return float(np.maximum(above, below).max())


@dataclass(frozen=True)
class CustomQuantileBound(QuantileBound):
    """Quantile bound given by a function, up to a limit.

    A density of at least d between the quantiles at 1/2 ± limit gives R(u) = u / d.

    Parameters
    ----------
    function : callable
        R(u), a non-decreasing function of u.
    limit : float
        Largest u for which the function holds, above 0 and at most 1/2. Beyond it, R is infinite.

    Examples
    --------
    >>> bound = CustomQuantileBound(lambda u: 4 * u, limit=0.3)
    >>> bound(0.1), bound(0.31)
    (0.4, inf)

    References
    ----------
    Altschuler, Brunel & Malek (2019), the classes of distributions in their section on medians.
    """

    function: Callable[[float], float]
    limit: Annotated[float, above(0), at_most(0.5)] = 0.5

    def __call__(self, u: float) -> float:
        if u > self.limit:
            return math.inf
        return check_number(f"the quantile bound at u = {u:g}", self.function(u), at_least=0)
