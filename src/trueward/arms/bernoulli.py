"""Bernoulli rewards: 1 with probability p, else 0, as clicks and solved exercises are.

>>> BernoulliArms([0.5, 0.2]).means
array([0.5, 0.2])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from trueward.arms.finite import FiniteArms, kearns_saul
from trueward.engine.kernel import Floats
from trueward.parameters import at_least, at_most


@dataclass(frozen=True, eq=False)
class BernoulliArms(FiniteArms):
    """Arms with Bernoulli(p) rewards, one p per arm."""

    p: Annotated[Sequence[float], at_least(0), at_most(1)]

    @property
    def scale(self) -> Floats:
        return np.array([0.0, 1.0])

    @cached_property
    def probabilities(self) -> Floats:
        p = np.asarray(self.p, dtype=float)
        return np.stack([1 - p, p], axis=1)

    @property
    def proxies(self) -> Floats:
        """Kearns and Saul's parameter."""
        return np.asarray(np.sqrt(kearns_saul(np.asarray(self.p, dtype=float))))
