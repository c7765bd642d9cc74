"""Brigading: for a while, every rating of one arm is the best one, or the worst.

    rounds start, …, start + length - 1:   all ratings of one arm are the top of the scale (promote), or its bottom

Oblivious: friends of an arm, or its enemies, who are told when to vote. Other arms are left alone. Where no arm is
named, the worst is promoted, or the best demoted. It breaks the paper's constraint, so no budget is declared.

Reference: click fraud and brigading bursts in online ratings; the model is ours.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import UNTOUCHED, Floats, mark
from trueward.errors import ParameterError


class BrigadeAttack(NamedTuple):
    """From which round on, up to which, which arm, and with what."""

    first: int  # counted from 0
    stop: int
    arm: int
    value: float


@mark.register(BrigadeAttack)
def mark_brigade(state: BrigadeAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill one arm's column in the rounds of the brigade."""
    for t in range(truth.shape[0]):
        for arm in range(truth.shape[1]):
            hit = state.first <= t < state.stop and arm == state.arm
            table[t, arm] = state.value if hit else UNTOUCHED


@dataclass(frozen=True)
class Brigade(Adversary):
    """Shows one arm as perfect, or as worthless, for `length` rounds from round `start_round` on."""

    start_round: int
    length: int
    _: KW_ONLY
    promote: bool = True
    arm: int | None = None

    def __post_init__(self) -> None:
        checks.whole("start_round", self.start_round, at_least=1)
        checks.whole("length", self.length)

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - whatever they are
        """Return True: its values are the ends of the scale."""
        return True

    def start(self, arms: Arms, horizon: int) -> BrigadeAttack:  # noqa: ARG002 - it may end after the game
        """Return when, which arm, and with what."""
        value = arms.bounds[1 if self.promote else 0]
        if not np.isfinite(value):
            raise ParameterError("Brigade needs arms with bounded rewards")
        chosen = int(arms.means.argmin()) if self.promote else arms.best
        arm = chosen if self.arm is None else checks.arm_index("arm", self.arm, arms.n_arms)
        return BrigadeAttack(self.start_round - 1, self.start_round - 1 + self.length, arm, float(value))
