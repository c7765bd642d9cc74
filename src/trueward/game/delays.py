"""Delayed rewards: a fixed number of rounds, or a geometric one."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from trueward.engine.kernel import Ints
from trueward.errors import ParameterError
from trueward.game.loop import DelaySchedule
from trueward.parameters import Checked, NotNegative, at_least


class Delay(Checked, ABC):
    """The number of rounds after which a reward arrives: the base class of `FixedDelay` and `GeometricDelay`.

    Delays are drawn before play from their own random stream, so they depend neither on the arms chosen nor on the
    rewards. All policies of a match meet the same delays, and everything else is drawn as without them.

    References
    ----------
    Joulani, Gyorgy & Szepesvari (2013), Online learning under delayed feedback, for what a delay of d rounds means.
    """

    example: ClassVar[str] = "FixedDelay(20)"

    rounds: float

    @property
    def is_zero(self) -> bool:
        """Whether every reward arrives before the next arm is chosen."""
        return self.rounds == 0

    @abstractmethod
    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:
        """Return the delay of each reward, (trials, rounds)."""

    def schedule(
        self, shape: tuple[int, int, int], rng: np.random.Generator, *, counts_pending: bool
    ) -> DelaySchedule | None:
        """Return when the rewards of (trials, rounds, arms) arrive, or None if all arrive at once.

        `counts_pending`: whether policies know how many rewards of each arm are pending.
        """
        trials, rounds, n_arms = shape
        if self.is_zero:
            return None
        due = np.arange(rounds) + np.minimum(self.table(trials, rounds, rng), rounds)  # rounds from 0
        counts = np.array([np.bincount(trial, minlength=rounds)[:rounds] for trial in due])
        return DelaySchedule(
            arrivals=np.argsort(due, axis=1, kind="stable"),  # rewards due in the same round: the earlier choice first
            arrived=np.pad(np.cumsum(counts, axis=1), ((0, 0), (1, 0))),
            positions=np.zeros(rounds, np.int64),
            p=np.full((rounds, n_arms), 1.0 / n_arms),
            counts_pending=int(counts_pending),
        )


@dataclass(frozen=True)
class FixedDelay(Delay):
    """Every reward arrives the same number of rounds after its arm was chosen.

    Parameters
    ----------
    rounds : int
        The delay d: d further arms are chosen before the reward arrives. 0 is a game without delays.

    Examples
    --------
    >>> FixedDelay(2).table(1, 4, np.random.default_rng(0)).tolist()
    [[2, 2, 2, 2]]

    References
    ----------
    Joulani, Gyorgy & Szepesvari (2013), Online learning under delayed feedback.
    """

    rounds: Annotated[int, at_least(0)]

    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:  # noqa: ARG002 - nothing is drawn
        return np.full((trials, rounds), min(self.rounds, rounds))


NO_DELAY = FixedDelay(0)


@dataclass(frozen=True)
class GeometricDelay(Delay):
    """Each reward arrives after a geometric number of rounds: in every round with the same probability.

        P(delay = k) = q (1 - q)^k,    q = 1 / (1 + rounds)

    Parameters
    ----------
    rounds : float
        The mean delay.

    Examples
    --------
    >>> GeometricDelay(2.0).table(1, 8, np.random.default_rng(0)).tolist()
    [[2, 0, 0, 0, 4, 6, 2, 3]]

    References
    ----------
    Joulani, Gyorgy & Szepesvari (2013), Online learning under delayed feedback.
    """

    rounds: NotNegative

    def table(self, trials: int, rounds: int, rng: np.random.Generator) -> Ints:
        failures = rng.geometric(1.0 / (1.0 + self.rounds), (trials, rounds)) - 1
        return np.asarray(failures)


def as_delay(delay: Delay | int) -> Delay:
    """Return a delay as it is, and a fixed delay for a whole number."""
    if isinstance(delay, Delay):
        return delay
    if isinstance(delay, bool) or not isinstance(delay, int | np.integer):
        raise ParameterError(
            f"delay must be a whole number of rounds or a Delay such as {Delay.example}, got {delay!r}"
        )
    return FixedDelay(int(delay)) if delay else NO_DELAY
