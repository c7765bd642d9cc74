"""Bounds on the uncontaminated regret of crUCB, each with the trivial bound beside it."""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.parameters import BelowHalf, NotNegative, Positive, Rounds, check_array, checked
from trueward.theory.admissible_alpha import AdmissibleKind, alpha_max, pull_threshold, resolved_gap

# expected number of pulls of an arm beyond its pull threshold
PRINTED_EXCESS_PULLS = 15.0  # in the paper; with c = 6, 1 + sum_{t >= 3} 8 / t^2 = 4.2 is enough
PEELING_EXCESS_PULLS = 26.0  # with c = 4 and a random number of pulls, by peeling: docs/reading-the-paper.md


@dataclass(frozen=True, kw_only=True)
class RegretBound:
    """An upper bound on the expected uncontaminated regret after T rounds.

    Parameters
    ----------
    name : str
        Algorithm and form of the bound.
    raw : float
        The number that the theorem gives.
    trivial : float
        T times the largest gap, which no policy can exceed.
    applies : bool
        Whether the conditions of the theorem hold.

    Examples
    --------
    >>> bound = RegretBound(name="mine", raw=1200.0, trivial=1000.0, applies=True)
    >>> bound.value, bound.vacuous, bound.guaranteed
    (1000.0, True, 1000.0)
    """

    name: str
    raw: float
    trivial: float
    applies: bool

    @property
    def value(self) -> float:
        """The smaller of the theorem's bound and the trivial one."""
        return min(self.raw, self.trivial)

    @property
    def vacuous(self) -> bool:
        """Whether the theorem says no more than the trivial bound."""
        return self.raw >= self.trivial

    @property
    def guaranteed(self) -> float:
        """The value if the theorem applies; otherwise the trivial bound."""
        return self.value if self.applies else self.trivial


def check_gaps(gaps: ArrayLike) -> Floats:
    """Return the gaps of all arms, which must include the 0 of the best arm."""
    gap_array = check_array("gaps", gaps, at_least=0)
    if gap_array.min() > 0:
        raise ParameterError(f"gaps must hold a 0 for the best arm, got {gaps!r}")
    return gap_array


def regret_bound(name: str, raw: float, *, gaps: Floats, horizon: int, applies: bool) -> RegretBound:
    """Add the trivial bound; no theorem here covers fewer rounds than arms."""
    trivial = horizon * float(gaps.max())
    return RegretBound(name=name, raw=raw, trivial=trivial, applies=applies and horizon >= gaps.size)


@checked
def proved_excess_pulls(c: Positive) -> float:
    """Return the excess pulls with which the theorems are proved for a random number of pulls; infinite below c = 4."""
    if c < 4:
        return math.inf
    return PRINTED_EXCESS_PULLS if c >= 6 else PEELING_EXCESS_PULLS


def _resolved(gap_array: Floats, alpha: float, **problem: Any) -> NDArray[np.bool_]:
    """Return which arms the theorem covers; the best arms have no gap to resolve."""
    return np.array([gap == 0 or alpha <= alpha_max(gap, **problem) for gap in gap_array.tolist()])


def _gap_free(
    gap_array: Floats, n_arms: int, *, sigma: float, horizon: int, constant: str, c: float, excess_pulls: float
) -> float:
    kappa = math.sqrt(16.0 * c) * (2.0 if constant == "proof" else 1.0)
    return kappa * sigma * math.sqrt(n_arms * horizon * math.log(horizon)) + excess_pulls * float(gap_array.sum())


@checked
def gap_dependent_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf = 0.0,
    kind: AdmissibleKind = "trim",
    bound: Positive | None = None,
    c: Positive = 4.0,
    excess_pulls: NotNegative = PRINTED_EXCESS_PULLS,
) -> RegretBound:
    """Return the bound on crUCB's regret that depends on the gaps.

        sum_a 16 c sigma^2 ln T / Delta_a + excess_pulls Delta_a    over the arms with Delta_a > 0

    Parameters
    ----------
    gaps : array_like
        Gaps Delta_a of all arms, with the 0 of the best one.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    horizon : int
        Number of rounds T.
    alpha : float
        Fraction of contaminated rewards, at least 0 and below 1/2. The bound applies up to `alpha_max` of the
        smallest positive gap.
    kind : str
        Estimator and constants, as in `alpha_max`.
    bound : float, optional
        Bound b on |reward - mean| of the true rewards, as in `alpha_max`.
    c : float
        Constant of the exploration bonus sqrt(c ln t / n).
    excess_pulls : float
        Expected number of pulls of an arm beyond its pull threshold.

    Returns
    -------
    RegretBound
        The bound, and whether it applies.

    Notes
    -----
    Niss & Tewari (2020) print c = 4 with 15 excess pulls. This pair is not proved, because the number of pulls is
    random. The proved pairs are c = 6 with 15 and c = 4 with 26, both for a trimmed mean that rounds *down*,
    `TrimmedMean(alpha, rounding="floor")`, which is not its default. A bound applies for a proved pair or a larger one.

    Examples
    --------
    >>> setting = {"sigma": 1, "horizon": 1000}
    >>> [gap_dependent_bound([0, 1], c=c, excess_pulls=n, **setting).applies for c, n in ((4, 15), (4, 26), (6, 15))]
    [False, True, True]

    References
    ----------
    Niss & Tewari (2020), proofs of Theorems 3 and 4, Corollaries 1 and 2.
    """
    gap_array = check_gaps(gaps)
    covered = _resolved(gap_array, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = sum(
        gap * (pull_threshold(gap, sigma=sigma, horizon=horizon, c=c) + excess_pulls)
        for gap in gap_array[gap_array > 0].tolist()
    )
    applies = bool(covered.all()) and excess_pulls >= proved_excess_pulls(c)
    return regret_bound(f"crUCB {kind}, gap-dependent", float(raw), gaps=gap_array, horizon=horizon, applies=applies)


@checked
def gap_free_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf = 0.0,
    kind: AdmissibleKind = "trim",
    bound: Positive | None = None,
    constant: Literal["theorem", "proof"] = "theorem",
    c: Positive = 4.0,
    excess_pulls: NotNegative = PRINTED_EXCESS_PULLS,
) -> RegretBound:
    """Return the gap-free (worst-case) bound on crUCB's regret.

        sqrt(16 c) sigma sqrt(K T ln T) + excess_pulls sum_a Delta_a    sqrt(16 c) = 8 in Theorems 3 and 4

    Parameters
    ----------
    gaps, sigma, horizon, alpha, kind, bound, c, excess_pulls
        As in `gap_dependent_bound`, with the same condition on alpha and the same proved pairs of constants.
    constant : {"theorem", "proof"}
        The proof of Niss & Tewari (2020) adds two terms with the factor 8 each, which gives 16, `"proof"`. The 8 of
        their theorem is nevertheless correct, by the Cauchy-Schwarz inequality (docs/reading-the-paper.md).

    Returns
    -------
    RegretBound
        The bound, and whether it applies.

    Examples
    --------
    >>> bound = gap_free_bound([0, 1, 1, 1, 1], sigma=1.265, horizon=1000, alpha=0.1)
    >>> round(bound.raw), bound.value, bound.vacuous, bound.applies
    (1941, 1000.0, True, False)

    References
    ----------
    Niss & Tewari (2020), Theorems 3 and 4, Corollaries 1 and 2.
    """
    gap_array = check_gaps(gaps)
    covered = _resolved(gap_array, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = _gap_free(
        gap_array, gap_array.size, sigma=sigma, horizon=horizon, constant=constant, c=c, excess_pulls=excess_pulls
    )
    name = f"crUCB {kind}, gap-free" + (" (proof)" if constant == "proof" else "")
    applies = bool(covered.all()) and excess_pulls >= proved_excess_pulls(c)
    return regret_bound(name, raw, gaps=gap_array, horizon=horizon, applies=applies)


@checked
def linear_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf,
    kind: AdmissibleKind = "trim",
    bound: Positive | None = None,
    constant: Literal["theorem", "proof"] = "theorem",
    c: Positive = 4.0,
    excess_pulls: NotNegative = PRINTED_EXCESS_PULLS,
) -> RegretBound:
    """Return the bound on crUCB's regret for any alpha, with a term that is linear in T.

        the gap-free bound, with the sum of gaps taken only over the arms that alpha resolves,
        + T e alpha s / (1 - d alpha), s = sigma sqrt(6 ln T) or b, if some gap is not resolved; d, e as in `alpha_max`

    Parameters
    ----------
    gaps, sigma, horizon, kind, bound, c, excess_pulls
        As in `gap_dependent_bound`, with the same proved pairs of constants.
    alpha : float
        Fraction of contaminated rewards, below 1/4 (below 1/2 for the sharpened shorth mean).
    constant : {"theorem", "proof"}
        As in `gap_free_bound`.

    Returns
    -------
    RegretBound
        The bound, and whether it applies.

    Examples
    --------
    >>> round(linear_bound([0, 1, 1, 1, 1], sigma=1.265, horizon=1000, alpha=0.05).raw)
    10025

    References
    ----------
    Niss & Tewari (2020), Appendix B, with d = 4 and e = 16.
    """
    gap_array = check_gaps(gaps)
    smallest_resolved = resolved_gap(alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    covered = _resolved(gap_array, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = _gap_free(
        gap_array[covered],
        gap_array.size,
        sigma=sigma,
        horizon=horizon,
        constant=constant,
        c=c,
        excess_pulls=excess_pulls,
    )
    raw += 0.0 if covered.all() else smallest_resolved * horizon
    applies = excess_pulls >= proved_excess_pulls(c)
    return regret_bound(f"crUCB {kind}, linear", raw, gaps=gap_array, horizon=horizon, applies=applies)
