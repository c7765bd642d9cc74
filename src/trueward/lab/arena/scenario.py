"""A scenario of the arena: arms, an attack and a number of rounds."""

import re
from dataclasses import dataclass

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import ContinuousMalicious, Inlier, RandomMalicious, Unbounded, WorstBounded
from trueward.arms.arms import Arms
from trueward.lab.arena.field import Size
from trueward.lab.arena.problem import Problem

A, B, W, U, I = RandomMalicious(), ContinuousMalicious(), WorstBounded(), Unbounded(), Inlier()  # noqa: E741 - the paper's

VALUE_LETTERS = {
    "A": "whole numbers on the wrong side of the mean",
    "B": "any number on the wrong side of the mean",
    "W": "the worst value of the range",
    "U": "far outside the range",
    "I": "hidden among the true rewards",
}
"""Letters in the labels of scenarios, with the values of contaminated rewards that they stand for."""


@dataclass(frozen=True)
class Scenario:
    """A scenario of the arena: arms, an attack and a number of rounds; one column of the heat map.

    Parameters
    ----------
    group : str
        The group of scenarios whose worst case is reported together, such as "bursts".
    label : str
        The name within the group. Letters stand for what contaminated rewards look like: A, B, W, U, I.
    arms : Arms
        The arms with their true rewards.
    adversary : Adversary
        The attack.
    horizon : int
        The number of rounds.
    epsilon : float or None
        The contamination rate that is given to policies that need one; None if nothing is contaminated.
    size : {"quick", "full"}
        The smallest size of the arena that includes the scenario.

    Examples
    --------
    >>> import trueward as tw
    >>> from trueward.lab.arena import Scenario
    >>> attack = tw.BernoulliAdversary(0.1, tw.WorstBounded())
    >>> scenario = Scenario("tenth", "W", tw.BinomialArms(n=10, p=[0.9, 0.8]), attack, 500, 0.1, "quick")
    >>> scenario.setting
    '2 arms, rewards 0…10, gap 1, sd 1.26, 500 rounds, ε = 0.1'
    """

    group: str
    label: str
    arms: Arms
    adversary: Adversary
    horizon: int
    epsilon: float | None
    size: Size

    @property
    def name(self) -> str:
        """Group and label, which are unique together."""
        return f"{self.group}: {self.label}"

    @property
    def description(self) -> str:
        """The label with its letters explained."""
        return re.sub(r"\b[ABWUI]\b", lambda letter: f"{letter[0]} ({VALUE_LETTERS[letter[0]]})", self.label)

    @property
    def problem(self) -> Problem:
        """The problem from which the parameters of policies are derived."""
        return Problem(self.arms, self.horizon, self.epsilon)

    @property
    def uniform_regret(self) -> float:
        """The expected regret of uniform play: the unit in which the regret of all policies is measured."""
        return self.horizon * float(self.arms.gaps.mean())

    @property
    def setting(self) -> str:
        """Arms, rounds and contamination rate in one line."""
        bounds = "{:g}…{:g}".format(*self.arms.bounds) if self.arms.scale is not None else "continuous"
        gaps = sorted({round(float(gap), 2) for gap in self.arms.gaps if gap > 0})
        gap = f"{gaps[0]:g}" if len(gaps) == 1 else f"{gaps[0]:g} to {gaps[-1]:g}"
        rate = "" if self.epsilon is None else f", ε = {self.epsilon:g}"
        rounds = f"{self.horizon:,} rounds"
        return f"{self.arms.n_arms} arms, rewards {bounds}, gap {gap}, sd {self.arms.sd:.2f}, {rounds}{rate}"
