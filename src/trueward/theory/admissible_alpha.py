"""The largest fraction of contamination that the regret theorems allow, and the pulls that resolve a gap."""

import math
from typing import Literal

from trueward.errors import ParameterError
from trueward.parameters import Positive, Rounds, check_number, checked

AdmissibleKind = Literal["trim", "trim-sharpened", "shorth", "shorth-tightened", "shorth-sharpened"]

# kind: (d, e) of gap / (d gap + e s)
CONSTANTS: dict[str, tuple[float, float]] = {
    "trim": (4.0, 16.0),
    "trim-sharpened": (4.0, 8.0),
    "shorth": (4.0, 36.0),
    "shorth-tightened": (4.0, 24.0),
    "shorth-sharpened": (2.0, 20.0),
}


def _largest_deviation(sigma: float | None, horizon: int | None, bound: float | None) -> float:
    """Return s: b, or sigma sqrt(6 ln T)."""
    if bound is not None:
        return bound
    if sigma is None or horizon is None:
        raise ParameterError(f"sigma and horizon, or bound, must be given, got {sigma!r}, {horizon!r}, {bound!r}")
    return sigma * math.sqrt(6.0 * math.log(horizon))


@checked
def alpha_max(
    gap: Positive,
    *,
    sigma: Positive | None = None,
    horizon: Rounds | None = None,
    bound: Positive | None = None,
    kind: AdmissibleKind = "trim",
) -> float:
    """Return the largest alpha for which a regret theorem covers an arm with this gap.

        alpha_max = gap / (d gap + e s),    s = sigma sqrt(6 ln T), or the bound b on |reward - mean|

        kind                 d    e       condition of
        trim                 4   16       Theorem 3 (and Corollary 1 with b)
        trim-sharpened       4    8       the same with the sharpened radius
        shorth               4   36       Theorem 4 (and Corollary 2 with b)
        shorth-tightened     4   24       the same without rounding 12 alpha up to 18 alpha in its proof
        shorth-sharpened     2   20       the same with the sharpened radius and the index's 1/(1 - alpha)

    Parameters
    ----------
    gap : float
        Difference between the mean of the best arm and the mean of this arm, Delta_a.
    sigma : float, optional
        Sub-Gaussian constant of the true rewards. Required with `horizon` unless `bound` is given.
    horizon : int, optional
        Number of rounds T.
    bound : float, optional
        Bound b on |reward - mean| of the true rewards. It replaces sigma sqrt(6 ln T).
    kind : str
        Row of the table above.

    Returns
    -------
    float
        The largest admissible alpha.

    Examples
    --------
    >>> [round(alpha_max(1, sigma=1.2649, horizon=1000, kind=kind), 7) for kind in ("trim", "shorth")]
    [0.0074464, 0.0033652]

    References
    ----------
    Niss & Tewari (2020), Theorems 3 and 4, Corollaries 1 and 2.
    """
    d, e = CONSTANTS[kind]
    return gap / (d * gap + e * _largest_deviation(sigma, horizon, bound))


@checked
def resolved_gap(
    alpha: float,
    *,
    sigma: Positive | None = None,
    horizon: Rounds | None = None,
    bound: Positive | None = None,
    kind: AdmissibleKind = "trim",
) -> float:
    """Return the smallest gap that a regret theorem covers at this alpha: the inverse of `alpha_max`.

        e alpha s / (1 - d alpha),    s = sigma sqrt(6 ln T), or the bound b on |reward - mean|

    Parameters
    ----------
    alpha : float
        Fraction of contaminated rewards, at least 0 and below 1/d.
    sigma, horizon, bound, kind
        As in `alpha_max`, which also lists the constants d and e.

    Returns
    -------
    float
        The smallest gap that is resolved.

    Examples
    --------
    >>> round(resolved_gap(0.0074464, sigma=1.2649, horizon=1000), 3)
    1.0

    References
    ----------
    Niss & Tewari (2020), Appendix B.
    """
    d, e = CONSTANTS[kind]
    check_number("alpha", alpha, at_least=0, below=1 / d)
    return e * alpha * _largest_deviation(sigma, horizon, bound) / (1.0 - d * alpha)


@checked
def pull_threshold(gap: Positive, *, sigma: Positive, horizon: Rounds, c: Positive = 4.0) -> float:
    """Return the number of pulls after which an admissible arm is pulled only in rare events.

        16 c sigma^2 ln T / gap^2,    16 c = 64 in Niss & Tewari (2020), 96 for c = 6

    The expected number of pulls beyond it is `excess_pulls` in the regret bounds.

    Parameters
    ----------
    gap : float
        Difference between the mean of the best arm and the mean of this arm, Delta_a.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    horizon : int
        Number of rounds T.
    c : float
        Constant of the exploration bonus sqrt(c ln t / n).

    Returns
    -------
    float
        The number of pulls.

    Examples
    --------
    >>> round(pull_threshold(1, sigma=1.2649, horizon=1000))
    707

    References
    ----------
    Niss & Tewari (2020), proofs of Theorems 3 and 4.
    """
    return 16.0 * c * (sigma / gap) ** 2 * math.log(horizon)
