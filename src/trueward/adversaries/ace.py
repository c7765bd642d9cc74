"""ACE, adaptive attack by constant estimation: shift every other arm below the target, whatever the learner.

    alpha_t = [ m_i - m_K + beta(N_i) + beta(N_K) ]+         m: means of the true rewards so far, with this one
    beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))

The learner plays a game in which the target is the best arm, and every learner with little regret finds it. Unlike
Jun's attacks it does not make good for what was not attacked, so with a budget it does little. Nothing is done before
the target was pulled once.

`target`: the arm to promote; by default the worst, the last of several. `budget`: at most this fraction of each arm's
rewards is contaminated, at every moment. `on_scale`: show ratings of the scale only, the next lower one.

Cost: about (gap to the target + 2 beta) for every pull of another arm: ln T against a learner of logarithmic regret.

Reference: Liu & Shroff (2019), Data poisoning attacks on stochastic bandits, section 4.
"""

from dataclasses import dataclass

from trueward.adversaries.hijack import CONSTANT, HijackState, UnknowingHijack, begin
from trueward.arms.arms import Arms


@dataclass(frozen=True, kw_only=True)
class ACE(UnknowingHijack):
    """Shifts an arm by its estimated lead and both radii; sigma is by default the arms' sub-Gaussian parameter."""

    def start(self, arms: Arms, horizon: int) -> HijackState:  # noqa: ARG002 - whatever the horizon
        return begin(self, arms, CONSTANT, sigma=self.sigma_of(arms), delta=self.delta)
