"""The oracle attack: who knows the true means shifts every other arm just below the target.

    alpha_t = [ mu_i - mu_K + margin ]+

The learner plays a game in which the target is the best arm, by a gap of the margin. It is what the attacks that must
estimate the means are measured by. With a budget it does little: it does not make good for what was not attacked.

`target`: the arm to promote; by default the worst, the last of several. `budget`: at most this fraction of each arm's
rewards is contaminated, at every moment. `on_scale`: show ratings of the scale only, the next lower one.

Cost: (gap to the target + margin) for every pull of another arm; a larger margin costs more per pull, and fewer pulls.
The default margin is the largest standard deviation of the arms.

Reference: Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 2; Liu & Shroff (2019).
"""

from dataclasses import dataclass

from trueward.adversaries.hijack import ORACLE, Hijack, HijackState, begin
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative


@dataclass(frozen=True, kw_only=True)
class OracleAttack(Hijack):
    """Shifts an arm by its true lead over the target, and a margin."""

    margin: NotNegative | None = None

    def start(self, arms: Arms, horizon: int) -> HijackState:  # noqa: ARG002 - whatever the horizon
        return begin(self, arms, ORACLE, margin=arms.sd if self.margin is None else self.margin)
