"""The front cluster: everything is contaminated at the beginning, and nothing afterwards.

The paper contaminates "the first epsilon rewards"; either the first floor(epsilon T) rounds of the game
(`by="rounds"`, oblivious), or the first floor(epsilon T / K) pulls of each arm (`by="pulls"`, adaptive, far worse: an
arm that looks bad is never given the clean rewards that would clear it). Both break the paper's constraint at once,
so no budget is declared.

Reference: Niss & Tewari (2020), section 6, "Front Cluster Attack".
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

from trueward.adversaries.pulls import NO_MORE, PullsAttack
from trueward.adversaries.rounds import ALWAYS, RoundsAttack
from trueward.adversaries.values_adversary import ShareAdversary
from trueward.arms.arms import Arms
from trueward.engine.kernel import floor_edge


@dataclass(frozen=True)
class FrontCluster(ShareAdversary):
    """Contaminates the first epsilon T rounds, or each arm's first epsilon T / K pulls."""

    _: KW_ONLY
    by: Literal["rounds", "pulls"] = "rounds"

    @property
    def adaptive(self) -> bool:
        """Counting pulls needs to see the arms."""
        return self.by == "pulls"

    def start(self, arms: Arms, horizon: int) -> RoundsAttack | PullsAttack:
        values = self.values.start(arms)
        if self.adaptive:
            return PullsAttack(floor_edge(self.epsilon * horizon / arms.n_arms), NO_MORE, values)
        return RoundsAttack(0, floor_edge(self.epsilon * horizon), ALWAYS, values)
