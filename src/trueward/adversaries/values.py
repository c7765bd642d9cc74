"""Schemes of contaminated values: uniform draws from a range for each arm."""

from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import contaminated_value
from trueward.engine.states import given, per_arm
from trueward.errors import ParameterError
from trueward.parameters import LARGEST_REWARD, Checked, Range, above, below

SDS_PAST_THE_MEANS = 3.0  # without bounds on rewards, plausible values stay this close to the means
WIDTHS_PAST_THE_BOUNDS = 10.0  # how far `Unbounded` reaches, in widths of the range: [-100, 110] for 0..10

Bound = float | Floats  # one number, or one per arm


class Ranges(NamedTuple):
    """The range of each arm's contaminated rewards."""

    low: Annotated[Floats, per_arm(given)]
    high: Annotated[Floats, per_arm(given)]
    whole: bool  # whole numbers only


@contaminated_value.register(Ranges)
def draw_from_range(values: Ranges, arm: int, reward: float, rng: np.random.Generator) -> float:
    low, high = values.low[arm], values.high[arm]
    if values.whole:
        return float(low + np.floor(rng.random() * (high - low + 1.0)))
    return float(low + rng.random() * (high - low))


@dataclass(frozen=True)
class Values(Checked, ABC):
    """A scheme of contaminated values: uniform draws from one range for the best arm and another for the others.

    The paper's adversary "chooses a contaminated reward uniformly from ranges that increase suboptimal action means and
    decrease the optimal action's mean" and does not say which ranges. The schemes are the possible readings. With the
    paper's ratings from 0 to 10 (best mean 9, the others 8), contaminated at a rate of epsilon, they are:

        scheme                best arm                 other arms              observed gap
        RandomMalicious       a whole number 0..8      9 or 10                 1 - 6.5 epsilon
        ContinuousMalicious   uniform on [0, 9]        uniform on [8, 10]      1 - 5.5 epsilon
        WorstBounded          0                        10                      1 - 11 epsilon
        Unbounded             uniform on [-100, 0]     uniform on [10, 110]    1 - 111 epsilon
        Inlier                6, low but common        10                      1 - 5 epsilon

    If several arms are best, the range of the best arm applies to all of them.

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms; where they have none, three standard deviations
        (the largest of any arm) below the lowest mean or above the highest.

    References
    ----------
    Niss & Tewari (2020), section 6, "Contamination".
    """

    example: ClassVar[str] = "WorstBounded()"

    _: KW_ONLY
    range: Range | None = None

    @abstractmethod
    def start(self, arms: Arms) -> Ranges:
        """Return the range of each arm."""

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether every value lies on the scale of the arms."""
        low, high, whole = self.start(arms)
        if arms.scale is None or not (whole or (low == high).all()):
            return False
        n_between = np.searchsorted(arms.scale, high, side="right") - np.searchsorted(arms.scale, low, side="left")
        return bool(np.isin([low, high], arms.scale).all() and (n_between == high - low + 1).all())

    def reward_range(self, arms: Arms) -> tuple[float, float]:
        """Return the lowest and the highest plausible reward: see the parameter `range`."""
        if self.range is not None:
            return self.range
        low, high = arms.bounds
        margin = SDS_PAST_THE_MEANS * arms.sd
        return (
            low if np.isfinite(low) else float(arms.means.min() - margin),
            high if np.isfinite(high) else float(arms.means.max() + margin),
        )


def _ranges(arms: Arms, best: tuple[Bound, Bound], others: tuple[Bound, Bound], *, whole: bool = False) -> Ranges:
    """Return one range for every best arm and one for the others; the bounds may be arrays over arms."""
    is_best = arms.gaps <= 0
    low, high = (np.array(np.where(is_best, b, o), dtype=np.float64) for b, o in zip(best, others, strict=True))
    largest = np.abs([low, high]).max()
    if largest > LARGEST_REWARD:
        raise ParameterError(
            f"contaminated rewards must be at most {LARGEST_REWARD:g} in absolute value, got {largest:g}"
        )
    return Ranges(low, high, whole)


@dataclass(frozen=True)
class RandomMalicious(Values):
    """Random whole numbers of the scale: below its mean for the best arm, above its mean for every other arm.

        best arm: 0..8,    other arms: 9 or 10        for ratings 0..10 with means 9 and 8

    The default of every adversary that draws values. It needs arms whose scale consists of whole numbers.

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms.

    Examples
    --------
    >>> import trueward as tw
    >>> ranges = tw.RandomMalicious().start(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    >>> ranges.low.tolist(), ranges.high.tolist()
    ([0.0, 9.0], [8.0, 10.0])

    References
    ----------
    Niss & Tewari (2020), section 6; that the values are whole numbers beyond each arm's own mean is our reading.
    """

    def start(self, arms: Arms) -> Ranges:
        if arms.scale is None or (arms.scale != np.round(arms.scale)).any():
            kind = type(arms).__name__
            raise ParameterError(
                f"RandomMalicious needs rewards on a scale of whole numbers, got {kind}; use ContinuousMalicious"
            )
        low, high = self.reward_range(arms)
        below, above = np.ceil(arms.means) - 1, np.floor(arms.means) + 1
        return _ranges(arms, (low, np.maximum(below, low)), (np.minimum(above, high), high), whole=True)


@dataclass(frozen=True)
class ContinuousMalicious(Values):
    """Random values of the range: below its mean for the best arm, above its mean for every other arm.

        best arm: uniform on [0, 9],    other arms: uniform on [8, 10]        for ratings 0..10 with means 9 and 8

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms; where they have none, three standard deviations
        beyond the extreme means.

    Examples
    --------
    >>> import trueward as tw
    >>> ranges = tw.ContinuousMalicious().start(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    >>> ranges.low.tolist(), ranges.high.tolist()
    ([0.0, 8.0], [9.0, 10.0])

    References
    ----------
    Niss & Tewari (2020), section 6; the ranges are our reading.
    """

    def start(self, arms: Arms) -> Ranges:
        low, high = self.reward_range(arms)
        return _ranges(arms, (low, arms.means), (arms.means, high))


@dataclass(frozen=True)
class WorstBounded(Values):
    """The worst values within the range: the lowest reward for the best arm, the highest for every other arm.

        best arm: 0,    other arms: 10        for ratings 0..10

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms; where they have none, three standard deviations
        beyond the extreme means.

    Examples
    --------
    >>> import trueward as tw
    >>> ranges = tw.WorstBounded().start(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    >>> ranges.low.tolist(), ranges.high.tolist()
    ([0.0, 10.0], [0.0, 10.0])

    References
    ----------
    New in trueward: the extreme case of the ranges of Niss & Tewari (2020), section 6.
    """

    def start(self, arms: Arms) -> Ranges:
        low, high = self.reward_range(arms)
        return _ranges(arms, (low, low), (high, high))


@dataclass(frozen=True)
class Unbounded(Values):
    """Values far outside the range: below it for the best arm, above it for every other arm.

        best arm: uniform on [-100, 0],    other arms: uniform on [10, 110]        for ratings 0..10

    The reach is ten widths of the range. A single such value moves a plain mean a lot; robust means ignore it.

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms; where they have none, three standard deviations
        beyond the extreme means.

    Examples
    --------
    >>> import trueward as tw
    >>> ranges = tw.Unbounded().start(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    >>> ranges.low.tolist(), ranges.high.tolist()
    ([-100.0, 10.0], [0.0, 110.0])

    References
    ----------
    New in trueward: a reading of Niss & Tewari (2020), section 6, without bounds on what is shown.
    """

    def start(self, arms: Arms) -> Ranges:
        low, high = self.reward_range(arms)
        reach = WIDTHS_PAST_THE_BOUNDS * (high - low)
        return _ranges(arms, (low - reach, low), (high, high + reach))


@dataclass(frozen=True)
class Inlier(Values):
    """Values that look like true ones: a low quantile of the best arm's rewards, the highest for every other arm.

        best arm: 6,    other arms: 10        for ratings 0..10 with the best mean 9

    Estimators that reject outliers do not reject them.

    Parameters
    ----------
    range : tuple of float, optional
        Lowest and highest reward. Default: the bounds of the arms; where they have none, three standard deviations
        beyond the extreme means.
    quantile : float, optional
        Which quantile of the best arm's rewards is shown for it, in (0, 1). Default: 0.01.

    Examples
    --------
    >>> import trueward as tw
    >>> ranges = tw.Inlier().start(tw.BinomialArms(n=10, p=[0.9, 0.8]))
    >>> ranges.low.tolist(), ranges.high.tolist()
    ([6.0, 10.0], [6.0, 10.0])

    References
    ----------
    New in trueward: a variant of the ranges of Niss & Tewari (2020), section 6, among the true rewards.
    """

    _: KW_ONLY
    quantile: Annotated[float, above(0), below(1)] = 0.01

    def start(self, arms: Arms) -> Ranges:
        low = arms.quantiles(self.quantile)
        high = self.reward_range(arms)[1]
        return _ranges(arms, (low, low), (high, high))
