"""Resampled arms: draws from observed ratings."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import draw
from trueward.errors import ParameterError
from trueward.parameters import LARGEST_REWARD, check_array


class ResampledDistribution(NamedTuple):
    """The ratings of all arms in one array, arm after arm."""

    ratings: Floats  # (ratings,)
    start: Ints  # (arms,) the index of each arm's first rating
    size: Ints  # (arms,) the number of ratings of each arm


@draw.register(ResampledDistribution)
def draw_resampled(distribution: ResampledDistribution, table: Floats, rng: np.random.Generator) -> None:
    for t in range(table.shape[0]):
        for arm in range(table.shape[1]):
            table[t, arm] = distribution.ratings[distribution.start[arm] + int(rng.random() * distribution.size[arm])]


@dataclass(frozen=True, eq=False)
class ResampledArms(Arms):
    """Arms whose rewards are drawn with replacement from observed ratings, for example those of a pilot study.

    The true mean of an arm is the mean of its ratings, so these should be free of contamination.

    Parameters
    ----------
    ratings : sequence of array_like
        Observed ratings, one list per arm.

    Examples
    --------
    >>> import trueward as tw
    >>> tw.ResampledArms([[7, 8, 9], [4, 9]]).means
    array([8. , 6.5])

    References
    ----------
    Efron (1979), Bootstrap methods: another look at the jackknife.
    """

    ratings: Sequence[ArrayLike]

    def __post_init__(self) -> None:
        if len(self.ratings) == 0:
            raise ParameterError("ratings must have a list for each arm, got none")
        rows = [
            check_array(f"ratings[{arm}]", row, at_least=-LARGEST_REWARD, at_most=LARGEST_REWARD)
            for arm, row in enumerate(self.ratings)
        ]
        object.__setattr__(self, "ratings", rows)  # copies, as arrays

    @property
    def _rows(self) -> list[Floats]:
        return list(self.ratings)  # type: ignore[arg-type] # arrays since __post_init__

    @cached_property
    def _sorted(self) -> list[Floats]:
        return [np.sort(row) for row in self._rows]

    @cached_property
    def means(self) -> Floats:
        return np.array([row.mean() for row in self._rows])

    @cached_property
    def sds(self) -> Floats:
        return np.array([row.std() for row in self._rows])

    @property
    def proxies(self) -> Floats:
        """Half the range of each arm's ratings (Hoeffding's lemma)."""
        return np.array([np.ptp(row) / 2 for row in self._rows])

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.scale[0]), float(self.scale[-1])

    @cached_property
    def scale(self) -> Floats:
        return np.unique(np.concatenate(self._rows))

    def quantiles(self, q: float) -> Floats:
        return np.array([row[max(0, math.ceil(row.size * min(q, 1.0) - 1.0))] for row in self._sorted])

    def distribution(self) -> ResampledDistribution:
        sizes = np.array([row.size for row in self._rows], dtype=np.int64)
        return ResampledDistribution(np.concatenate(self._rows), np.cumsum(sizes) - sizes, sizes)
