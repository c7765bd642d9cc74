"""Regret bounds of algorithms that do not model contamination, in the units of the rewards."""

import math
from typing import Annotated, Literal

from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats
from trueward.parameters import NotNegative, Positive, Rounds, above, checked
from trueward.theory.regret_bounds import RegretBound, check_gaps, regret_bound


@checked
def ucb1_bound(
    gaps: ArrayLike, *, horizon: Rounds, width: Positive = 1.0, corruption: NotNegative = 0.0
) -> RegretBound:
    """Return the bound on UCB1's regret, for uncontaminated rewards in a range of width w.

        sum_a 8 w^2 ln T / Delta_a + (1 + pi^2/3) Delta_a

    Parameters
    ----------
    gaps : array_like
        Gaps Delta_a of all arms, with the 0 of the best one.
    horizon : int
        Number of rounds T.
    width : float
        Width w of the range of rewards.
    corruption : float
        Total contamination C = sum_t max_a |x_a(t) - r_a(t)|. The bound applies only if it is 0.

    Returns
    -------
    RegretBound
        The bound, and whether it applies.

    Examples
    --------
    >>> round(ucb1_bound([0, 0.5], horizon=1000).raw, 1)
    112.7

    References
    ----------
    Auer, Cesa-Bianchi & Fischer (2002), Theorem 1.
    """
    gap_array, log_t = check_gaps(gaps), math.log(horizon)
    raw = sum(
        8.0 * width * width * log_t / gap + (1.0 + math.pi**2 / 3.0) * gap for gap in gap_array[gap_array > 0].tolist()
    )
    return regret_bound("UCB1", float(raw), gaps=gap_array, horizon=horizon, applies=corruption == 0.0)


@checked
def ucb_bound(
    gaps: ArrayLike,
    *,
    sigma: Positive,
    horizon: Rounds,
    c: Annotated[float, above(4)] = 6.0,
    corruption: NotNegative = 0.0,
) -> RegretBound:
    """Return the bound on UCB's regret with the index mean + sigma sqrt(c ln t / n): crUCB's at alpha = 0.

        sum_a 4 c sigma^2 ln T / Delta_a + c / (c - 4) Delta_a    for uncontaminated rewards, c > 4

    Parameters
    ----------
    gaps : array_like
        Gaps Delta_a of all arms, with the 0 of the best one.
    sigma : float
        Sub-Gaussian constant of the rewards.
    horizon : int
        Number of rounds T.
    c : float
        Constant of the exploration bonus, above 4.
    corruption : float
        Total contamination C. The bound applies only if it is 0.

    Returns
    -------
    RegretBound
        The bound, and whether it applies.

    Examples
    --------
    >>> round(ucb_bound([0, 0.5], sigma=1, horizon=1000).raw, 1)
    333.1

    References
    ----------
    Bubeck & Cesa-Bianchi (2012), Theorem 2.1.
    """
    gap_array, log_t = check_gaps(gaps), math.log(horizon)
    raw = sum(4.0 * c * sigma * sigma * log_t / gap + c / (c - 4.0) * gap for gap in gap_array[gap_array > 0].tolist())
    return regret_bound("UCB", float(raw), gaps=gap_array, horizon=horizon, applies=corruption == 0.0)


@checked
def exp3_bound(
    gaps: ArrayLike,
    *,
    horizon: Rounds,
    width: Positive = 1.0,
    corruption: NotNegative = 0.0,
    kind: Literal["exp3", "anytime", "exp3.1"] = "exp3",
) -> RegretBound:
    """Return the bound on EXP3's regret against any rewards in a range of width w.

        exp3       2 sqrt(e - 1) w sqrt(T K ln K) + 2 C                               tuned to the horizon
        anytime    2 w sqrt(T K ln K) + 2 C                                           for losses
        exp3.1     w (8 sqrt(e - 1) sqrt(T K ln K) + 8 (e - 1) K + 2 K ln K) + 2 C

    Parameters
    ----------
    gaps : array_like
        Gaps Delta_a of all arms, with the 0 of the best one.
    horizon : int
        Number of rounds T.
    width : float
        Width w of the range of rewards.
    corruption : float
        Total contamination C = sum_t max_a |x_a(t) - r_a(t)|.
    kind : {"exp3", "anytime", "exp3.1"}
        Variant of the algorithm.

    Returns
    -------
    RegretBound
        The bound, which always applies.

    Notes
    -----
    The theorems are about *observed* rewards; the uncontaminated regret is at most 2 C larger. C counts the rewards of
    arms that were not played, so an adversary that decides after the arm is chosen needs its own accounting of C.

    Examples
    --------
    >>> round(exp3_bound([0, 0.5], horizon=1000).raw, 1)
    97.6

    References
    ----------
    Auer, Cesa-Bianchi, Freund & Schapire (2002), Corollary 3.2 and Theorem 4.1; Bubeck & Cesa-Bianchi (2012),
    Theorem 3.1, for the anytime form.
    """
    gap_array = check_gaps(gaps)
    n_arms, e1 = gap_array.size, math.e - 1.0
    root = math.sqrt(horizon * n_arms * math.log(n_arms))
    name, raw = {
        "exp3": ("EXP3", 2.0 * math.sqrt(e1) * root),
        "anytime": ("EXP3 anytime", 2.0 * root),
        "exp3.1": ("EXP3.1", 8.0 * math.sqrt(e1) * root + 8.0 * e1 * n_arms + 2.0 * n_arms * math.log(n_arms)),
    }[kind]
    return regret_bound(name, width * raw + 2.0 * corruption, gaps=gap_array, horizon=horizon, applies=True)


@checked
def exp3pp_bound(
    gaps: ArrayLike, *, horizon: Rounds, width: Positive = 1.0, corruption: NotNegative = 0.0
) -> RegretBound:
    """Return the bound on EXP3++'s regret against any rewards in a range of width w.

        4 w sqrt(T K ln K) + 2 C

    Its stochastic bound has no printed constant.

    Parameters
    ----------
    gaps, horizon, width, corruption
        As in `exp3_bound`, with the same note on C.

    Returns
    -------
    RegretBound
        The bound, which always applies.

    Examples
    --------
    >>> round(exp3pp_bound([0, 0.5], horizon=1000).raw, 1)
    148.9

    References
    ----------
    Seldin & Slivkins (2014), Theorem 1.
    """
    gap_array = check_gaps(gaps)
    raw = 4.0 * math.sqrt(horizon * gap_array.size * math.log(gap_array.size))
    return regret_bound("EXP3++", width * raw + 2.0 * corruption, gaps=gap_array, horizon=horizon, applies=True)


@checked
def tsallis_inf_bound(
    gaps: ArrayLike,
    *,
    horizon: Rounds,
    width: Positive = 1.0,
    corruption: NotNegative = 0.0,
    kind: Literal["iw", "rv"] = "rv",
) -> RegretBound:
    """Return the bound on the regret of 1/2-Tsallis-INF against any rewards in a range of width w.

        iw    w (4 sqrt(K T) + 1) + 2 C
        rv    w (2 sqrt(K T) + 14 K ln T + 16) + 2 C, or a logarithmic bound where the gaps make it smaller

    Parameters
    ----------
    gaps, horizon, width, corruption
        As in `exp3_bound`, with the same note on C.
    kind : {"iw", "rv"}
        Importance-weighted or reduced-variance estimators.

    Returns
    -------
    RegretBound
        The bound, which always applies.

    Notes
    -----
    The logarithmic bound needs a unique best arm.

    Examples
    --------
    >>> tsallis_inf_bound([0, 0.5], horizon=10_000, kind="iw").vacuous
    False

    References
    ----------
    Zimmert & Seldin (2021), Theorem 1, whose 10 K ln T its proof gives as 14 K ln T.
    """
    gap_array = check_gaps(gaps)
    root = math.sqrt(gap_array.size * horizon)
    raw = 4.0 * root + 1.0
    if kind == "rv":
        worst_case = 2.0 * root + 14.0 * gap_array.size * math.log(horizon) + 16.0
        raw = min(worst_case, _self_bounding(gap_array / width, horizon, 2.0 * corruption / width))
    name = f"Tsallis-INF {kind.upper()}"
    return regret_bound(name, width * raw + 2.0 * corruption, gaps=gap_array, horizon=horizon, applies=True)


def _self_bounding(gap_array: Floats, horizon: int, slack: float) -> float:
    """Return the logarithmic bound of the RV form; a corruption C leaves a slack of 2 C in the gaps' constraint."""
    positive = gap_array[gap_array > 0]
    if positive.size != gap_array.size - 1 or positive.size == 0:
        return math.inf
    x = float(((math.log(horizon) + 3.0) / positive).sum() + 2.0 / positive.min())
    rest = 28.0 * gap_array.size * math.log(horizon) + 1.5 * math.sqrt(gap_array.size) + 32.0
    return (2.0 * math.sqrt(x * slack) if slack > x else x + slack) + rest
