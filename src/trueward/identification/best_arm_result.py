"""The result of a search for the best arm, and what it proved."""

from dataclasses import dataclass

import numpy as np

from trueward.engine.kernel import Floats, Ints


@dataclass(frozen=True, eq=False, kw_only=True)
class BestArmResult:
    """The result of `identify_best_arm`: an arm, and how close its median is to the highest one.

    Parameters
    ----------
    arm : int
        The selected arm.
    reached : bool
        Whether the guarantee was reached; if not, the search gave up at `max_pulls`.
    pulls : ndarray
        Number of pulls of each arm.
    medians : ndarray
        Median of the observed rewards of each arm.
    low, high : ndarray
        Confidence bounds that contain the true medians of all arms at once with probability 1 - delta.
    uncertainty : ndarray
        Unavoidable uncertainty U of each arm, which no number of pulls removes.
    accuracy : float
        Requested accuracy, in addition to 2U.
    delta : float
        Failure probability.

    Examples
    --------
    >>> result = BestArmResult(
    ...     arm=0, reached=True, pulls=np.array([9, 9]), medians=np.array([2.0, 1.0]), low=np.array([1.5, 0.5]),
    ...     high=np.array([2.5, 1.5]), uncertainty=np.array([0.1, 0.1]), accuracy=0.8, delta=0.05
    ... )
    >>> result.gap, result.resolvable, result.shortfall
    (1.0, True, 0.0)

    References
    ----------
    Altschuler, Brunel & Malek (2019), Best arm identification for contaminated bandits, JMLR 20.
    """

    arm: int
    reached: bool
    pulls: Ints  # (arms,)
    medians: Floats  # (arms,)
    low: Floats  # (arms,)
    high: Floats  # (arms,)
    uncertainty: Floats  # (arms,)
    accuracy: float
    delta: float

    @property
    def tolerance(self) -> float:
        """Allowed distance of the selected arm's median from the highest one: 2U + accuracy, with the largest U."""
        return 2 * float(self.uncertainty.max()) + self.accuracy

    @property
    def shortfall(self) -> float:
        """Proved bound on how far below the highest median the selected arm's is; 0 if it is proved to be the best."""
        return max(0.0, float(np.delete(self.high, self.arm).max()) - float(self.low[self.arm]))

    @property
    def gap(self) -> float:
        """Difference between the selected arm's sample median and the highest of the others."""
        return float(self.medians[self.arm]) - float(np.delete(self.medians, self.arm).max())

    @property
    def resolvable(self) -> bool:
        """Whether the gap is larger than 2U: with infinitely many pulls, contamination alone could not cause it."""
        return self.gap > 2 * float(self.uncertainty.max())

    @property
    def guarantee(self) -> str:
        """A sentence that states what holds with probability 1 - delta."""
        gave_up = "" if self.reached else f"gave up after {self.pulls.sum()} pulls; "
        if not np.isfinite(self.shortfall):
            return f"{gave_up}too few to bound the medians"
        proved = f"within {self.shortfall:.4g} of the highest" if self.shortfall > 0 else "the highest"
        return (
            f"{gave_up}with probability {1 - self.delta:g}, its median is {proved} "
            f"(2U + accuracy = {self.tolerance:.4g})"
        )

    def __str__(self) -> str:
        lines = [f"arm {self.arm}: {self.guarantee}", " arm  pulls    median  interval              U"]
        for arm, pulls in enumerate(self.pulls):
            interval = f"[{self.low[arm]:.3f}, {self.high[arm]:.3f}]"
            lines.append(f"{arm:4}{pulls:7}{self.medians[arm]:10.3f}  {interval:16}{self.uncertainty[arm]:7.3f}")
        return "\n".join(lines)
