"""The oracle attack: an attacker who knows the true means shifts every other arm just below the target."""

from dataclasses import dataclass

from trueward.adversaries.targeted_attack import ORACLE, TargetedAttack, TargetedAttackState
from trueward.arms.arms import Arms
from trueward.parameters import NotNegative


@dataclass(frozen=True, kw_only=True)
class OracleAttack(TargetedAttack):
    """The oracle attack: an attacker who knows the true means shifts every other arm just below the target.

        alpha_t = max(0, mu_i - mu_K + margin)        i: the arm played, K: the target

    The learner plays a game in which the target is the best arm, by a gap of `margin`. Attacks that must estimate the
    means are compared with this one. Robust means do not help. With a budget it does little, because it does not make
    up for the rewards that it left alone.

    Parameters
    ----------
    target : int, optional
        Index of the arm to promote. Default: the arm with the lowest mean, the last one if several tie.
    budget : float, optional
        Largest fraction in [0, 1] of each arm's rewards that is contaminated at any moment. Default: no limit.
    on_scale : bool, optional
        Show only ratings of the arms' scale, rounded down. Default: False, any number.
    margin : float, optional
        By how much the other arms end up below the target. Default: the largest standard deviation of the arms.

    Notes
    -----
    Cost: (gap to the target + margin) for every pull of another arm. A larger margin costs more per pull, and leads to
    fewer pulls.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.GaussianArms(means=[1.0, 0.3, 0.0])
    >>> trace = tw.play(tw.UCB(sigma=1.0), arms, tw.OracleAttack(), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist()  # the target is the last arm
    [6, 11, 183]

    References
    ----------
    Jun, Li, Ma & Zhu (2018), Adversarial attacks on stochastic bandits, section 2; Liu & Shroff (2019).
    """

    margin: NotNegative | None = None

    def start(self, arms: Arms, horizon: int) -> TargetedAttackState:  # noqa: ARG002 - the same for any horizon
        return self.new_state(arms, ORACLE, margin=arms.sd if self.margin is None else self.margin)
