"""What every adversary declares: what it sees, and what it may spend.

An *oblivious* adversary fixes its attack before play, as a table; it cannot see the arms played. An *adaptive* one
acts in each round, and sees the game's `View`. A declared `budget` is enforced by the game: at every moment, at most
that fraction of each arm's rewards is contaminated, and past it the truth is delivered.
"""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, State, kernel
from trueward.engine.protocol import View, contaminate, reset
from trueward.engine.states import kept, single
from trueward.parameters import Checked


class Adversary(Checked, ABC):
    """Someone who contaminates rewards."""

    example: ClassVar[str] = "BernoulliAdversary(0.1)"

    @property
    def budget(self) -> float | None:
        """The fraction of each arm's rewards, at every moment, that the game enforces; None for no limit."""
        return None

    @property
    def constraint(self) -> float | None:
        """The rate that the paper's constraint is checked against: by default the budget; None for none."""
        return self.budget

    @property
    def adaptive(self) -> bool:
        """Whether it acts in each round, after it has seen the arm, instead of before play."""
        return False

    @property
    def same_every_trial(self) -> bool:
        """Whether it does the same in every trial, whatever the rewards, so that one table serves all of them."""
        return False

    @property
    def observes_learner(self) -> bool:
        """Whether it looks at the policy's state; else a compiled attack is the same against every policy."""
        return False

    @property
    def interpreted_only(self) -> bool:
        """Whether it is plain Python that cannot be compiled."""
        return False

    @property
    def signals(self) -> tuple[str, ...]:
        """The names of what comes with each rating, for an adversary fixed before play that has a kernel for `sign`."""
        return ()

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - for adversaries that know
        """Return whether all that it shows lies on the scale of the arms, which have one."""
        return False

    @abstractmethod
    def start(self, arms: Arms, horizon: int) -> State:
        """Return its state, for `contaminate` if it is adaptive, else for `mark`."""


class AdaptiveAdversary(Adversary):
    """An adversary that acts in each round."""

    adaptive = True


@kernel
def within_budget(view: View, arm: int, budget: float, more: int) -> bool:
    """Return whether so many more of the arm's next rewards may be contaminated, as the game would count them."""
    return bool(view.touched[arm] + more <= budget * (view.pulls[arm] + more) + ROUNDING_TOLERANCE)


class Replay(NamedTuple):
    """An attack fixed before play: what is left of an oblivious adversary in the game."""

    trial: Annotated[Ints, single(kept)]  # the trial under way
    tables: Floats  # (trials or 1, rounds, arms) a single one is used again and again


@reset.register(Replay)
def reset_replay(state: Replay) -> None:
    """Turn to the next trial's table."""
    state.trial[0] = (state.trial[0] + 1) % state.tables.shape[0]


@contaminate.register(Replay)
def contaminate_replay(state: Replay, view: View, t: int, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return what the table says."""
    return float(state.tables[state.trial[0], t - 1, arm])


def replay(tables: Floats) -> Replay:
    """Return tables of attacks, ready for the first trial."""
    return Replay(np.array([-1], dtype=np.int64), tables)
