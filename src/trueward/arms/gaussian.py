"""Gaussian arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import draw
from trueward.errors import ParameterError
from trueward.parameters import LARGEST_REWARD, check_array

FURTHEST_DRAW = 40.0  # standard deviations from the mean; the generator draws nothing as unlikely as that


class GaussianDistribution(NamedTuple):
    """The mean and the standard deviation of each arm."""

    means: Floats  # (arms,)
    sds: Floats  # (arms,)


@draw.register(GaussianDistribution)
def draw_gaussian(distribution: GaussianDistribution, table: Floats, rng: np.random.Generator) -> None:
    for t in range(table.shape[0]):
        for arm in range(table.shape[1]):
            table[t, arm] = distribution.means[arm] + distribution.sds[arm] * rng.standard_normal()


@dataclass(frozen=True, eq=False, init=False)
class GaussianArms(Arms):
    """Arms with normal rewards: continuous and unbounded.

    Parameters
    ----------
    means : sequence of float
        Mean of each arm.
    sd : float or sequence of float, optional
        Standard deviation: one for all arms, or one per arm. Default: 1.

    Examples
    --------
    >>> import trueward as tw
    >>> tw.GaussianArms(means=[1.0, 0.5], sd=2.0).sds
    array([2., 2.])

    References
    ----------
    The normal distribution.
    """

    _means: Floats
    _sds: Floats

    def __init__(self, *, means: Sequence[float], sd: float | Sequence[float] = 1.0) -> None:
        mean_array = check_array("means", means)
        sd_array = check_array("sd", np.broadcast_to(sd, mean_array.shape) if np.ndim(sd) == 0 else sd, at_least=0)
        if sd_array.shape != mean_array.shape:
            raise ParameterError(f"sd must be one number, or one for each of the {mean_array.size} arms, got {sd!r}")
        if float(np.abs(mean_array).max()) + FURTHEST_DRAW * float(sd_array.max()) > LARGEST_REWARD:
            limit = f"at most {LARGEST_REWARD:g} in absolute value"
            raise ParameterError(f"means and sd must give rewards of {limit}, got {means!r} and {sd!r}")
        object.__setattr__(self, "_means", mean_array)
        object.__setattr__(self, "_sds", sd_array)

    @property
    def means(self) -> Floats:
        return self._means

    @property
    def sds(self) -> Floats:
        return self._sds

    @property
    def proxies(self) -> Floats:
        """The standard deviations."""
        return self._sds

    @property
    def bounds(self) -> tuple[float, float]:
        """(-inf, inf): any reward is possible."""
        return -np.inf, np.inf

    @property
    def scale(self) -> None:
        """None: rewards are continuous."""

    def quantiles(self, q: float) -> Floats:
        z = -np.inf if q <= 0 else np.inf if q >= 1 else NormalDist().inv_cdf(q)
        return np.where(self._sds > 0, self._means + np.maximum(self._sds, 1e-300) * z, self._means)

    def distribution(self) -> GaussianDistribution:
        return GaussianDistribution(self._means, self._sds)
