"""A burst: for a while everything is contaminated, before and after nothing.

    rounds start, …, start + length - 1

Oblivious. It breaks the paper's constraint, so no budget is declared. A front cluster is a burst from round 1 on.

Reference: the front cluster of Niss & Tewari (2020), section 6, anywhere in time; ours.
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values, scheme
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import UNTOUCHED, Floats, fake, mark


class BurstAttack(NamedTuple):
    """From which round on, up to which, and with what."""

    first: int  # counted from 0
    stop: int
    values: Ranges


@mark.register(BurstAttack)
def mark_burst(state: BurstAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill the rounds of the burst."""
    for t in range(truth.shape[0]):
        for arm in range(truth.shape[1]):
            hit = state.first <= t < state.stop
            table[t, arm] = fake(state.values, arm, truth[t, arm], rng) if hit else UNTOUCHED


@dataclass(frozen=True)
class Burst(Adversary):
    """Contaminates `length` rounds from round `start` on; round 1 is the first."""

    start_round: int
    length: int
    values: Values = field(default_factory=RandomMalicious)
    _: KW_ONLY
    epsilon: float | None = None  # the rate the paper's constraint is checked against, if any

    def __post_init__(self) -> None:
        checks.whole("start_round", self.start_round, at_least=1)
        checks.whole("length", self.length)
        scheme("values", self.values)
        if self.epsilon is not None:
            checks.number("epsilon", self.epsilon, at_least=0, at_most=1)

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether its values do."""
        return self.values.keep_scale(arms)

    def start(self, arms: Arms, horizon: int) -> BurstAttack:  # noqa: ARG002 - a burst may end after the game
        """Return when, and with what."""
        return BurstAttack(self.start_round - 1, self.start_round - 1 + self.length, self.values.start(arms))
