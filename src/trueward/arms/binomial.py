"""Binomial arms: Niss & Tewari's (2020) model of ratings."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from trueward.arms.bernoulli import bernoulli_variance_proxy
from trueward.arms.finite import FiniteArms
from trueward.engine.kernel import Floats
from trueward.parameters import at_least, at_most


def _binomial_coefficients(n: int) -> Iterator[int]:
    """Yield C(n, 0), …, C(n, n), exactly, each from the previous one."""
    coefficient = 1
    for k in range(n + 1):
        yield coefficient
        coefficient = coefficient * (n - k) // (k + 1)


@dataclass(frozen=True, eq=False, kw_only=True)
class BinomialArms(FiniteArms):
    """Arms with binomial rewards: ratings from 0 to n, Niss & Tewari's (2020) model of a Likert scale.

        P(r = k) = C(n, k) p^k (1 - p)^(n - k)

    Parameters
    ----------
    n : int
        Highest rating, at least 1.
    p : sequence of float
        Probability parameter of each arm, in [0, 1]; the mean is n p.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> arms.means, arms.gaps
    (array([9., 8.]), array([0., 1.]))

    References
    ----------
    Niss & Tewari (2020), section 6; Kearns & Saul (1998) for the sub-Gaussian parameter.
    """

    n: Annotated[int, at_least(1)]
    p: Annotated[Sequence[float], at_least(0), at_most(1)]

    @property
    def scale(self) -> Floats:
        return np.arange(self.n + 1.0)

    @cached_property
    def probabilities(self) -> Floats:
        p = np.asarray(self.p, dtype=float)[:, None]
        k = np.arange(self.n + 1)
        log_coefficients = np.array([math.log(c) for c in _binomial_coefficients(self.n)])  # n may be large
        inside = np.clip(p, 1e-300, 1 - 1e-16)
        probabilities = np.exp(log_coefficients + k * np.log(inside) + (self.n - k) * np.log1p(-inside))
        return np.asarray(np.where(p <= 0, k == 0, np.where(p >= 1, k == self.n, probabilities)))

    @cached_property
    def means(self) -> Floats:
        return self.n * np.asarray(self.p, dtype=float)

    @property
    def proxies(self) -> Floats:
        """The sub-Gaussian parameter of a Bernoulli trial (Kearns & Saul 1998), times sqrt(n)."""
        return np.asarray(np.sqrt(self.n * bernoulli_variance_proxy(np.asarray(self.p, dtype=float))))
