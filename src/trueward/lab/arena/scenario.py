"""A scenario: arms, an attack and a number of rounds; one column of the arena's table."""

import re
from dataclasses import dataclass

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import ContinuousMalicious, Inlier, RandomMalicious, Unbounded, WorstBounded
from trueward.arms.arms import Arms
from trueward.lab.arena.field import Scale
from trueward.lab.arena.suited import Told

A, B, W, U, I = RandomMalicious(), ContinuousMalicious(), WorstBounded(), Unbounded(), Inlier()  # noqa: E741 - the paper's

SCHEMES = {
    "A": "whole numbers on the wrong side of the mean",
    "B": "any number on the wrong side of the mean",
    "W": "the worst of the range",
    "U": "far outside the range",
    "I": "hidden among the true ones",
}
"""The values that contaminated rewards show, by the letter in a label."""


@dataclass(frozen=True)
class Scenario:
    """One column of the table."""

    group: str
    label: str
    arms: Arms
    adversary: Adversary
    horizon: int
    epsilon: float | None  # what policies that must know it are told; None for nothing
    scale: Scale

    @property
    def name(self) -> str:
        """Group and label: no two scenarios share both."""
        return f"{self.group}: {self.label}"

    @property
    def words(self) -> str:
        """The label, with the scheme of values named."""
        return re.sub(r"\b[ABWUI]\b", lambda letter: f"{letter[0]} ({SCHEMES[letter[0]]})", self.label)

    @property
    def told(self) -> Told:
        """What policies may be told about it."""
        return Told(self.arms, self.horizon, self.epsilon)

    @property
    def uniform_regret(self) -> float:
        """The regret to expect of uniform play: the unit in which all others are measured."""
        return self.horizon * float(self.arms.gaps.mean())

    @property
    def facts(self) -> str:
        """The setting in a line."""
        bounds = "{:g}…{:g}".format(*self.arms.bounds) if self.arms.scale is not None else "continuous"
        gaps = sorted({round(float(gap), 2) for gap in self.arms.gaps if gap > 0})
        gap = f"{gaps[0]:g}" if len(gaps) == 1 else f"{gaps[0]:g} to {gaps[-1]:g}"
        rate = "" if self.epsilon is None else f", ε = {self.epsilon:g}"
        rounds = f"{self.horizon:,} rounds"
        return f"{self.arms.n_arms} arms, rewards {bounds}, gap {gap}, sd {self.arms.sd:.2f}, {rounds}{rate}"
