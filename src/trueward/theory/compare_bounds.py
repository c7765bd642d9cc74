"""All regret bounds side by side, with constants that are proved: which of them says anything, and whether it applies.

>>> for bound in compare_bounds([0, 1, 1, 1, 1], sigma=1.265, horizon=1000, alpha=0.005, width=10)[:4]:
...     print(f"{bound.name:28} {bound.raw:6.0f} {'applies' if bound.applies else 'does not apply'}")
crUCB trim, gaps               2934 applies
crUCB trim, minimax            1985 applies
crUCB trim, minimax (split)    3866 applies
crUCB trim, linear             1985 applies
>>> all(bound.vacuous for bound in compare_bounds([0, 1], sigma=1.265, horizon=100, alpha=0.1, width=10))
True
"""

from typing import Any

from numpy.typing import ArrayLike

from trueward.parameters import BelowHalf, Positive, Rounds, checked
from trueward.theory.admissible import CONSTANTS, Admissible
from trueward.theory.peer_bounds import exp3_bound, exp3pp_bound, tsallis_inf_bound, ucb1_bound, ucb_bound
from trueward.theory.regret_bounds import (
    PEELED_LUCK,
    RegretBound,
    gap_bound,
    linear_bound,
    minimax_bound,
    proved_luck,
)


@checked
def compare_bounds(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    alpha: BelowHalf,
    width: Positive,
    kind: Admissible = "trim",
    bound: Positive | None = None,
    c: Positive = 4.0,
) -> list[RegretBound]:
    """Return every bound for a problem whose arms have a fraction alpha of contaminated rewards.

    The rewards, contaminated ones included, are clipped to a range of this `width` for the algorithms that need
    one; their corruption is then at most alpha T width, when it is settled before the arm is chosen.
    """
    corruption = alpha * horizon * width
    crucb: dict[str, Any] = {"sigma": sigma, "horizon": horizon, "alpha": alpha, "kind": kind, "bound": bound, "c": c}
    crucb["luck"] = min(proved_luck(c), PEELED_LUCK)  # below c = 4 nothing is proved
    peer: dict[str, Any] = {"horizon": horizon, "width": width, "corruption": corruption}
    bounds = [
        gap_bound(gaps, **crucb),
        minimax_bound(gaps, **crucb),
        minimax_bound(gaps, constant="split", **crucb),
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
