"""No adversary: every reward is the true one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, plan_attack


class NoAttack(NamedTuple):
    """Nothing to know."""

    n_arms: int


@plan_attack.register(NoAttack)
def mark_nothing(state: NoAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Leave every reward."""
    table[:, :] = UNTOUCHED


@dataclass(frozen=True)
class NoAdversary(Adversary):
    """Every reward is the true one."""

    constraint = 0.0
    same_every_trial = True

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - whatever they are
        """Return True: it shows the truth."""
        return True

    def start(self, arms: Arms, horizon: int) -> NoAttack:  # noqa: ARG002 - whatever the horizon
        return NoAttack(arms.n_arms)
