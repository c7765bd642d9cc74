"""No adversary: every reward is the true one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary
from trueward.arms.base import Arms
from trueward.engine.kernel import Floats
from trueward.engine.stages import UNTOUCHED, mark


class NoAttack(NamedTuple):
    """Nothing to know."""

    n_arms: int


@mark.register(NoAttack)
def mark_nothing(state: NoAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Leave every reward."""
    table[:, :] = UNTOUCHED


@dataclass(frozen=True)
class NoAdversary(Adversary):
    """Every reward is the true one."""

    constraint = 0.0
    repeats = True

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - whatever they are
        """Return True: it shows the truth."""
        return True

    def start(self, arms: Arms, horizon: int) -> NoAttack:  # noqa: ARG002 - whatever the horizon
        return NoAttack(arms.n_arms)
