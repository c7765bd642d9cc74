"""No adversary: every reward is the true one."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, plan_attack


class NoAttack(NamedTuple):
    """A state must have a field; this one is not used."""

    n_arms: int


@plan_attack.register(NoAttack)
def contaminate_nothing(state: NoAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    table[:, :] = UNTOUCHED


@dataclass(frozen=True)
class NoAdversary(Adversary):
    """No adversary: every reward is the true one.

    This is the adversary of a game that names none.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, tw.NoAdversary(), horizon=100, compiled=False)
    >>> bool((trace.observed_reward == trace.true_reward).all())
    True

    References
    ----------
    The stochastic bandit without contamination: Lai & Robbins (1985).
    """

    constraint = 0.0
    same_every_trial = True

    def keeps_scale(self, arms: Arms) -> bool:  # noqa: ARG002 - true rewards are always on it
        return True

    def start(self, arms: Arms, horizon: int) -> NoAttack:  # noqa: ARG002 - the same for any horizon
        return NoAttack(arms.n_arms)
