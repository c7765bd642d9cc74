"""Jun's attack on epsilon-greedy: when another arm than the target looks best, make it look clearly worse.

    alpha_t = [ S_i + r - n (m_K - 2 beta(N_K)) ]+         S_i: sum of what was shown of arm i, n: its pulls, with this
    beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))    m_K: mean of the target's N_K rewards

After an attack, the mean that the learner sees of arm i is at most m_K - 2 beta(N_K), so that the next exploitation
plays the target. Nothing is done before the target was pulled once. The attacker does not see the learner's coin: a
round counts as exploitation if the arm played has the highest mean of the rewards shown, and has been pulled before.
With `when="always"` exploration is attacked too, as public implementations do: more attacks, and fewer rounds lost.

`target`: the arm to promote; by default the worst, the last of several. `budget`: at most this fraction of each arm's
rewards is contaminated, at every moment. `on_scale`: show ratings of the scale only, the next lower one.

Cost: about (sum of gaps to the target) ln T against exploration c K / t; a single alpha_t grows with n where the arm
has a long past. Without a budget robust means do not help.

Reference: Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 3. That exploration is left
alone by default is our reading; the test for exploitation is ours.
"""

from dataclasses import dataclass
from typing import Literal

from trueward.adversaries.hijack import EVERY_PULL, EXPLOITATION, HijackState, UnknowingHijack, begin
from trueward.arms.arms import Arms


@dataclass(frozen=True, kw_only=True)
class JunEpsilonGreedy(UnknowingHijack):
    """Lowers an arm to 2 beta below the target; sigma is by default the largest sub-Gaussian parameter of the arms."""

    when: Literal["exploitation", "always"] = "exploitation"

    def start(self, arms: Arms, horizon: int) -> HijackState:  # noqa: ARG002 - whatever the horizon
        kind = EXPLOITATION if self.when == "exploitation" else EVERY_PULL
        return begin(self, arms, kind, sigma=self.sigma_of(arms), delta=self.delta)
