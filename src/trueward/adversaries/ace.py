"""ACE, the adaptive attack by constant estimation: shift every other arm below the target."""

from dataclasses import dataclass
from typing import Annotated

from trueward.adversaries.targeted_attack import CONSTANT_ESTIMATION, TargetedAttack, TargetedAttackState
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative, above, below


@dataclass(frozen=True, kw_only=True)
class ACE(TargetedAttack):
    """ACE, the adaptive attack by constant estimation: shift every other arm below the target, for any learner.

        alpha_t = max(0, m_i - m_K + beta(N_i) + beta(N_K))
        beta(N) = sqrt((2 sigma^2 / N) ln(pi^2 K N^2 / (3 delta)))

    Here i is the arm played, K the target, m the average of the true rewards so far (this one included) and N their
    number. The learner plays a game in which the target is the best arm, and every learner with low regret finds it.
    Nothing happens before the first pull of the target.

    Robust means do not help. With a budget ACE does little, because unlike Jun's attacks it does not make up for the
    rewards that it left alone.

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

    Notes
    -----
    Cost: about (gap to the target + 2 beta) for every pull of another arm, which makes O(ln T) against a learner of
    logarithmic regret.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.GaussianArms(means=[1.0, 0.3, 0.0])
    >>> trace = tw.play(tw.UCB(sigma=1.0), arms, tw.ACE(), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist()  # the target is the last arm
    [4, 3, 193]

    References
    ----------
    Liu & Shroff (2019), Data poisoning attacks on stochastic bandits, section 4.
    """

    sigma: NotNegative | None = None
    delta: Annotated[float, above(0), below(1)] = 0.05

    def start(self, arms: Arms, horizon: int) -> TargetedAttackState:  # noqa: ARG002 - the same for any horizon
        sigma = arms.proxy if self.sigma is None else self.sigma
        return self.new_state(arms, CONSTANT_ESTIMATION, sigma=sigma, delta=self.delta)
