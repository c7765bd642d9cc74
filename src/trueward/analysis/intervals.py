"""Robust intervals for the true mean of every arm, right at every moment at once, whatever rule chose the arms.

An interval has three parts. *Sampling* shrinks as more people rate. *Contamination*, what a share epsilon of bad
participants may hide, and *missing*, what those who did not answer might have said, do not.

For K arms at level 1 - delta, each end ever passes the truth of its arm with probability at most delta / (2 K): all of
them hold at once, at all times, however often one looks and whenever one stops. Epsilon is a share of *each arm's*
participants, those asked; of a bad participant, every rating of the arm may be bad. What `bad` means is in `wealth`.
Assumed beside that: honest ratings of an arm do not drift, and a participant is not shown an arm *because of* own
earlier ratings.

>>> whole = interval([7, 8, 8, 9, 9, 9, 10, 10, 10, 10] * 10, scale=(0, 10), epsilon=0.05)
>>> print(whole)
9.000, from 8.270 to 9.489 (sampling 8.421 to 9.306, contamination to 8.270 to 9.489, missing adds nothing)
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueward.analysis.ends import counted, lower_end
from trueward.analysis.participants import Units
from trueward.analysis.wealth import Bad, Level
from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.parameters import Range, Share, check_sample, checked

Pair = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """An interval in its three parts, each of which holds the one before it."""

    mean: float  # of the participants who answered; NaN for none
    sampling: Pair  # those who answered, all of them honest
    contaminated: Pair  # a share epsilon of them bad
    whole: Pair  # and whatever is pending or missing
    participants: int  # asked
    answered: int  # participants with a rating at least
    ratings: int

    @property
    def low(self) -> float:
        """The lower end."""
        return self.whole[0]

    @property
    def high(self) -> float:
        """The upper end."""
        return self.whole[1]

    @property
    def parts(self) -> dict[str, float]:
        """How much each part adds to the width."""
        widths = [high - low for low, high in (self.sampling, self.contaminated, self.whole)]
        names = ("sampling", "contamination", "missing")
        return dict(zip(names, np.diff([0.0, *widths]).tolist(), strict=True))

    def __str__(self) -> str:
        def ends(pair: Pair) -> str:
            return f"{pair[0]:.3f} to {pair[1]:.3f}"

        mean = "no ratings" if math.isnan(self.mean) else f"{self.mean:.3f}"
        by_missing = "adds nothing" if self.whole == self.contaminated else f"to {ends(self.whole)}"
        return (
            f"{mean}, from {ends(self.whole)} (sampling {ends(self.sampling)}, "
            f"contamination to {ends(self.contaminated)}, missing {by_missing})"
        )


@checked
def interval(
    ratings: Sequence[float] | Floats,
    *,
    scale: Range,
    epsilon: Share = 0.0,
    bad: Bad = "careless",
    level: Level = 0.95,
    missing: int = 0,
) -> Interval:
    """Return the robust interval of one arm from a rating per participant; `missing` gave none."""
    given = (check_sample(ratings, -1) - scale[0]) / (scale[1] - scale[0])
    if given.min() < 0.0 or given.max() > 1.0:
        raise ParameterError(f"ratings must be on the scale from {scale[0]:g} to {scale[1]:g}, got others")
    units = Units(given, np.append(given, np.zeros(missing)), np.append(given, np.ones(missing)), given.size)
    return interval_of(units, scale, epsilon=epsilon, bad=bad, delta=1.0 - level)


def interval_of(units: Units, scale: Pair, *, epsilon: float, bad: Bad, delta: float) -> Interval:
    """Return the interval of an arm, both ends of which hold with probability 1 - delta."""
    low, width = scale[0], scale[1] - scale[0]

    def ends(below: Floats, above: Floats, epsilon: float) -> Pair:
        lower = lower_end(counted(below), delta=delta / 2, epsilon=epsilon, bad=bad)
        upper = 1.0 - lower_end(counted(1.0 - above), delta=delta / 2, epsilon=epsilon, bad=bad)
        return low + width * lower, low + width * upper

    contaminated = ends(units.given, units.given, epsilon)
    complete = bool((units.low == units.high).all())
    return Interval(
        mean=low + width * float(units.given.mean()) if units.given.size else float("nan"),
        sampling=ends(units.given, units.given, 0.0),
        contaminated=contaminated,
        whole=contaminated if complete else ends(units.low, units.high, epsilon),
        participants=units.low.size,
        answered=units.given.size,
        ratings=units.ratings,
    )
