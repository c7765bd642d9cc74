"""A burst: for a while everything is contaminated, before and after nothing.

    rounds start, …, start + length - 1

Oblivious. It breaks the paper's constraint, so no budget is declared. A front cluster is a burst from round 1 on.

Reference: the front cluster of Niss & Tewari (2020), section 6, anywhere in time; ours.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated

from trueward.adversaries.rounds import ALWAYS, RoundsAttack
from trueward.adversaries.values import RandomMalicious, Values
from trueward.adversaries.values_adversary import ValuesAdversary
from trueward.arms.arms import Arms
from trueward.parameters import Share, at_least


@dataclass(frozen=True)
class Burst(ValuesAdversary):
    """Contaminates `length` rounds from round `start_round` on; round 1 is the first."""

    start_round: Annotated[int, at_least(1)]
    length: int
    values: Values = field(default_factory=RandomMalicious)
    _: KW_ONLY
    epsilon: Share | None = None  # the rate the paper's constraint is checked against, if any

    @property
    def constraint(self) -> float | None:
        return self.epsilon

    def start(self, arms: Arms, horizon: int) -> RoundsAttack:  # noqa: ARG002 - a burst may end after the game
        first = self.start_round - 1
        return RoundsAttack(first, first + self.length, ALWAYS, self.values.start(arms))
