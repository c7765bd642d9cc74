"""The Bernoulli adversary: in each round, with probability epsilon, the reward is contaminated.

It is oblivious, and it breaks the paper's own constraint: at epsilon = 0.1, an arm with 200 pulls has had more than a
tenth of its rewards contaminated at some moment with probability 0.91. So it declares no budget; the trace says by how
much it went over.

Reference: Niss & Tewari (2020), section 6; Altschuler, Brunel & Malek (2019).
"""

from dataclasses import dataclass

from trueward.adversaries.rounds import RoundsAttack
from trueward.adversaries.values_adversary import ShareAdversary
from trueward.arms.arms import Arms


@dataclass(frozen=True)
class BernoulliAdversary(ShareAdversary):
    """Contaminates each round's reward with probability epsilon."""

    def start(self, arms: Arms, horizon: int) -> RoundsAttack:
        return RoundsAttack(0, horizon, float(self.epsilon), self.values.start(arms))
