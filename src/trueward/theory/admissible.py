"""How much contamination the regret theorems allow, and after how many pulls an arm is told apart.

    alpha_max = gap / (d gap + e s),      s = sigma sqrt(6 ln T), or the bound b on |reward - mean|

    kind                 d    e       condition of
    trim                 4   16       Theorem 3 (and Corollary 1 with b)
    trim-sharpened       4    8       the same with the sharpened radius
    shorth               4   36       Theorem 4 (and Corollary 2 with b)
    shorth-tightened     4   24       the same without rounding 12 alpha up to 18 alpha in its proof
    shorth-sharpened     2   20       the same with the sharpened radius and the index's 1/(1 - alpha)

Read for a fixed alpha, the same inequality gives the smallest gap that is still resolved: e alpha s / (1 - d alpha).

>>> [round(alpha_max(1, sigma=1.2649, horizon=1000, kind=kind), 7) for kind in ("trim", "shorth")]
[0.0074464, 0.0033652]
>>> round(pull_threshold(1, sigma=1.2649, horizon=1000))
707

Reference: Niss & Tewari (2020), Theorems 3 and 4, Corollaries 1 and 2, Appendix B.
"""

import math
from typing import Literal

from trueward.errors import ParameterError
from trueward.parameters import Positive, Rounds, check_number, checked

Admissible = Literal["trim", "trim-sharpened", "shorth", "shorth-tightened", "shorth-sharpened"]

# kind: (d, e) of gap / (d gap + e s)
CONSTANTS: dict[str, tuple[float, float]] = {
    "trim": (4.0, 16.0),
    "trim-sharpened": (4.0, 8.0),
    "shorth": (4.0, 36.0),
    "shorth-tightened": (4.0, 24.0),
    "shorth-sharpened": (2.0, 20.0),
}


def _largest_deviation(sigma: float | None, horizon: int | None, bound: float | None) -> float:
    """Return b, or sigma * sqrt(6 ln T)."""
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
    kind: Admissible = "trim",
) -> float:
    """Return the largest alpha for which the theorem covers an arm with this gap."""
    d, e = CONSTANTS[kind]
    return gap / (d * gap + e * _largest_deviation(sigma, horizon, bound))


@checked
def resolved_gap(
    alpha: float,
    *,
    sigma: Positive | None = None,
    horizon: Rounds | None = None,
    bound: Positive | None = None,
    kind: Admissible = "trim",
) -> float:
    """Return the smallest gap that alpha still admits: the inverse of `alpha_max`."""
    d, e = CONSTANTS[kind]
    check_number("alpha", alpha, at_least=0, below=1 / d)
    return e * alpha * _largest_deviation(sigma, horizon, bound) / (1.0 - d * alpha)


@checked
def pull_threshold(gap: Positive, *, sigma: Positive, horizon: Rounds, c: Positive = 4.0) -> float:
    """Return 16 c sigma^2 ln T / gap^2: past it, an admissible arm is pulled only by bad luck (64, or 96 for c = 6)."""
    return 16.0 * c * (sigma / gap) ** 2 * math.log(horizon)
