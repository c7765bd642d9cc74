"""What a search for the best arm found, and what it proved."""

from dataclasses import dataclass

import numpy as np

from trueward.engine.kernel import Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class BestArm:
    """The arm that was found, and how sure that is."""

    arm: int
    reached: bool
    """Whether the guarantee was reached; if not, the search gave up at `max_pulls`."""
    pulls: Ints  # (arms,)
    medians: Floats  # (arms,) of the rewards seen
    low: Floats  # (arms,) ends between which all the true medians lie, with probability 1 - delta
    high: Floats  # (arms,)
    uncertainty: Floats  # (arms,) U, which no number of pulls removes
    alpha: float
    delta: float

    @property
    def tolerance(self) -> float:
        """How much below the highest median the answer's may be: 2U + alpha, with the largest U."""
        return 2 * float(self.uncertainty.max()) + self.alpha

    @property
    def shortfall(self) -> float:
        """How much below the highest median the answer's is at most, as proved; 0 for the best arm."""
        return max(0.0, float(np.delete(self.high, self.arm).max()) - float(self.low[self.arm]))

    @property
    def gap(self) -> float:
        """How much higher the answer's sample median is than that of the best of the others."""
        return float(self.medians[self.arm]) - float(np.delete(self.medians, self.arm).max())

    @property
    def resolvable(self) -> bool:
        """Whether the gap is larger than 2U: with endless pulls, contamination alone could not have made it."""
        return self.gap > 2 * float(self.uncertainty.max())

    @property
    def guarantee(self) -> str:
        """What holds with probability 1 - delta, in words."""
        gave_up = "" if self.reached else f"gave up after {self.pulls.sum()} pulls; "
        if not np.isfinite(self.shortfall):
            return f"{gave_up}too few to say anything about medians"
        proved = f"within {self.shortfall:.4g} of the highest" if self.shortfall > 0 else "the highest"
        return (
            f"{gave_up}with probability {1 - self.delta:g}, its median is {proved} (2U + alpha = {self.tolerance:.4g})"
        )

    def __str__(self) -> str:
        lines = [f"arm {self.arm}: {self.guarantee}", " arm  pulls    median  interval              U"]
        for arm, pulls in enumerate(self.pulls):
            ends = f"[{self.low[arm]:.3f}, {self.high[arm]:.3f}]"
            lines.append(f"{arm:4}{pulls:7}{self.medians[arm]:10.3f}  {ends:16}{self.uncertainty[arm]:7.3f}")
        return "\n".join(lines)
