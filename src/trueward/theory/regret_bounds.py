"""Bounds on the uncontaminated regret of crUCB, with the trivial bound beside them.

With K arms, gaps Delta_a and horizon T, c = 4 and luck = 15 as printed in the paper:

    gap form    sum_a 16 c sigma^2 ln T / Delta_a + luck Delta_a
    minimax     sqrt(16 c) sigma sqrt(K T ln T) + luck sum_a Delta_a             Theorems 3 and 4: 8 sigma …
    linear      the same over the arms whose gap alpha resolves, and
                e alpha sigma sqrt(6 ln T) / (1 - d alpha) * T for the rest    Appendix B: d = 4, e = 16

The paper's own proof of the minimax form adds two halves of 8 and gives 16 (`constant="split"`); its 8
is right all the same, by the Cauchy-Schwarz inequality (docs/reading-the-paper.md).

The printed pair is not proved, because the number of pulls is random. Proved are c = 6 with 15, and c = 4 with 26, both
for a trimmed mean that rounds *down*, `TrimmedMean(alpha, rounding="floor")`, which is not its default. A bound
`applies` for a proved pair, or a larger one.

>>> bound = minimax_bound([0, 1, 1, 1, 1], sigma=1.265, horizon=1000, alpha=0.1)
>>> round(bound.raw), bound.value, bound.vacuous, bound.applies
(1941, 1000.0, True, False)
>>> [gap_bound([0, 1], sigma=1, horizon=1000, c=c, luck=luck).applies for c, luck in ((4, 15), (4, 26), (6, 15))]
[False, True, True]

Reference: Niss & Tewari (2020), Theorems 3 and 4, Corollaries 1 and 2, Appendix B.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.parameters import BelowHalf, NotNegative, Positive, Rounds, check_array, checked
from trueward.theory.admissible import Admissible, alpha_max, pull_threshold, resolved_gap

PRINTED_LUCK = 15.0  # pulls by bad luck in the paper; with c = 6, 1 + sum_{t >= 3} 8 / t^2 = 4.2 would do
PEELED_LUCK = 26.0  # with c = 4 and the number of pulls random, by peeling: docs/reading-the-paper.md


@dataclass(frozen=True, kw_only=True)
class RegretBound:
    """An upper bound on the expected uncontaminated regret after T rounds."""

    name: str
    raw: float  # what the theorem says
    trivial: float  # T times the largest gap, which nobody exceeds
    applies: bool  # whether the theorem's conditions hold

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


def checked_gaps(gaps: ArrayLike) -> Floats:
    """Return the gaps of all arms, the best one's 0 among them."""
    delta = check_array("gaps", gaps, at_least=0)
    if delta.min() > 0:
        raise ParameterError(f"gaps must hold a 0 for the best arm, got {gaps!r}")
    return delta


def regret_bound(name: str, raw: float, *, gaps: Floats, horizon: int, applies: bool) -> RegretBound:
    """Return the bound `raw` with the trivial one beside it; no theorem here covers fewer rounds than arms."""
    trivial = horizon * float(gaps.max())
    return RegretBound(name=name, raw=raw, trivial=trivial, applies=applies and horizon >= gaps.size)


@checked
def proved_luck(c: Positive) -> float:
    """Return the luck with which the theorems are proved for a random number of pulls; infinite below c = 4."""
    if c < 4:
        return math.inf
    return PRINTED_LUCK if c >= 6 else PEELED_LUCK


def _resolved(delta: Floats, alpha: float, **game: Any) -> NDArray[np.bool_]:
    """Return which arms the theorem covers; for the best arms there is nothing to resolve."""
    return np.array([gap == 0 or alpha <= alpha_max(gap, **game) for gap in delta.tolist()])


def _minimax(delta: Floats, n_arms: int, *, sigma: float, horizon: int, constant: str, c: float, luck: float) -> float:
    kappa = math.sqrt(16.0 * c) * (2.0 if constant == "split" else 1.0)
    return kappa * sigma * math.sqrt(n_arms * horizon * math.log(horizon)) + luck * float(delta.sum())


@checked
def gap_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf = 0.0,
    kind: Admissible = "trim",
    bound: Positive | None = None,
    c: Positive = 4.0,
    luck: NotNegative = PRINTED_LUCK,
) -> RegretBound:
    """Return the bound that depends on the gaps, from the number of pulls of each arm."""
    delta = checked_gaps(gaps)
    covered = _resolved(delta, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = sum(
        gap * (pull_threshold(gap, sigma=sigma, horizon=horizon, c=c) + luck) for gap in delta[delta > 0].tolist()
    )
    applies = bool(covered.all()) and luck >= proved_luck(c)
    return regret_bound(f"crUCB {kind}, gaps", float(raw), gaps=delta, horizon=horizon, applies=applies)


@checked
def minimax_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf = 0.0,
    kind: Admissible = "trim",
    bound: Positive | None = None,
    constant: Literal["printed", "split"] = "printed",
    c: Positive = 4.0,
    luck: NotNegative = PRINTED_LUCK,
) -> RegretBound:
    """Return the bound of Theorem 3 or 4, with its 8 or with the 16 of the printed proof."""
    delta = checked_gaps(gaps)
    covered = _resolved(delta, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = _minimax(delta, delta.size, sigma=sigma, horizon=horizon, constant=constant, c=c, luck=luck)
    name = f"crUCB {kind}, minimax" + (" (split)" if constant == "split" else "")
    applies = bool(covered.all()) and luck >= proved_luck(c)
    return regret_bound(name, raw, gaps=delta, horizon=horizon, applies=applies)


@checked
def linear_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf,
    kind: Admissible = "trim",
    bound: Positive | None = None,
    constant: Literal["printed", "split"] = "printed",
    c: Positive = 4.0,
    luck: NotNegative = PRINTED_LUCK,
) -> RegretBound:
    """Return the bound of Appendix B, for any alpha below 1/4 (below 1/2 for the sharpened shorth mean)."""
    delta = checked_gaps(gaps)
    unresolved = resolved_gap(alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    covered = _resolved(delta, alpha, sigma=sigma, horizon=horizon, kind=kind, bound=bound)
    raw = _minimax(delta[covered], delta.size, sigma=sigma, horizon=horizon, constant=constant, c=c, luck=luck)
    raw += 0.0 if covered.all() else unresolved * horizon
    return regret_bound(f"crUCB {kind}, linear", raw, gaps=delta, horizon=horizon, applies=luck >= proved_luck(c))
