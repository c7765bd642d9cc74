"""The prefix budget: contaminate whenever the paper's constraint still allows it.

    contaminate the n-th reward of an arm  iff  (contaminated so far) + 1 <= epsilon n

No schedule that keeps the constraint has contaminated more at any moment. This is the adversary of the paper's
theorems, and the game enforces its budget. What it does in a round is `contaminate_pulls`, in pulls.py.

Reference: Niss & Tewari (2020), section 2.1.
"""

from dataclasses import dataclass

from trueward.adversaries.adversary import AdaptiveAdversary
from trueward.adversaries.pulls import PullsAttack
from trueward.adversaries.values_adversary import ShareAdversary
from trueward.arms.arms import Arms


@dataclass(frozen=True)
class PrefixBudget(ShareAdversary, AdaptiveAdversary):
    """Contaminates as early and as often as the constraint allows: at most epsilon of each arm's rewards."""

    @property
    def budget(self) -> float:
        return self.epsilon

    def start(self, arms: Arms, horizon: int) -> PullsAttack:  # noqa: ARG002 - whatever the horizon
        return PullsAttack(0, float(self.epsilon), self.values.start(arms))
