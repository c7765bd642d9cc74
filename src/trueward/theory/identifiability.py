"""Identifiability: can any algorithm, with any number of rewards, tell two contaminated arms apart?"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats
from trueward.errors import ParameterError
from trueward.parameters import Share, check_array, checked

ContaminationModel = Literal["mixture", "replacement", "one-sided"]
CONTAMINATION_MODELS: tuple[ContaminationModel, ...] = get_args(ContaminationModel)


def check_probabilities(name: str, value: ArrayLike) -> Floats:
    """Return an array of probabilities that add up to 1."""
    p = check_array(name, value, at_least=0, at_most=1)
    if abs(p.sum() - 1.0) > ROUNDING_TOLERANCE:
        raise ParameterError(f"{name} must add up to 1, got a sum of {p.sum():g}")
    return p


def total_variation(p: ArrayLike, q: ArrayLike) -> float:
    """Return the total variation distance of two distributions on the same finite set.

        TV(P, Q) = sum |p - q| / 2

    Parameters
    ----------
    p, q : array_like
        Probabilities of the same values under P and under Q.

    Returns
    -------
    float
        The distance, from 0 to 1.

    Examples
    --------
    >>> from math import comb
    >>> p, q = ([comb(10, k) * x**k * (1 - x) ** (10 - k) for k in range(11)] for x in (0.9, 0.8))
    >>> round(total_variation(p, q), 7)
    0.3602893

    References
    ----------
    As for `identifiability_threshold`.
    """
    first, second = check_probabilities("p", p), check_probabilities("q", q)
    if first.size != second.size:
        raise ParameterError(f"q must have as many entries as p, {first.size}, got {second.size}")
    return 0.5 * float(np.abs(first - second).sum())


@checked
def identifiability_threshold(tv: Share, *, model: ContaminationModel = "mixture") -> float:
    """Return the smallest epsilon at which contamination can make two arms look the same.

    An adversary that gives both arms the same observed distribution R leaves nothing to learn. With a fraction epsilon
    of contamination on each arm, and arms distributed as P and Q, this takes

        mixture        R = (1 - epsilon) P + epsilon H             epsilon >= TV / (1 + TV)
        replacement    R within epsilon of P in total variation    epsilon >= TV / 2
        one-sided      as replacement, one arm not contaminated    epsilon >= TV

    `mixture` is Huber's model: whether a reward is replaced does not depend on its value. An adversary that sees the
    rewards first, as that of Niss & Tewari (2020) does, is `replacement`.

    Parameters
    ----------
    tv : float
        Total variation distance of P and Q, from 0 to 1.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination.

    Returns
    -------
    float
        The threshold on epsilon.

    Examples
    --------
    >>> [round(identifiability_threshold(0.36, model=model), 3) for model in CONTAMINATION_MODELS]
    [0.265, 0.18, 0.36]

    References
    ----------
    Huber (1964) for the mixture; Huber & Strassen (1973) for least favourable pairs; Niss & Tewari (2020), Appendix B,
    for the one-sided case with Bernoulli rewards.
    """
    return {"mixture": tv / (1.0 + tv), "replacement": 0.5 * tv, "one-sided": tv}[model]


@checked
def hidden_distance(epsilon: Share, *, model: ContaminationModel = "mixture") -> float:
    """Return the largest total variation distance that contamination can hide: the inverse of the threshold.

        mixture epsilon / (1 - epsilon),    replacement 2 epsilon,    one-sided epsilon;    at most 1

    Parameters
    ----------
    epsilon : float
        Fraction of contaminated rewards on each arm, from 0 to 1.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination, as in `identifiability_threshold`.

    Returns
    -------
    float
        The distance delta, from 0 to 1.

    Examples
    --------
    >>> [round(hidden_distance(0.1, model=model), 3) for model in CONTAMINATION_MODELS]
    [0.111, 0.2, 0.1]

    References
    ----------
    As for `identifiability_threshold`.
    """
    if model == "mixture":
        return 1.0 if epsilon >= 0.5 else epsilon / (1.0 - epsilon)
    return min(1.0, 2.0 * epsilon) if model == "replacement" else epsilon


@checked
def identifiable(p: ArrayLike, q: ArrayLike, *, epsilon: Share, model: ContaminationModel = "mixture") -> bool:
    """Return whether two arms can be told apart when a fraction epsilon of their rewards is contaminated.

    Parameters
    ----------
    p, q : array_like
        Probabilities of the same values under the two arms.
    epsilon : float
        Fraction of contaminated rewards on each arm, from 0 to 1.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination, as in `identifiability_threshold`.

    Returns
    -------
    bool
        Whether epsilon is below `identifiability_threshold`.

    Examples
    --------
    >>> from math import comb
    >>> p, q = ([comb(10, k) * x**k * (1 - x) ** (10 - k) for k in range(11)] for x in (0.9, 0.8))
    >>> identifiable(p, q, epsilon=0.2, model="mixture"), identifiable(p, q, epsilon=0.2, model="replacement")
    (True, False)

    References
    ----------
    As for `identifiability_threshold`.
    """
    return epsilon < identifiability_threshold(total_variation(p, q), model=model)
