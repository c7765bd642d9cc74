"""The base class of adversaries, and an attack that was planned before play."""

from abc import ABC, abstractmethod
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from trueward.arms.arms import Arms
from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, State, kernel
from trueward.engine.protocol import View, contaminate, reset
from trueward.engine.states import kept, single
from trueward.parameters import Checked


class Adversary(Checked, ABC):
    """An adversary replaces true rewards by contaminated ones, or withholds them.

    An *oblivious* adversary plans its attack before play, as a table of rounds and arms; it cannot see which arms are
    played. An *adaptive* one acts in each round, after it has seen the arm, and may look at everything in `View`.

    An adversary that declares a `budget` is held to it by the game: at every moment, at most that fraction of each
    arm's rewards is contaminated. Past the budget the true reward is shown, and the attempt is counted in
    `Trace.refused`.

    To write one of your own, wrap a function in `FunctionAdversary`, or begin with `trueward new adversary FILE`.
    """

    example: ClassVar[str] = "BernoulliAdversary(0.1)"

    @property
    def budget(self) -> float | None:
        """The largest fraction of each arm's rewards, at every moment, that the game lets through; None: no limit."""
        return None

    @property
    def constraint(self) -> float | None:
        """The epsilon of the constraint of Niss & Tewari (2020); None: `Trace.first_violation` is not checked."""
        return self.budget

    @property
    def adaptive(self) -> bool:
        """Whether it acts in each round, after it has seen the arm, instead of before play."""
        return False

    @property
    def same_every_trial(self) -> bool:
        """Whether its plan depends neither on the trial nor on the rewards, so that one table serves all trials."""
        return False

    @property
    def observes_learner(self) -> bool:
        """Whether it reads the policy's state; if not, its compiled code is the same against every policy."""
        return False

    @property
    def interpreted_only(self) -> bool:
        """Whether it is plain Python that cannot be compiled."""
        return False

    @property
    def signals(self) -> tuple[str, ...]:
        """The names of the evidence that comes with each rating, if an oblivious adversary has `draw_evidence`."""
        return ()

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - for adversaries that know
        """Return whether every value that it shows lies on the scale of the arms."""
        return False

    @abstractmethod
    def start(self, arms: Arms, horizon: int) -> State:
        """Return its state, with a kernel for `contaminate` if it is adaptive and for `plan_attack` if it is not."""


class AdaptiveAdversary(Adversary):
    """An adversary that acts in each round."""

    adaptive = True


@kernel
def within_budget(view: View, arm: int, budget: float, more: int) -> bool:
    """Return whether the arm's next `more` rewards may all be contaminated, counted as the game counts them."""
    return bool(view.touched[arm] + more <= budget * (view.pulls[arm] + more) + ROUNDING_TOLERANCE)


class PlannedAttack(NamedTuple):
    """The attack of an oblivious adversary during play: it looks values up in the table that was planned."""

    trial: Annotated[Ints, single(kept)]  # the index of the current trial
    tables: Floats  # (trials or 1, rounds, arms) a single table serves all trials


@reset.register(PlannedAttack)
def next_trial(state: PlannedAttack) -> None:
    state.trial[0] = (state.trial[0] + 1) % state.tables.shape[0]


@contaminate.register(PlannedAttack)
def contaminate_as_planned(
    state: PlannedAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    return float(state.tables[state.trial[0], t - 1, arm])


def planned_attack(tables: Floats) -> PlannedAttack:
    """Return an attack that follows these tables, ready for the first trial."""
    return PlannedAttack(np.array([-1], dtype=np.int64), tables)
