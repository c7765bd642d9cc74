"""Any probabilities on any rating scale.

>>> arms = CategoricalArms(values=[1, 2, 3], probabilities=[[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
>>> arms.means
array([2.3, 1.7])
>>> CategoricalArms(values=[1, 2, 3], counts=[[4, 6, 10]]).probabilities
array([[0.2, 0.3, 0.5]])
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.arms.finite import FiniteArms
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import LARGEST_REWARD, check_array


@dataclass(frozen=True, eq=False, init=False)
class CategoricalArms(FiniteArms):
    """Arms with given probabilities of each value of a scale, or counts of how often it was seen, one row per arm."""

    _scale: Floats
    _probabilities: Floats

    def __init__(
        self,
        *,
        values: ArrayLike,
        probabilities: Sequence[ArrayLike] | None = None,
        counts: Sequence[ArrayLike] | Ints | None = None,
    ) -> None:
        scale = check_array("values", values, at_least=-LARGEST_REWARD, at_most=LARGEST_REWARD)
        if (np.diff(scale) <= 0).any():
            raise ParameterError(f"values must increase, got {values!r}")
        if probabilities is not None and counts is None:
            shares = _laws(probabilities, scale.size)
        elif counts is not None and probabilities is None:
            shares = _shares(counts, scale.size)
        else:
            raise ParameterError("give a row for each arm of either probabilities or counts")
        object.__setattr__(self, "_scale", scale)
        object.__setattr__(self, "_probabilities", shares)

    @property
    def scale(self) -> Floats:
        return self._scale

    @property
    def probabilities(self) -> Floats:
        return self._probabilities


def _laws(probabilities: Sequence[ArrayLike], n_values: int) -> Floats:
    rows = _rows("probabilities", probabilities, at_most=1)
    for arm, row in enumerate(rows):
        if row.size != n_values or abs(row.sum() - 1) > 1e-9:
            raise ParameterError(f"probabilities[{arm}] must be {n_values} numbers that sum to 1, got {row.tolist()}")
    return np.stack(rows)


def _shares(counts: Sequence[ArrayLike] | Ints, n_values: int) -> Floats:
    rows = _rows("counts", counts, at_most=LARGEST_REWARD)
    for arm, row in enumerate(rows):
        if row.size != n_values or row.sum() == 0:
            raise ParameterError(f"counts[{arm}] must be {n_values} numbers, not all of them 0, got {row.tolist()}")
    return np.stack([row / row.sum() for row in rows])


def _rows(name: str, given: Sequence[ArrayLike] | Ints, *, at_most: float) -> list[Floats]:
    if len(given) == 0:
        raise ParameterError(f"{name} must have a row for each arm, got none")
    return [check_array(f"{name}[{arm}]", row, at_least=0, at_most=at_most) for arm, row in enumerate(given)]
