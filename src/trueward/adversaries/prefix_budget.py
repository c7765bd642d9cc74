"""The prefix budget: contaminate whenever the paper's constraint still allows it.

    contaminate the n-th reward of an arm  iff  (contaminated so far) + 1 <= epsilon n

No schedule that keeps the constraint has contaminated more at any moment. This is the adversary of the paper's
theorems, and the game enforces its budget.

Reference: Niss & Tewari (2020), section 2.1.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary, within_budget
from trueward.adversaries.values import RandomMalicious, Ranges, Values, scheme
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import UNTOUCHED, View, contaminate, fake, reset


class PrefixAttack(NamedTuple):
    """How much, and with what."""

    epsilon: float
    values: Ranges


@reset.register(PrefixAttack)
def reset_prefix(state: PrefixAttack) -> None:
    """Keep nothing: the game counts."""


@contaminate.register(PrefixAttack)
def contaminate_prefix(
    state: PrefixAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Contaminate if the budget allows one more."""
    if within_budget(view, arm, state.epsilon, 1):
        return fake(state.values, arm, reward, rng)
    return UNTOUCHED


@dataclass(frozen=True)
class PrefixBudget(Adversary):
    """Contaminates as early and as often as the constraint allows: at most epsilon of each arm's rewards."""

    epsilon: float
    values: Values = field(default_factory=RandomMalicious)

    def __post_init__(self) -> None:
        checks.number("epsilon", self.epsilon, at_least=0, at_most=1)
        scheme("values", self.values)

    @property
    def budget(self) -> float:
        """The game enforces epsilon."""
        return self.epsilon

    @property
    def adaptive(self) -> bool:
        """Counting pulls needs to see the arms."""
        return True

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether its values do."""
        return self.values.keep_scale(arms)

    def start(self, arms: Arms, horizon: int) -> PrefixAttack:  # noqa: ARG002 - whatever the horizon
        """Return how much, and with what."""
        return PrefixAttack(float(self.epsilon), self.values.start(arms))
