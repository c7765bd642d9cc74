"""Bernoulli arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np

from trueward.arms.finite import FiniteArms
from trueward.engine.kernel import Floats
from trueward.parameters import at_least, at_most


def bernoulli_variance_proxy(p: Floats) -> Floats:
    """Return the smallest sub-Gaussian variance proxy of Bernoulli(p): (1 - 2p) / (2 ln((1 - p) / p)).

    Reference: Kearns & Saul (1998), Large deviation methods for approximate probabilistic inference; optimality by
    Buldygin & Moskvichova (2013).
    """
    inside = (p > 0) & (p < 1) & (np.abs(p - 0.5) > 1e-6)
    q = np.where(inside, p, 0.25)
    proxy = np.where(inside, (1 - 2 * q) / (2 * np.log((1 - q) / q)), 0.25)
    return np.where((p <= 0) | (p >= 1), 0.0, proxy)


@dataclass(frozen=True, eq=False)
class BernoulliArms(FiniteArms):
    """Arms with Bernoulli rewards, such as clicks or solved exercises: 1 with probability p, else 0.

    Parameters
    ----------
    p : sequence of float
        Probability of a 1 for each arm, in [0, 1].

    Examples
    --------
    >>> import trueward as tw
    >>> tw.BernoulliArms([0.5, 0.2]).means
    array([0.5, 0.2])

    References
    ----------
    The Bernoulli distribution; Kearns & Saul (1998) for its sub-Gaussian parameter.
    """

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
        """The smallest possible sub-Gaussian parameter of each arm (Kearns & Saul 1998)."""
        return np.asarray(np.sqrt(bernoulli_variance_proxy(np.asarray(self.p, dtype=float))))
