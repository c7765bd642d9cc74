"""The smallest gap between two means that contamination cannot hide, for several classes of laws.

Contamination hides a pair of laws when it bridges their total variation distance: up to
delta = epsilon / (1 - epsilon), 2 epsilon or epsilon (`identifiability.py`). How far apart the means of such a pair
can be depends on the class:

    Gaussian, common sigma      2 sigma Phi^-1((1 + delta) / 2)
    range of width w            delta w
    sigma-sub-Gaussian          at least 2 sigma delta sqrt(2 ln((1 - delta)/delta) / (1 - 2 delta))
                                at most  2 sigma delta / (1 - delta) sqrt(2 ln(1 / delta))

>>> round(gaussian_gap_threshold(0.1, sigma=1), 4)
0.2794
>>> round(bounded_gap_threshold(0.05, width=10, model="replacement"), 4)
1.0
>>> [round(gap, 3) for gap in subgaussian_gap_range(0.05, sigma=1, model="replacement")]
[0.469, 0.477]

So ratings from 0 to 10 one point apart are beyond every algorithm from 5 % on, unless more is known of their laws.

Reference: derived in docs/theory.md; the two-point law of the sub-Gaussian case has the variance proxy of Kearns &
Saul (1998).
"""

import math
from statistics import NormalDist
from typing import Annotated, NamedTuple

from trueward.parameters import Positive, Share, above, at_most, check_number, checked
from trueward.theory.identifiability import Model, bridged_distance


@checked
def gaussian_gap_threshold(epsilon: Share, *, sigma: Positive, model: Model = "mixture") -> float:
    """Return the gap up to which contamination hides the difference of two Gaussians; infinite from 1/2 on."""
    delta = bridged_distance(epsilon, model=model)
    return math.inf if delta >= 1.0 else 2.0 * sigma * NormalDist().inv_cdf(0.5 + 0.5 * delta)


@checked
def bounded_gap_threshold(epsilon: Share, *, width: Positive, model: Model = "mixture") -> float:
    """Return the gap up to which contamination hides the difference of some two laws on a range of this width."""
    return width * bridged_distance(epsilon, model=model)


@checked
def subgaussian_gap_range(epsilon: Share, *, sigma: Positive, model: Model = "mixture") -> tuple[float, float]:
    """Return (low, high): some sub-Gaussian pair with a gap of low can be hidden, none with a gap above high."""
    delta = bridged_distance(epsilon, model=model)
    if delta in (0.0, 1.0):
        return (0.0, 0.0) if delta == 0.0 else (math.inf, math.inf)
    low = min(delta, 0.5)  # P puts mass delta on +v, Q on -v, and both the rest on 0
    v = 2.0 if low == 0.5 else math.sqrt(2.0 * math.log((1.0 - low) / low) / (1.0 - 2.0 * low))
    # the common part of P and Q is P given an event of mass 1 - delta, and Q given one
    tail = delta / (1.0 - delta) * math.sqrt(2.0 * math.log(1.0 / delta))
    body = math.sqrt(2.0 * math.log(1.0 / (1.0 - delta)))
    return 2.0 * sigma * low * v, 2.0 * sigma * min(tail, body)


class BernoulliExample(NamedTuple):
    """From which epsilon on two Bernoulli arms look the same, by what the adversary may do."""

    both: float  # sees the rewards, contaminates both arms
    seeing: float  # sees the rewards, contaminates the worse arm: the example of Appendix B
    blind: float  # the same, but does not see them: some of its ones replace ones


@checked
def bernoulli_example(p: Annotated[float, above(0), at_most(1)], *, gap: float) -> BernoulliExample:
    """Return what it takes to make Bernoulli(p - gap) look like Bernoulli(p).

    >>> [round(epsilon, 4) for epsilon in bernoulli_example(0.5, gap=0.1)]
    [0.05, 0.1, 0.1667]
    """
    check_number("gap", gap, above=0, at_most=p)
    return BernoulliExample(both=0.5 * gap, seeing=gap, blind=gap / (1.0 - p + gap))
