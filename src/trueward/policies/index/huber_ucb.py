"""HuberUCB: an upper confidence bound around Huber's mean."""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from trueward.engine.kernel import Floats, Ints, State, kernel
from trueward.engine.protocol import Ask, update
from trueward.engine.states import Setting, new, per_arm
from trueward.errors import ParameterError
from trueward.estimators.huber_mean import HuberMean
from trueward.parameters import BelowHalf, Positive, above, at_most
from trueward.policies.index.index_policy import IndexPolicy, score, update_estimate
from trueward.policies.selection import forced_exploration_score


class HuberUCBState(NamedTuple):
    """Huber's mean of each arm, and the constants of the radius."""

    memory: State
    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    paper: bool
    c: float
    sigma: float
    beta: float
    epsilon: float
    within: float  # P(|Y - E Y| <= beta / 2)


@kernel
def contamination_spread(epsilon: float) -> float:
    """Return e, which is the sub-Gaussian parameter of a Bernoulli(epsilon) variable up to a factor."""
    if epsilon == 0.0:
        return 0.0
    return math.sqrt((1.0 - 2.0 * epsilon) / math.log((1.0 - epsilon) / epsilon))


@kernel
def forced_pulls(t: int, epsilon: float, p: float) -> float:
    """Return s(t): an arm with fewer pulls has an infinite index."""
    factor = max(1.0 + 2.0 * contamination_spread(epsilon), 9.0) / (p - 5.0 * epsilon)
    return math.log(t) * (98.0 / 128.0) * (factor * factor)


@kernel
def paper_radius(n: int, t: int, sigma: float, beta: float, epsilon: float, p: float) -> float:
    """Return r(n, t); inf where the bound does not hold."""
    log = 2.0 * math.log(t)
    share = p - math.sqrt(log / (2.0 * n)) - epsilon  # lower bound on the share of clean rewards within beta
    if n < forced_pulls(t, epsilon, p) or share <= 0.0:
        return math.inf
    noise = sigma * math.sqrt(2.0 * log / n) + beta * log / (3.0 * n)
    contamination = 2.0 * beta * contamination_spread(epsilon) * math.sqrt(log / n) + 2.0 * beta * epsilon
    return (noise + contamination) / share


@score.register(HuberUCBState)
def huber_upper_bound(state: HuberUCBState, ask: Ask, arm: int) -> float:
    """Return Huber's mean + radius; pending rewards count in the radius."""
    if state.pulls[arm] == 0:
        return forced_exploration_score(ask, arm)
    n = int(state.pulls[arm] + ask.pending[arm])
    if state.paper:
        radius = paper_radius(n, ask.t, state.sigma, state.beta, state.epsilon, state.within)
    else:
        radius = state.sigma * math.sqrt(state.c * math.log(ask.t) / n)
    return float(state.estimate[arm] + radius)


update.register(HuberUCBState)(update_estimate)


@dataclass(frozen=True, kw_only=True)
class HuberUCB(IndexPolicy):
    """HuberUCB: an upper confidence bound around Huber's mean.

        practical:  play argmax_a  Hub(x_a) + sigma sqrt(c ln t / N_a)
        paper:      play argmax_a  Hub(x_a) + r(N_a, t),  infinite while N_a < s(t), with L = 2 ln t and

            r(n, t) = (sigma sqrt(2 L / n) + beta L / (3 n) + 2 beta e sqrt(L / n) + 2 beta epsilon)
                      / (p - sqrt(L / (2 n)) - epsilon)
            s(t)    = 98/128 ln t max(1 + 2 e, 9)^2 / (p - 5 epsilon)^2
            e       = sqrt((1 - 2 epsilon) / ln((1 - epsilon) / epsilon)),    p = P(|Y - E Y| <= beta / 2)

    It withstands arbitrary contamination of a fraction epsilon of the rewards, up to a shift of about beta epsilon,
    which it cannot distinguish from a gap. It does not withstand a burst at the beginning.

    Parameters
    ----------
    sigma : float
        Standard deviation of the true rewards.
    beta : float
        Where Huber's influence function is clipped, in units of the reward.
    preset : {"practical", "paper"}
        "paper" is for long games: s(t) is several hundred pulls of each arm within a thousand rounds, during which it
        plays uniformly. "practical" is crUCB with Huber's mean.
    c : float
        Factor of ln t; used by "practical" only.
    epsilon : float
        Fraction of contaminated rewards, below p / 5; used by "paper" only.
    p : float, optional
        P(|Y - E Y| <= beta / 2) for a true reward Y; used by "paper" only. Default: that of a normal reward.
    sequential : bool
        Whether to use the cheaper sequential form of `HuberMean`, which depends on the order of the rewards.

    Notes
    -----
    Guarantee: for the preset "paper", rewards of finite variance, contamination that does not depend on the play and
    5 epsilon < p, the regret is of order ln T for gaps larger than the shift. None is known for "practical".

    Examples
    --------
    >>> import trueward as tw
    >>> from trueward.policies.index.huber_ucb import forced_pulls
    >>> policy = tw.HuberUCB(sigma=1.0, beta=2.0, epsilon=0.02, preset="paper")
    >>> round(policy.within, 4)  # the p of a normal reward
    0.6827
    >>> round(forced_pulls(1000, epsilon=0.02, p=policy.within))  # s(1000)
    1262

    References
    ----------
    Basu, Maillard & Mathieu (2022), Bandits corrupted by nature: lower bounds on regret and robust optimistic
    algorithm. The form of the radius is from it; its constants, 98/128 and 9 among them, are given as we know them and
    were not compared with the printed text. New in trueward: the practical preset and the normal p. The source's bias
    of Huber's mean for skewed rewards is omitted, because it is the same for all arms.
    """

    sigma: Positive
    beta: Positive
    preset: Literal["practical", "paper"] = "practical"
    c: Positive = 4.0
    epsilon: BelowHalf = 0.0
    p: Annotated[float, above(0), at_most(1)] | None = None
    sequential: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.preset == "paper" and 5.0 * self.epsilon >= self.within:
            raise ParameterError(
                f"epsilon must be below p / 5 = {self.within / 5.0:g} for the paper's preset, got {self.epsilon!r}"
            )

    @property
    def within(self) -> float:
        """P(|Y - E Y| <= beta / 2): `p`, or that of a normal reward."""
        return math.erf(self.beta / (2.0 * math.sqrt(2.0) * self.sigma)) if self.p is None else self.p

    def state(self, setting: Setting) -> HuberUCBState:
        return new(
            HuberUCBState,
            setting,
            memory=HuberMean(self.beta, sequential=self.sequential).memory(setting),
            paper=self.preset == "paper",
            c=float(self.c),
            sigma=float(self.sigma),
            beta=float(self.beta),
            epsilon=float(self.epsilon),
            within=float(self.within),
        )
