"""Jun's attack on UCB: keep the mean that is seen of every other arm a margin below the target's.

    alpha_t = [ S_i + r - n (m_K - 2 beta(N_K) - delta0) ]+     S_i: sum of what was shown of arm i, n: its pulls, with
    beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))  this; m_K: mean of the target's N_K rewards

Against the index mean + 3 sigma sqrt(ln t / N), every other arm is pulled at most 2 + 9 sigma^2 ln T / delta0^2 times.
By default delta0 = sigma sqrt(ln T), which makes that 11 pulls; a small one needs a long game. Nothing is done before
the target was pulled once.

`target`: the arm to promote; by default the worst, the last of several. `budget`: at most this fraction of each arm's
rewards is contaminated, at every moment. `on_scale`: show ratings of the scale only, the next lower one.

Cost: with n = 2 + 9 sigma^2 ln T / delta0^2 and gaps to the target, the sum of all alpha_t is at most
n sum(gap_i + delta0) + sigma K sqrt(32 n ln(pi^2 K n^2 / (3 delta))), with probability 1 - delta. Robust means do not
help. Within a budget of 5 %, UCB still falls to a handful of huge lies; the trimmed mean and the median do not.

Reference: Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 4; our default of delta0.
"""

import math
from dataclasses import dataclass

from trueward.adversaries.hijack import EVERY_PULL, HijackState, UnknowingHijack, begin
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative


@dataclass(frozen=True, kw_only=True)
class JunUCB(UnknowingHijack):
    """Lowers an arm to 2 beta + delta0 below the target; sigma is by default the arms' sub-Gaussian parameter."""

    delta0: NotNegative | None = None

    def start(self, arms: Arms, horizon: int) -> HijackState:
        sigma = self.sigma_of(arms)
        margin = sigma * math.sqrt(math.log(horizon)) if self.delta0 is None else self.delta0
        return begin(self, arms, EVERY_PULL, sigma=sigma, delta=self.delta, margin=margin)
