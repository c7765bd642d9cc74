"""The smallest gap between two means that contamination cannot hide, for several classes of distributions."""

import math
from statistics import NormalDist
from typing import Annotated, NamedTuple

from trueward.parameters import Positive, Share, above, at_most, check_number, checked
from trueward.theory.identifiability import ContaminationModel, hidden_distance


@checked
def gaussian_gap_threshold(epsilon: Share, *, sigma: Positive, model: ContaminationModel = "mixture") -> float:
    """Return the largest gap that contamination can hide between two Gaussian arms with a common sigma.

        2 sigma Phi^-1((1 + delta) / 2),    delta = hidden_distance(epsilon, model=model)

    Parameters
    ----------
    epsilon : float
        Fraction of contaminated rewards on each arm, from 0 to 1.
    sigma : float
        Standard deviation of both arms.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination, as in `identifiability_threshold`.

    Returns
    -------
    float
        The gap; infinite where delta is 1.

    Examples
    --------
    >>> round(gaussian_gap_threshold(0.1, sigma=1), 4)
    0.2794

    References
    ----------
    Derived in docs/theory.md.
    """
    delta = hidden_distance(epsilon, model=model)
    return math.inf if delta >= 1.0 else 2.0 * sigma * NormalDist().inv_cdf(0.5 + 0.5 * delta)


@checked
def bounded_gap_threshold(epsilon: Share, *, width: Positive, model: ContaminationModel = "mixture") -> float:
    """Return the largest gap that contamination can hide between two arms with rewards in a range of this width.

        delta w,    delta = hidden_distance(epsilon, model=model)

    If nothing but the range is known, no algorithm resolves ratings from 0 to 10 whose means are one point apart once
    5 % of them are replaced.

    Parameters
    ----------
    epsilon : float
        Fraction of contaminated rewards on each arm, from 0 to 1.
    width : float
        Width w of the range of rewards.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination, as in `identifiability_threshold`.

    Returns
    -------
    float
        The gap; some pair of distributions attains it.

    Examples
    --------
    >>> round(bounded_gap_threshold(0.05, width=10, model="replacement"), 4)
    1.0

    References
    ----------
    Derived in docs/theory.md.
    """
    return width * hidden_distance(epsilon, model=model)


@checked
def subgaussian_gap_range(
    epsilon: Share, *, sigma: Positive, model: ContaminationModel = "mixture"
) -> tuple[float, float]:
    """Return bounds (low, high) on the largest gap that contamination can hide between two sigma-sub-Gaussian arms.

        low  = 2 sigma delta sqrt(2 ln((1 - delta)/delta) / (1 - 2 delta))
        high = 2 sigma delta / (1 - delta) sqrt(2 ln(1 / delta)),    delta = hidden_distance(epsilon, model=model)

    Some pair with a gap of `low` can be hidden; no pair with a gap above `high` can.

    Parameters
    ----------
    epsilon : float
        Fraction of contaminated rewards on each arm, from 0 to 1.
    sigma : float
        Sub-Gaussian constant of both arms.
    model : {"mixture", "replacement", "one-sided"}
        Model of contamination, as in `identifiability_threshold`.

    Returns
    -------
    tuple of float
        `low` and `high`, both 0 where delta is 0 and infinite where it is 1.

    Notes
    -----
    From delta = 1/2 on, `low` keeps its value at 1/2. `high` is never above 2 sigma sqrt(2 ln(1 / (1 - delta))).

    Examples
    --------
    >>> [round(gap, 3) for gap in subgaussian_gap_range(0.05, sigma=1, model="replacement")]
    [0.469, 0.477]

    References
    ----------
    Derived in docs/theory.md; the two-point distribution behind `low` has the variance proxy of Kearns & Saul (1998).
    """
    delta = hidden_distance(epsilon, model=model)
    if delta in (0.0, 1.0):
        return (0.0, 0.0) if delta == 0.0 else (math.inf, math.inf)
    low = min(delta, 0.5)  # P puts mass delta on +v, Q on -v, and both the rest on 0
    v = 2.0 if low == 0.5 else math.sqrt(2.0 * math.log((1.0 - low) / low) / (1.0 - 2.0 * low))
    # the common part of P and Q is P given an event of mass 1 - delta, and also Q given such an event
    tail = delta / (1.0 - delta) * math.sqrt(2.0 * math.log(1.0 / delta))
    body = math.sqrt(2.0 * math.log(1.0 / (1.0 - delta)))
    return 2.0 * sigma * low * v, 2.0 * sigma * min(tail, body)


class BernoulliExample(NamedTuple):
    """The smallest epsilon at which two Bernoulli arms look the same, for three adversaries.

    Parameters
    ----------
    both_arms : float
        The adversary sees the rewards and contaminates both arms.
    worse_arm : float
        The adversary sees the rewards and contaminates the worse arm: the example of Appendix B.
    worse_arm_unseen : float
        The same without seeing the rewards: some of its ones replace ones.
    """

    both_arms: float
    worse_arm: float
    worse_arm_unseen: float


@checked
def bernoulli_example(p: Annotated[float, above(0), at_most(1)], *, gap: float) -> BernoulliExample:
    """Return the contamination that makes a Bernoulli(p - gap) arm look like a Bernoulli(p) arm.

        both arms gap / 2,    worse arm gap,    worse arm, rewards unseen gap / (1 - p + gap)

    Parameters
    ----------
    p : float
        Mean of the better arm, above 0 and at most 1.
    gap : float
        Difference of the two means, above 0 and at most p.

    Returns
    -------
    BernoulliExample
        The smallest epsilon for each of three adversaries.

    Examples
    --------
    >>> [round(epsilon, 4) for epsilon in bernoulli_example(0.5, gap=0.1)]
    [0.05, 0.1, 0.1667]

    References
    ----------
    Niss & Tewari (2020), Appendix B, for the second; the first and third are new in trueward.
    """
    check_number("gap", gap, above=0, at_most=p)
    return BernoulliExample(both_arms=0.5 * gap, worse_arm=gap, worse_arm_unseen=gap / (1.0 - p + gap))
