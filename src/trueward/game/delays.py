"""After how many rounds a reward comes: the same number for all, or one drawn for each.

    fixed:      d rounds                    d further arms are chosen without it; 0 is the game as it was
    geometric:  P(k) = q (1 - q)^k          q = 1 / (1 + d): d rounds on average; in each round the same chance to come

Delays are drawn before play, from random numbers of their own: they look neither at arms nor at rewards, all policies
of a match meet the same ones, and everything else is drawn as without them.

>>> GeometricDelay(2.0).table(1, 8, np.random.default_rng(0)).tolist()
[[2, 0, 0, 0, 4, 6, 2, 3]]

Reference: Joulani, Gyorgy & Szepesvari (2013), Online learning under delayed feedback, for what a delay of d means.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trueward.engine.kernel import Ints
from trueward.errors import ParameterError
from trueward.game.loop import DelaySchedule
from trueward.parameters import Checked, NotNegative, at_least


class Delay(Checked, ABC):
    """After how many rounds rewards come."""

    example: ClassVar[str] = "FixedDelay(20)"

    rounds: float

    @property
    def at_once(self) -> bool:
        """Whether every reward comes before the next arm is chosen."""
        return self.rounds == 0

    @abstractmethod
    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:
        """Return the delay of each reward, (trials, rounds)."""

    def post(self, shape: tuple[int, int, int], rng: np.random.Generator, *, counted: bool) -> DelaySchedule | None:
        """Return when the rewards of (trials, rounds, arms) come; `counted` tells policies of those under way."""
        trials, rounds, n_arms = shape
        if self.at_once:
            return None
        ends = np.arange(rounds) + np.minimum(self.table(trials, rounds, rng), rounds)  # rounds from 0
        come = np.array([np.bincount(trial, minlength=rounds)[:rounds] for trial in ends])
        return DelaySchedule(
            turns=np.argsort(ends, axis=1, kind="stable"),  # ties by ask
            stops=np.pad(np.cumsum(come, axis=1), ((0, 0), (1, 0))),
            places=np.zeros(rounds, np.int64),
            p=np.full((rounds, n_arms), 1.0 / n_arms),
            counted=int(counted),
        )


@dataclass(frozen=True)
class FixedDelay(Delay):
    """Every reward comes after so many rounds."""

    rounds: Annotated[int, at_least(0)]

    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:  # noqa: ARG002 - the same for all
        """Return the same number everywhere, for all trials."""
        return np.full((trials, rounds), min(self.rounds, rounds))


AT_ONCE = FixedDelay(0)


@dataclass(frozen=True)
class GeometricDelay(Delay):
    """A reward comes after so many rounds on average, in each round with the same chance."""

    rounds: NotNegative

    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:
        """Return failures before the first success, one number per reward."""
        return np.asarray(rng.geometric(1.0 / (1.0 + self.rounds), (trials, rounds)) - 1)


def as_delay(given: Delay | int) -> Delay:
    """Return a delay; a number stands for a fixed one."""
    if isinstance(given, Delay):
        return given
    if isinstance(given, bool) or not isinstance(given, int | np.integer):
        raise ParameterError(
            f"delay must be a whole number of rounds or a Delay such as {Delay.example}, got {given!r}"
        )
    return FixedDelay(int(given))
