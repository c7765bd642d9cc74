"""Jun's attack on epsilon-greedy: when another arm than the target looks best, make it look clearly worse."""

from dataclasses import dataclass
from typing import Annotated, Literal

from trueward.adversaries.targeted_attack import (
    JUN_EVERY_PULL,
    JUN_EXPLOITATION,
    TargetedAttack,
    TargetedAttackState,
)
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative, above, below


@dataclass(frozen=True, kw_only=True)
class JunEpsilonGreedy(TargetedAttack):
    """Jun's attack on epsilon-greedy: when another arm than the target looks best, make it look clearly worse.

        alpha_t = max(0, S_i + r - n (m_K - 2 beta(N_K)))
        beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))

    Here i is the arm played, S_i the sum of its observed rewards before this round, n its pulls with this one, K the
    target, and m_K the average of the target's N_K rewards. After an attack the observed average of arm i is at most
    m_K - 2 beta(N_K), so that the next exploitation plays the target. Nothing happens before the first pull of the
    target.

    The attacker does not see whether the learner explores. A round counts as exploitation if the arm played was pulled
    before and has the highest average of observed rewards.

    Without a budget, robust means do not help.

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
    when : {"exploitation", "always"}, optional
        Attack exploitation only (the default), or every pull of another arm, as public implementations do. "always"
        contaminates more rewards and loses fewer rounds.

    Notes
    -----
    Cost: about (sum of gaps to the target) ln T against exploration with probability c K / t. A single alpha_t grows
    with n where the arm has a long past.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.GaussianArms(means=[1.0, 0.3, 0.0])
    >>> trace = tw.play(tw.EpsilonGreedy(c=3.0), arms, tw.JunEpsilonGreedy(), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist()  # the target is the last arm
    [7, 14, 179]

    References
    ----------
    Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 3. That exploration is left alone by
    default is our reading; the test for exploitation is ours.
    """

    sigma: NotNegative | None = None
    delta: Annotated[float, above(0), below(1)] = 0.05
    when: Literal["exploitation", "always"] = "exploitation"

    def start(self, arms: Arms, horizon: int) -> TargetedAttackState:  # noqa: ARG002 - the same for any horizon
        sigma = arms.proxy if self.sigma is None else self.sigma
        formula = JUN_EXPLOITATION if self.when == "exploitation" else JUN_EVERY_PULL
        return self.new_state(arms, formula, sigma=sigma, delta=self.delta)
