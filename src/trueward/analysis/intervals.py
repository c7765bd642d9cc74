"""Robust intervals for the true mean of an arm, valid at every moment at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from trueward.analysis.betting import Bad, Level
from trueward.analysis.bounds import lower_bound, value_counts
from trueward.analysis.decisions import ArmSample
from trueward.engine.kernel import Floats
from trueward.errors import ParameterError
from trueward.parameters import Range, Share, check_sample, checked

Pair = tuple[float, float]


@dataclass(frozen=True)
class Interval:
    """A robust interval for the true mean of an arm, in three parts that contain each other.

    `sampling` is the interval of the participants who answered, if all of them are honest; it shrinks as more people
    rate. `contaminated` allows for a share epsilon of bad participants among them. `whole` also allows for whatever the
    pending and missing ratings might be. The last two parts do not shrink. `analyse` and `interval` make intervals.

    Parameters
    ----------
    mean : float
        Mean of the participants who answered; NaN if nobody did.
    sampling, contaminated, whole : tuple of float
        Lower and upper bound of each part, on the rating scale.
    participants : int
        Participants who were asked.
    answered : int
        Participants with at least one rating.
    ratings : int
        Number of ratings.
    """

    mean: float
    sampling: Pair
    contaminated: Pair
    whole: Pair
    participants: int
    answered: int
    ratings: int

    @property
    def low(self) -> float:
        """The lower bound."""
        return self.whole[0]

    @property
    def high(self) -> float:
        """The upper bound."""
        return self.whole[1]

    @property
    def parts(self) -> dict[str, float]:
        """The width that each part adds."""
        widths = [high - low for low, high in (self.sampling, self.contaminated, self.whole)]
        names = ("sampling", "contamination", "missing")
        return dict(zip(names, np.diff([0.0, *widths]).tolist(), strict=True))

    def __str__(self) -> str:
        def text(pair: Pair) -> str:
            return f"{pair[0]:.3f} to {pair[1]:.3f}"

        mean = "no ratings" if math.isnan(self.mean) else f"{self.mean:.3f}"
        by_missing = "adds nothing" if self.whole == self.contaminated else f"to {text(self.whole)}"
        return (
            f"{mean}, from {text(self.whole)} (sampling {text(self.sampling)}, "
            f"contamination to {text(self.contaminated)}, missing {by_missing})"
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
    """Return the robust interval of one arm, from one rating per participant.

    The interval contains the true mean at all times at once, whatever rule chose the arms, with probability `level`.
    This assumes that honest ratings of the arm do not drift, and that nobody is shown the arm because of their own
    earlier ratings.

    Parameters
    ----------
    ratings : sequence of float
        A rating per participant.
    scale : tuple of float
        Lowest and highest possible rating.
    epsilon : float, optional
        Share of the participants who may be bad.
    bad : "careless", "capped" or "chosen", optional
        What bad participants can do: each is bad with probability at most epsilon; at most that share is bad; or at
        most that share, chosen by their true ratings.
    level : float, optional
        Confidence level.
    missing : int, optional
        Number of participants who gave no rating.

    Examples
    --------
    >>> whole = interval([7, 8, 8, 9, 9, 9, 10, 10, 10, 10] * 10, scale=(0, 10), epsilon=0.05)
    >>> print(whole)
    9.000, from 8.270 to 9.489 (sampling 8.421 to 9.306, contamination to 8.270 to 9.489, missing adds nothing)
    """
    observed = (check_sample(ratings, -1) - scale[0]) / (scale[1] - scale[0])
    if observed.min() < 0.0 or observed.max() > 1.0:
        raise ParameterError(f"ratings must be on the scale from {scale[0]:g} to {scale[1]:g}, got others")
    low, high = np.append(observed, np.zeros(missing)), np.append(observed, np.ones(missing))
    sample = ArmSample(observed, low, high, observed.size)
    return sample_interval(sample, scale, epsilon=epsilon, bad=bad, delta=1.0 - level)


def sample_interval(sample: ArmSample, scale: Pair, *, epsilon: float, bad: Bad, delta: float) -> Interval:
    """Return the interval of an arm; both bounds hold with probability 1 - delta."""
    low, width = scale[0], scale[1] - scale[0]

    def bounds(below: Floats, above: Floats, epsilon: float) -> Pair:
        lower = lower_bound(value_counts(below), delta=delta / 2, epsilon=epsilon, bad=bad)
        upper = 1.0 - lower_bound(value_counts(1.0 - above), delta=delta / 2, epsilon=epsilon, bad=bad)
        return low + width * lower, low + width * upper

    contaminated = bounds(sample.observed, sample.observed, epsilon)
    complete = bool((sample.low == sample.high).all())
    return Interval(
        mean=low + width * float(sample.observed.mean()) if sample.observed.size else float("nan"),
        sampling=bounds(sample.observed, sample.observed, 0.0),
        contaminated=contaminated,
        whole=contaminated if complete else bounds(sample.low, sample.high, epsilon),
        participants=sample.low.size,
        answered=sample.observed.size,
        ratings=sample.ratings,
    )
