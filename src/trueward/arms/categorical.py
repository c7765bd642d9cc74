"""Categorical arms: any probabilities on any rating scale."""

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
    """Arms with any probabilities on a common rating scale, or with observed counts in place of probabilities.

    Parameters
    ----------
    values : array_like
        The values of the scale, increasing.
    probabilities : sequence of array_like, optional
        Probability of each value, one row per arm; each row sums to 1.
    counts : sequence of array_like, optional
        How often each value was observed, one row per arm. Give either `probabilities` or `counts`.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.CategoricalArms(values=[1, 2, 3], probabilities=[[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
    >>> arms.means
    array([2.3, 1.7])
    >>> tw.CategoricalArms(values=[1, 2, 3], counts=[[4, 6, 10]]).probabilities
    array([[0.2, 0.3, 0.5]])

    References
    ----------
    The categorical distribution.
    """

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
            pmf = _check_pmf(probabilities, scale.size)
        elif counts is not None and probabilities is None:
            pmf = _pmf_from_counts(counts, scale.size)
        else:
            raise ParameterError("give either probabilities or counts, with a row for each arm")
        object.__setattr__(self, "_scale", scale)
        object.__setattr__(self, "_probabilities", pmf)

    @property
    def scale(self) -> Floats:
        return self._scale

    @property
    def probabilities(self) -> Floats:
        return self._probabilities


def _check_pmf(probabilities: Sequence[ArrayLike], n_values: int) -> Floats:
    rows = _check_rows("probabilities", probabilities, at_most=1)
    for arm, row in enumerate(rows):
        if row.size != n_values or abs(row.sum() - 1) > 1e-9:
            raise ParameterError(f"probabilities[{arm}] must be {n_values} numbers that sum to 1, got {row.tolist()}")
    return np.stack(rows)


def _pmf_from_counts(counts: Sequence[ArrayLike] | Ints, n_values: int) -> Floats:
    rows = _check_rows("counts", counts, at_most=LARGEST_REWARD)
    for arm, row in enumerate(rows):
        if row.size != n_values or row.sum() == 0:
            raise ParameterError(f"counts[{arm}] must be {n_values} numbers, not all of them 0, got {row.tolist()}")
    return np.stack([row / row.sum() for row in rows])


def _check_rows(name: str, rows: Sequence[ArrayLike] | Ints, *, at_most: float) -> list[Floats]:
    if len(rows) == 0:
        raise ParameterError(f"{name} must have a row for each arm, got none")
    return [check_array(f"{name}[{arm}]", row, at_least=0, at_most=at_most) for arm, row in enumerate(rows)]
