"""Whether two arms can be told apart at all, with any algorithm and any number of rewards.

An adversary that can make both arms look like one and the same law R leaves nothing to learn. For arms with the
laws P and Q, TV(P, Q) = sum |p - q| / 2, and a fraction epsilon of contamination on each arm, that takes

    mixture        R = (1 - epsilon) P + epsilon H             epsilon >= TV / (1 + TV)
    replacement    R within epsilon of P in total variation    epsilon >= TV / 2
    one-sided      as replacement, one arm left alone          epsilon >= TV

`mixture` is Huber's model: which rewards are replaced does not depend on them. An adversary that looks at the rewards
first, as the paper's does, is `replacement`.

>>> from math import comb
>>> p, q = ([comb(10, k) * x**k * (1 - x) ** (10 - k) for k in range(11)] for x in (0.9, 0.8))
>>> round(total_variation(p, q), 7)
0.3602893
>>> [round(identifiability_threshold(total_variation(p, q), model=m), 3) for m in MODELS]
[0.265, 0.18, 0.36]
>>> identifiable(p, q, epsilon=0.2, model="mixture"), identifiable(p, q, epsilon=0.2, model="replacement")
(True, False)

References: Huber (1964) for the mixture; Huber & Strassen (1973) for least favourable pairs; Niss & Tewari (2020),
Appendix B, for the one-sided case with Bernoulli rewards.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats
from trueward.errors import ParameterError
from trueward.parameters import Share, check_array, checked

Model = Literal["mixture", "replacement", "one-sided"]
MODELS: tuple[Model, ...] = get_args(Model)


def probabilities(name: str, value: ArrayLike) -> Floats:
    """Return a finite law: numbers from 0 to 1 that add up to 1."""
    p = check_array(name, value, at_least=0, at_most=1)
    if abs(p.sum() - 1.0) > ROUNDING_TOLERANCE:
        raise ParameterError(f"{name} must add up to 1, got a sum of {p.sum():g}")
    return p


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return the total variation distance of two laws on the same finite set."""
    first, second = probabilities("p", p), probabilities("q", q)
    if first.size != second.size:
        raise ParameterError(f"q must have as many entries as p, {first.size}, got {second.size}")
    return 0.5 * float(np.abs(first - second).sum())


@checked
def identifiability_threshold(tv: Share, *, model: Model = "mixture") -> float:
    """Return the fraction epsilon from which on two laws at this distance can be made to look the same."""
    return {"mixture": tv / (1.0 + tv), "replacement": 0.5 * tv, "one-sided": tv}[model]


@checked
def bridged_distance(epsilon: Share, *, model: Model = "mixture") -> float:
    """Return the largest total variation distance that epsilon bridges: the inverse of the threshold, at most 1."""
    if model == "mixture":
        return 1.0 if epsilon >= 0.5 else epsilon / (1.0 - epsilon)
    return min(1.0, 2.0 * epsilon) if model == "replacement" else epsilon


@checked
def identifiable(p: ArrayLike, q: ArrayLike, *, epsilon: Share, model: Model = "mixture") -> bool:
    """Return whether arms with these two laws still differ when a fraction epsilon of the rewards is contaminated."""
    return epsilon < identifiability_threshold(total_variation(p, q), model=model)
