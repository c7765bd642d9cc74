"""Brigading: for a number of rounds, every rating of one arm is the highest, or the lowest."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, plan_attack
from trueward.errors import ParameterError
from trueward.parameters import at_least, check_arm_index


class BrigadeState(NamedTuple):
    first: int  # the first contaminated round, counted from 0
    stop: int  # the first clean round after them
    arm: int
    value: float


@plan_attack.register(BrigadeState)
def contaminate_one_arm(state: BrigadeState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Write the value for one arm in the rounds of the brigade, and UNTOUCHED elsewhere."""
    for t in range(truth.shape[0]):
        contaminated = state.first <= t < state.stop
        for arm in range(truth.shape[1]):
            table[t, arm] = state.value if contaminated and arm == state.arm else UNTOUCHED


@dataclass(frozen=True)
class Brigade(Adversary):
    """Brigading: for a number of rounds, every rating of one arm is the highest, or the lowest.

        rounds start_round, …, start_round + length - 1:   one arm shows the top of the scale (promote), or the bottom

    A group of people agrees to vote for an arm, or against it. It is oblivious, and other arms are left alone. It
    breaks the constraint of Niss & Tewari (2020), so it declares no budget. The arms must have bounded rewards.

    Parameters
    ----------
    start_round : int
        First contaminated round; the game starts in round 1.
    length : int
        Number of contaminated rounds. They may outlast the game.
    promote : bool, optional
        Show the highest reward (True, the default) or the lowest (False).
    arm : int, optional
        Index of the arm. Default: the worst arm is promoted, or the best one demoted.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, tw.Brigade(51, 100), horizon=200, compiled=False)
    >>> trace.touched[0].tolist()  # contaminated rewards, by arm
    [0, 82]

    References
    ----------
    New in trueward, after vote brigading and click fraud in online ratings.
    """

    start_round: Annotated[int, at_least(1)]
    length: int
    _: KW_ONLY
    promote: bool = True
    arm: int | None = None

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - its values are the extremes of any scale
        return True

    def start(self, arms: Arms, horizon: int) -> BrigadeState:  # noqa: ARG002 - it may end after the game
        value = arms.bounds[1 if self.promote else 0]
        if not np.isfinite(value):
            raise ParameterError(f"Brigade needs arms with bounded rewards, got {type(arms).__name__}")
        default = int(arms.means.argmin()) if self.promote else arms.best
        arm = default if self.arm is None else check_arm_index("arm", self.arm, arms.n_arms)
        first = self.start_round - 1
        return BrigadeState(first, first + self.length, arm, float(value))
