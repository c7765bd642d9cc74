"""All regret bounds of one problem side by side, with proved constants."""

from typing import Any

from numpy.typing import ArrayLike

from trueward.parameters import BelowHalf, Positive, Rounds, checked
from trueward.theory.admissible_alpha import CONSTANTS, AdmissibleKind
from trueward.theory.peer_bounds import exp3_bound, exp3pp_bound, tsallis_inf_bound, ucb1_bound, ucb_bound
from trueward.theory.regret_bounds import (
    PEELING_EXCESS_PULLS,
    RegretBound,
    gap_dependent_bound,
    gap_free_bound,
    linear_bound,
    proved_excess_pulls,
)


@checked
def compare_bounds(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf,
    width: Positive,
    kind: AdmissibleKind = "trim",
    bound: Positive | None = None,
    c: Positive = 4.0,
) -> list[RegretBound]:
    """Return every regret bound for one problem, with proved constants: which ones apply, and which are not vacuous.

    Parameters
    ----------
    gaps : array_like
        Gaps Delta_a of all arms, with the 0 of the best one.
    sigma : float
        Sub-Gaussian constant of the true rewards.
    horizon : int
        Number of rounds T.
    alpha : float
        Fraction of each arm's rewards that is contaminated, at least 0 and below 1/2.
    width : float
        Width w of the range to which all rewards, contaminated ones included, are clipped for the algorithms that need
        a range. Their corruption is then at most alpha T w, if contamination is decided before the arm is chosen.
    kind, bound, c
        As in `gap_dependent_bound`.

    Returns
    -------
    list of RegretBound
        The bounds of crUCB, then those of the other algorithms. The linear bound is left out where alpha is too large
        for it.

    Examples
    --------
    >>> for bound in compare_bounds([0, 1, 1, 1, 1], sigma=1.265, horizon=1000, alpha=0.005, width=10)[:4]:
    ...     print(f"{bound.name:30} {bound.raw:6.0f} {'applies' if bound.applies else 'does not apply'}")
    crUCB trim, gap-dependent        2934 applies
    crUCB trim, gap-free             1985 applies
    crUCB trim, gap-free (proof)     3866 applies
    crUCB trim, linear               1985 applies
    >>> all(bound.vacuous for bound in compare_bounds([0, 1], sigma=1.265, horizon=100, alpha=0.1, width=10))
    True

    References
    ----------
    As for the single bounds.
    """
    corruption = alpha * horizon * width
    crucb: dict[str, Any] = {"sigma": sigma, "horizon": horizon, "alpha": alpha, "kind": kind, "bound": bound, "c": c}
    crucb["excess_pulls"] = min(proved_excess_pulls(c), PEELING_EXCESS_PULLS)  # below c = 4 nothing is proved
    peer: dict[str, Any] = {"horizon": horizon, "width": width, "corruption": corruption}
    bounds = [
        gap_dependent_bound(gaps, **crucb),
        gap_free_bound(gaps, **crucb),
        gap_free_bound(gaps, constant="proof", **crucb),
    ]
    if alpha < 1 / CONSTANTS[kind][0]:
        bounds.append(linear_bound(gaps, **crucb))
    return [
        *bounds,
        ucb_bound(gaps, sigma=sigma, horizon=horizon, corruption=corruption),
        ucb1_bound(gaps, **peer),
        exp3_bound(gaps, **peer),
        exp3_bound(gaps, kind="anytime", **peer),
        exp3_bound(gaps, kind="exp3.1", **peer),
        exp3pp_bound(gaps, **peer),
        tsallis_inf_bound(gaps, kind="iw", **peer),
        tsallis_inf_bound(gaps, kind="rv", **peer),
    ]
