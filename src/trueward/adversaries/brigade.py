"""Brigading: for a while, every rating of one arm is the best one, or the worst.

    rounds start, …, start + length - 1:   all ratings of one arm are the top of the scale (promote), or its bottom

Oblivious: friends of an arm, or its enemies, who are told when to vote. Other arms are left alone. Where no arm is
named, the worst is promoted, or the best demoted. It breaks the paper's constraint, so no budget is declared.

Reference: click fraud and brigading bursts in online ratings; the model is ours.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.rounds import ALWAYS, RoundsAttack
from trueward.arms.arms import Arms
from trueward.engine.protocol import UNTOUCHED, contaminated_value
from trueward.errors import ParameterError
from trueward.parameters import at_least, check_arm_index


class OneArm(NamedTuple):
    """The same value for one arm, and none for the others."""

    arm: int
    value: float


@contaminated_value.register(OneArm)
def fake_one_arm(values: OneArm, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the value, for the arm that it is meant for."""
    return values.value if arm == values.arm else UNTOUCHED


@dataclass(frozen=True)
class Brigade(Adversary):
    """Shows one arm as perfect, or as worthless, for `length` rounds from round `start_round` on."""

    start_round: Annotated[int, at_least(1)]
    length: int
    _: KW_ONLY
    promote: bool = True
    arm: int | None = None

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - whatever they are
        """Return True: its values are the ends of the scale."""
        return True

    def start(self, arms: Arms, horizon: int) -> RoundsAttack:  # noqa: ARG002 - it may end after the game
        value = arms.bounds[1 if self.promote else 0]
        if not np.isfinite(value):
            raise ParameterError("Brigade needs arms with bounded rewards")
        chosen = int(arms.means.argmin()) if self.promote else arms.best
        arm = chosen if self.arm is None else check_arm_index("arm", self.arm, arms.n_arms)
        first = self.start_round - 1
        return RoundsAttack(first, first + self.length, ALWAYS, OneArm(arm, float(value)))
