"""Any probabilities on any rating scale.

>>> arms = CategoricalArms(values=[1, 2, 3], probabilities=[[0.2, 0.3, 0.5], [0.5, 0.3, 0.2]])
>>> arms.means
array([2.3, 1.7])
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.arms.finite import FiniteArms
from trueward.engine import checks
from trueward.engine.kernel import Floats
from trueward.errors import ParameterError


@dataclass(frozen=True, eq=False, init=False)
class CategoricalArms(FiniteArms):
    """Arms with given probabilities of each value of a scale, one row per arm."""

    _scale: Floats
    _probabilities: Floats

    def __init__(self, *, values: ArrayLike, probabilities: Sequence[ArrayLike]) -> None:
        scale = checks.array("values", values, at_least=-checks.LARGEST, at_most=checks.LARGEST)
        if (np.diff(scale) <= 0).any():
            raise ParameterError(f"values must increase, got {values!r}")
        if len(probabilities) == 0:
            raise ParameterError("probabilities must have a row for each arm, got none")
        rows = [
            checks.array(f"probabilities[{arm}]", row, at_least=0, at_most=1) for arm, row in enumerate(probabilities)
        ]
        for arm, row in enumerate(rows):
            if row.size != scale.size or abs(row.sum() - 1) > 1e-9:
                raise ParameterError(
                    f"probabilities[{arm}] must be {scale.size} numbers that sum to 1, got {row.tolist()}"
                )
        object.__setattr__(self, "_scale", scale)
        object.__setattr__(self, "_probabilities", np.stack(rows))

    @property
    def scale(self) -> Floats:
        """The given values."""
        return self._scale

    @property
    def probabilities(self) -> Floats:
        """The given probabilities, one row per arm."""
        return self._probabilities
