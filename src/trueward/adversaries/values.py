"""What a contaminated reward looks like: drawn uniformly from a range per arm.

The paper's adversary "chooses a contaminated reward uniformly from ranges that increase suboptimal action means and
decrease the optimal action's mean" and does not say which ranges. These are the readings; with the paper's ratings
from 0 to 10 (best mean 9, the others 8) they are:

    RandomMalicious       best: a whole number 0..8        others: 9 or 10              observed gap 1 - 6.5 epsilon
    ContinuousMalicious   best: uniform on [0, 9]          others: uniform on [8, 10]   1 - 5.5 epsilon
    WorstBounded          best: 0                          others: 10                   1 - 11 epsilon
    Unbounded             best: uniform on [-100, 0]       others: uniform on [10, 110]
    Inlier                best: 6, a low but common rating others: 10                   1 - 5 epsilon

Reference: Niss & Tewari (2020), section 6, "Contamination".
"""

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

SDS_PAST_THE_MEANS = 3.0  # where rewards have no bounds, an attack within the plausible stays this close
WIDTHS_PAST_THE_BOUNDS = 10.0  # how far an unbounded attack reaches, in widths of the range: [-100, 110] for 0..10


End = float | Floats


class Ranges(NamedTuple):
    """The range of each arm's contaminated rewards."""

    low: Annotated[Floats, per_arm(given)]
    high: Annotated[Floats, per_arm(given)]
    whole: bool  # whole numbers only


@contaminated_value.register(Ranges)
def fake_from_ranges(values: Ranges, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Draw a value from the arm's range."""
    low, high = values.low[arm], values.high[arm]
    if values.whole:
        return float(low + np.floor(rng.random() * (high - low + 1.0)))
    return float(low + rng.random() * (high - low))


@dataclass(frozen=True)
class Values(Checked, ABC):
    """A scheme of contaminated values; `range` is the range of rewards, by default that of the arms."""

    example: ClassVar[str] = "WorstBounded()"

    _: KW_ONLY
    range: Range | None = None

    @abstractmethod
    def start(self, arms: Arms) -> Ranges:
        """Return the range of each arm."""

    def keep_scale(self, arms: Arms) -> bool:
        """Return whether every value lies on the scale of the arms."""
        low, high, whole = self.start(arms)
        if arms.scale is None or not (whole or (low == high).all()):
            return False
        between = np.searchsorted(arms.scale, high, side="right") - np.searchsorted(arms.scale, low, side="left")
        return bool(np.isin([low, high], arms.scale).all() and (between == high - low + 1).all())

    def limits(self, arms: Arms) -> tuple[float, float]:
        """Return the range of rewards; where the arms have none, three sds past the extreme means."""
        if self.range is not None:
            return self.range
        low, high = arms.bounds
        margin = SDS_PAST_THE_MEANS * arms.sd
        return (
            low if np.isfinite(low) else float(arms.means.min() - margin),
            high if np.isfinite(high) else float(arms.means.max() + margin),
        )


def _ranges(arms: Arms, best: tuple[End, End], others: tuple[End, End], *, whole: bool = False) -> Ranges:
    """Return one range for every best arm and one for the others; the ends may be arrays over arms."""
    is_best = arms.gaps <= 0
    low, high = (np.array(np.where(is_best, b, o), dtype=np.float64) for b, o in zip(best, others, strict=True))
    furthest = np.abs([low, high]).max()
    if furthest > LARGEST_REWARD:
        raise ParameterError(f"contaminated rewards must be at most {LARGEST_REWARD:g} in size, got {furthest:g}")
    return Ranges(low, high, whole)


@dataclass(frozen=True)
class RandomMalicious(Values):
    """Whole numbers of the scale: below its mean for the best arm, above its mean for every other."""

    def start(self, arms: Arms) -> Ranges:
        if arms.scale is None or (arms.scale != np.round(arms.scale)).any():
            raise ParameterError("RandomMalicious needs rewards on a scale of whole numbers; use ContinuousMalicious")
        low, high = self.limits(arms)
        below, above = np.ceil(arms.means) - 1, np.floor(arms.means) + 1
        return _ranges(arms, (low, np.maximum(below, low)), (np.minimum(above, high), high), whole=True)


@dataclass(frozen=True)
class ContinuousMalicious(Values):
    """Any value: below its mean for the best arm, above its mean for every other."""

    def start(self, arms: Arms) -> Ranges:
        low, high = self.limits(arms)
        return _ranges(arms, (low, arms.means), (arms.means, high))


@dataclass(frozen=True)
class WorstBounded(Values):
    """The lowest reward for the best arm, the highest for every other."""

    def start(self, arms: Arms) -> Ranges:
        low, high = self.limits(arms)
        return _ranges(arms, (low, low), (high, high))


@dataclass(frozen=True)
class Unbounded(Values):
    """Far below the range for the best arm, far above it for every other."""

    def start(self, arms: Arms) -> Ranges:
        low, high = self.limits(arms)
        reach = WIDTHS_PAST_THE_BOUNDS * (high - low)
        return _ranges(arms, (low - reach, low), (high, high + reach))


@dataclass(frozen=True)
class Inlier(Values):
    """Values that hide among the true ones: a low quantile of the best arm's law, the top for every other."""

    _: KW_ONLY
    quantile: Annotated[float, above(0), below(1)] = 0.01

    def start(self, arms: Arms) -> Ranges:
        low = arms.quantiles(self.quantile)
        high = self.limits(arms)[1]
        return _ranges(arms, (low, low), (high, high))
