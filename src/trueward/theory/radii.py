"""Confidence radii: how far a robust mean of contaminated rewards can be from the true mean."""

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.estimators.shorth_mean.shorth_mean import ShorthMean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.parameters import Positive, check_number, checked

RadiusKind = Literal["paper", "sharpened"]

SHARPENED_TRIM_BIAS = 0.5  # 2 alpha in place of the 4 alpha of Theorem 1


def _check_at_least_one(name: str, value: ArrayLike) -> Floats:
    x = np.asarray(value, dtype=np.float64)
    wrong = x[~(np.isfinite(x) & (x >= 1))]
    if wrong.size:
        raise ParameterError(f"{name} must be at least 1, got {wrong.flat[0]:g}")
    return x


def _terms(n: ArrayLike, t: ArrayLike, sigma: float, c: float, bound: float | None) -> tuple[Floats, Floats, Floats]:
    """Return n, the noise sigma sqrt(c ln t / n), and the largest deviation of a true reward."""
    pulls, rounds = np.broadcast_arrays(_check_at_least_one("n", n), _check_at_least_one("t", t))
    late = pulls > rounds
    if late.any():
        raise ParameterError(f"n must be at most t = {rounds[late].flat[0]:g}, got {pulls[late].flat[0]:g}")
    deviation = sigma * np.sqrt(6.0 * np.log(rounds)) if bound is None else np.full_like(rounds, bound)
    return pulls, np.asarray(sigma * np.sqrt(c * np.log(rounds) / pulls)), np.asarray(deviation)


@checked
def mean_radius(n: ArrayLike, t: ArrayLike, *, sigma: Positive, c: Positive = 4.0) -> Floats:
    """Return the confidence radius of the mean of n uncontaminated rewards in round t.

        sigma sqrt(c ln t / n)

    Parameters
    ----------
    n : array_like
        Number of rewards, from 1 to t.
    t : array_like
        Round. It is broadcast against `n`.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    c : float
        Constant of the exploration bonus. With c = 4, as in Niss & Tewari (2020), a radius holds for one fixed n; with
        c = 6 it holds for all n <= t at once, as the random number of pulls of an arm requires.

    Returns
    -------
    ndarray
        The radius, which the error exceeds with probability at most 4/t^2.

    Examples
    --------
    >>> round(float(mean_radius(20, 100, sigma=1.2649)), 6)
    1.213931

    References
    ----------
    Niss & Tewari (2020), Theorem 1 at alpha = 0.
    """
    return _terms(n, t, sigma, c, None)[1]


@checked
def trim_radius(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    alpha: float,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: RadiusKind = "paper",
) -> Floats:
    """Return the confidence radius of the alpha-trimmed mean when at most a fraction alpha is contaminated.

        paper        sigma (m + 4 alpha q) / (1 - 2 alpha)    Theorem 1
        sharpened    sigma (m + 2 alpha q) / (1 - 2 alpha)

    with m = sqrt(c ln t / n) and q = sqrt(6 ln t). The second term does not shrink with n. The theorem counts
    fractions: it needs `TrimmedMean(alpha, rounding="floor")`, which is not the default.
    `trim_radius_from_counts` holds for any rounding.

    Parameters
    ----------
    n, t : array_like
        Number of rewards, and the round, n <= t.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    alpha : float
        Fraction that is trimmed at each end, at least 0 and below 1/2.
    c : float
        Constant of the exploration bonus; see `mean_radius`.
    bound : float, optional
        Bound b on |reward - mean| of the true rewards, in place of sigma q. Contaminated rewards need not satisfy it.
    kind : {"paper", "sharpened"}
        Constants of Niss & Tewari (2020), or the sharpened ones.

    Returns
    -------
    ndarray
        The radius, which the error exceeds with probability at most 4/t^2.

    Examples
    --------
    >>> round(float(trim_radius(20, 100, sigma=1.2649, alpha=0.1)), 6)
    4.841901
    >>> round(float(trim_radius(20, 100, sigma=1.2649, alpha=0.1, kind="sharpened")), 6)
    3.179657

    References
    ----------
    Niss & Tewari (2020), Theorem 1 and Corollary 1. The sharpened constant is derived in docs/reading-the-paper.md.
    """
    trim, (_, noise, deviation) = TrimmedMean(alpha), _terms(n, t, sigma, c, bound)
    bias = trim.bias * (SHARPENED_TRIM_BIAS if kind == "sharpened" else 1.0)
    return np.asarray(trim.inflation * noise + bias * deviation)


@checked
def shorth_radius(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    alpha: float,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: RadiusKind = "paper",
) -> Floats:
    """Return the confidence radius of the alpha-shorth mean when at most a fraction alpha is contaminated.

        paper        sigma (m + (6 alpha - 8 alpha^2) q / (1 - alpha)) / (1 - 2 alpha)    Theorem 2, alpha < 1/3
        sharpened    sigma (m + 5 alpha q) / (1 - alpha)                                  alpha < 1/2

    with m = sqrt(c ln t / n) and q = sqrt(6 ln t). The second term does not shrink with n.

    Parameters
    ----------
    n, t : array_like
        Number of rewards, and the round, n <= t.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    alpha : float
        Fraction outside the window of the shorth mean, at least 0 and below 1/3 (1/2 if sharpened).
    c : float
        Constant of the exploration bonus; see `mean_radius`.
    bound : float, optional
        Bound b on |reward - mean| of the true rewards, in place of sigma q. Contaminated rewards need not satisfy it.
    kind : {"paper", "sharpened"}
        Constants of Niss & Tewari (2020), or the sharpened ones.

    Returns
    -------
    ndarray
        The radius, which the error exceeds with probability at most 4/t^2.

    Examples
    --------
    >>> [round(float(shorth_radius(20, 100, sigma=1, alpha=0.1, kind=kind)), 3) for kind in ("paper", "sharpened")]
    [4.996, 3.987]

    References
    ----------
    Niss & Tewari (2020), Theorem 2 and Corollary 2. The sharpened constants are derived in docs/reading-the-paper.md.
    """
    sharpened = kind == "sharpened"
    check_number("alpha", alpha, at_least=0, below=1 / 2 if sharpened else 1 / 3)
    shorth, (_, noise, deviation) = ShorthMean(alpha, sharpened=sharpened), _terms(n, t, sigma, c, bound)
    return np.asarray(shorth.inflation * noise + shorth.bias * deviation)


@checked
def trim_radius_from_counts(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    cut: int,
    n_bad: int,
    c: Positive = 4.0,
    bound: Positive | None = None,
    kind: RadiusKind = "paper",
) -> Floats:
    """Return the confidence radius of a trimmed mean by the number of rewards cut: Theorem 1 for any rounding.

        paper        (n sigma m + (2 n_bad + 2 cut) sigma q) / (n - 2 cut)
        sharpened    (n sigma m + 2 cut sigma q) / (n - 2 cut)

    with m = sqrt(c ln t / n) and q = sqrt(6 ln t).

    Parameters
    ----------
    n, t : array_like
        Number of rewards, and the round, n <= t.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    cut : int
        Number of rewards trimmed at each end, below n/2.
    n_bad : int
        Largest number of contaminated rewards, at most `cut`.
    c, bound, kind
        As in `trim_radius`.

    Returns
    -------
    ndarray
        The radius, which the error exceeds with probability at most 4/t^2.

    Examples
    --------
    >>> round(float(trim_radius_from_counts(10, 100, sigma=1, cut=1, n_bad=0)), 3)
    3.011

    References
    ----------
    Niss & Tewari (2020), proof of Theorem 1. The sharpened constant is derived in docs/reading-the-paper.md.
    """
    pulls, noise, deviation = _terms(n, t, sigma, c, bound)
    _check_counts(pulls, n_bad, "cut", cut)
    moved = 2 * cut if kind == "sharpened" else 2 * n_bad + 2 * cut
    return np.asarray((pulls * noise + moved * deviation) / (pulls - 2 * cut))


@checked
def shorth_radius_from_counts(
    n: ArrayLike,
    t: ArrayLike,
    *,
    sigma: Positive,
    n_outside: int,
    n_bad: int,
    c: Positive = 4.0,
    bound: Positive | None = None,
) -> Floats:
    """Return the confidence radius of a shorth mean by the number of rewards outside its window.

        (n sigma m + (4 n_bad + n_outside) sigma q) / (n - n_outside)

    with m = sqrt(c ln t / n) and q = sqrt(6 ln t): the sharpened Theorem 2 in counts, for any rounding.

    Parameters
    ----------
    n, t : array_like
        Number of rewards, and the round, n <= t.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    n_outside : int
        Number of rewards outside the window, below n/2.
    n_bad : int
        Largest number of contaminated rewards, at most `n_outside`.
    c, bound
        As in `shorth_radius`.

    Returns
    -------
    ndarray
        The radius, which the error exceeds with probability at most 4/t^2.

    Examples
    --------
    >>> round(float(shorth_radius_from_counts(20, 100, sigma=1, n_outside=2, n_bad=2)), 3)
    3.987

    References
    ----------
    Niss & Tewari (2020), Theorem 2. The constants are derived in docs/reading-the-paper.md.
    """
    pulls, noise, deviation = _terms(n, t, sigma, c, bound)
    _check_counts(pulls, n_bad, "n_outside", n_outside)
    return np.asarray((pulls * noise + (4 * n_bad + n_outside) * deviation) / (pulls - n_outside))


def _check_counts(pulls: Floats, n_bad: int, name: str, dropped: int) -> None:
    check_number(name, dropped, at_most=(int(pulls.min()) - 1) // 2)
    check_number("n_bad", n_bad, at_most=dropped)
