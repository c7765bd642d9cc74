"""Jun's attack on UCB: keep the observed average of every other arm a margin below the target's."""

import math
from dataclasses import dataclass
from typing import Annotated

from trueward.adversaries.targeted_attack import JUN_EVERY_PULL, TargetedAttack, TargetedAttackState
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative, above, below


@dataclass(frozen=True, kw_only=True)
class JunUCB(TargetedAttack):
    """Jun's attack on UCB: keep the observed average of every other arm a margin below the target's.

        alpha_t = max(0, S_i + r - n (m_K - 2 beta(N_K) - delta0))
        beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))

    Here i is the arm played, S_i the sum of its observed rewards before this round, n its pulls with this one, K the
    target, and m_K the average of the target's N_K rewards. Nothing happens before the first pull of the target.

    Without a budget, robust means do not help. Within a budget of 5 %, UCB is still misled by a handful of huge
    changes; the trimmed mean and the median are not.

    Parameters
    ----------
    target : int, optional
        Index of the arm to promote. Default: the arm with the lowest mean, the last one if several tie.
    budget : float, optional
        Largest fraction in [0, 1] of each arm's rewards that is contaminated at any moment. Default: no limit.
    on_scale : bool, optional
        Show only ratings of the arms' scale, rounded down. Default: False, any number.
    sigma : float, optional
        Sub-Gaussian parameter of the rewards. Default: the largest of the arms.
    delta : float, optional
        Probability in (0, 1) that a confidence radius fails. Default: 0.05.
    delta0 : float, optional
        The margin. Default: sigma sqrt(ln T), which is ours; a small margin needs a long game.

    Notes
    -----
    Guarantee: against the index mean + 3 sigma sqrt(ln t / N), every other arm is pulled at most
    n = 2 + 9 sigma^2 ln T / delta0^2 times (11 with the default margin), and the sum of all alpha_t is at most
    n sum(gap_i + delta0) + sigma K sqrt(32 n ln(pi^2 K n^2 / (3 delta))), with probability 1 - delta; gap_i is the
    arm's gap to the target.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.GaussianArms(means=[1.0, 0.3, 0.0])
    >>> trace = tw.play(tw.UCB(sigma=1.0), arms, tw.JunUCB(), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist()  # the target is the last arm
    [2, 2, 196]

    References
    ----------
    Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 4.
    """

    sigma: NotNegative | None = None
    delta: Annotated[float, above(0), below(1)] = 0.05
    delta0: NotNegative | None = None

    def start(self, arms: Arms, horizon: int) -> TargetedAttackState:
        sigma = arms.proxy if self.sigma is None else float(self.sigma)
        margin = sigma * math.sqrt(math.log(horizon)) if self.delta0 is None else self.delta0
        return self.new_state(arms, JUN_EVERY_PULL, sigma=sigma, delta=self.delta, margin=margin)
