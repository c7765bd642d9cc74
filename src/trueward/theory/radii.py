"""Confidence radii: how far a robust mean of contaminated rewards can lie from the true mean.

With q = sqrt(6 ln t) and m = sqrt(c ln t / n), n rewards of which a fraction of at most alpha is contaminated,

    mean      sigma m                                             nothing contaminated
    trim      sigma (m + 4 alpha q) / (1 - 2 alpha)               Theorem 1
              sigma (m + 2 alpha q) / (1 - 2 alpha)               sharpened
    shorth    sigma (m + (6 alpha - 8 alpha^2) q / (1 - alpha)) / (1 - 2 alpha)      Theorem 2, alpha < 1/3
              sigma (m + 5 alpha q) / (1 - alpha)                 sharpened, alpha < 1/2

each with probability at least 1 - 4/t^2 and t >= n. With c = 4 (the paper) that is for one fixed n; with c = 6 it
is for all n <= t at once, which is what the random number of pulls of a bandit's arm asks for.

`bound=b` replaces sigma q: every true reward lies within b of the mean. The contamination need not.

>>> round(float(trim_radius(20, 100, sigma=1.2649, alpha=0.1)), 6)
4.841901
>>> round(float(trim_radius(20, 100, sigma=1.2649, alpha=0.1, kind="sharpened")), 6)
3.179657

The theorems count fractions. The `_exact` functions count rewards, and so hold for any rounding.

Reference: Niss & Tewari (2020), Theorems 1 and 2, Corollaries 1 and 2. The sharpened constants are derived in
docs/reading-the-paper.md.
"""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.parameters import Positive, check_number, checked

Kind = Literal["paper", "sharpened"]

SHARPER_TRIM = 0.5  # 2 alpha in place of the 4 alpha of Theorem 1


def _at_least_one(name: str, value: ArrayLike) -> Floats:
    x = np.asarray(value, dtype=np.float64)
    wrong = x[~(np.isfinite(x) & (x >= 1))]
    if wrong.size:
        raise ParameterError(f"{name} must be at least 1, got {wrong.flat[0]:g}")
    return x


def _parts(n: ArrayLike, t: ArrayLike, sigma: float, c: float, bound: float | None) -> tuple[Floats, Floats, Floats]:
    """Return n, sigma sqrt(c ln t / n), and how far from the mean a true reward can be: sigma sqrt(6 ln t), or b."""
    pulls, rounds = np.broadcast_arrays(_at_least_one("n", n), _at_least_one("t", t))
    late = pulls > rounds
    if late.any():
        raise ParameterError(f"n must be at most t = {rounds[late].flat[0]:g}, got {pulls[late].flat[0]:g}")
    furthest = sigma * np.sqrt(6.0 * np.log(rounds)) if bound is None else np.full_like(rounds, bound)
    return pulls, np.asarray(sigma * np.sqrt(c * np.log(rounds) / pulls)), np.asarray(furthest)


@checked
def mean_radius(n: ArrayLike, t: ArrayLike, *, sigma: Positive, c: Positive = 4.0) -> Floats:
    """Return the radius of the plain mean of n uncontaminated rewards in round t."""
    return _parts(n, t, sigma, c, None)[1]


@checked
def trim_radius(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    alpha: float,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: Kind = "paper",
) -> Floats:
    """Return the radius of the alpha-trimmed mean, cut by `rounding="floor"`; 0 <= alpha < 1/2."""
    trim, (_, noise, furthest) = TrimmedMean(alpha), _parts(n, t, sigma, c, bound)
    bias = trim.bias * (SHARPER_TRIM if kind == "sharpened" else 1.0)
    return np.asarray(trim.inflation * noise + bias * furthest)


@checked
def shorth_radius(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    alpha: float,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: Kind = "paper",
) -> Floats:
    """Return the radius of the alpha-shorth mean; alpha < 1/3 as in the paper, < 1/2 sharpened."""
    sharpened = kind == "sharpened"
    check_number("alpha", alpha, at_least=0, below=1 / 2 if sharpened else 1 / 3)
    shorth, (_, noise, furthest) = ShorthMean(alpha, sharpened=sharpened), _parts(n, t, sigma, c, bound)
    return np.asarray(shorth.inflation * noise + shorth.bias * furthest)


@checked
def trim_radius_exact(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    cut: int,
    n_bad: int,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: Kind = "paper",
) -> Floats:
    """Return the radius when each end loses `cut` of n rewards, of which at most n_bad <= cut are bad.

    (n noise + (2 n_bad + 2 cut) spread) / (n - 2 cut); sharpened, 2 cut spread is enough.
    """
    pulls, noise, furthest = _parts(n, t, sigma, c, bound)
    _check_counts(pulls, n_bad, "cut", cut)
    moved = 2 * cut if kind == "sharpened" else 2 * n_bad + 2 * cut
    return np.asarray((pulls * noise + moved * furthest) / (pulls - 2 * cut))


@checked
def shorth_radius_exact(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    spare: int,
    n_bad: int,
    c: Positive = 4.0,
    bound: Positive | None = None,
) -> Floats:
    """Return the radius when the window leaves out `spare` of n rewards, of which at most n_bad <= spare are bad.

    (n noise + (4 n_bad + spare) spread) / (n - spare), for spare < n/2: the sharpened Theorem 2 in counts.
    """
    pulls, noise, furthest = _parts(n, t, sigma, c, bound)
    _check_counts(pulls, n_bad, "spare", spare)
    return np.asarray((pulls * noise + (4 * n_bad + spare) * furthest) / (pulls - spare))


def _check_counts(pulls: Floats, n_bad: int, name: str, dropped: int) -> None:
    """Refuse to drop half of the rewards or more, or fewer than the bad ones."""
    check_number(name, dropped, at_most=(int(pulls.min()) - 1) // 2)
    check_number("n_bad", n_bad, at_most=dropped)
