"""HuberUCB: an upper confidence bound around Huber's mean.

    practical:  play argmax_a  Hub(x_a) + sigma sqrt(c ln t / N_a)
    paper:      play argmax_a  Hub(x_a) + r(N_a, t),  infinite while N_a < s(t), with L = 2 ln t and

        r(n, t) = (sigma sqrt(2 L / n) + beta L / (3 n) + 2 beta e sqrt(L / n) + 2 beta epsilon)
                  / (p - sqrt(L / (2 n)) - epsilon)
        s(t)    = 98/128 ln t max(1 + 2 e, 9)^2 / (p - 5 epsilon)^2
        e       = sqrt((1 - 2 epsilon) / ln((1 - epsilon) / epsilon)),    p = P(|Y - E Y| <= beta / 2)

Withstands a fraction epsilon of the rewards being anything at all, up to a shift of about beta epsilon, which it cannot
tell from a gap. Does not withstand a burst at the beginning.

`preset="paper"` is for the long run: s(t) is several hundred pulls of each arm within a thousand rounds, in which it
plays uniformly. `preset="practical"` is crUCB with Huber's mean. p is that of a normal reward unless it is given.

>>> round(forced_pulls(1000, epsilon=0.02, p=0.6827))
1262

Guarantee: for the paper's preset, rewards of finite variance, contamination that does not look at the play and
5 epsilon < p, a regret of order ln T for gaps larger than the shift. None is known for the practical one.

Reference: Basu, Maillard & Mathieu (2022), Bandits corrupted by nature: lower bounds on regret and robust optimistic
algorithm. The form of the radius is from it; its constants, 98/128 and 9 among them, are given here as we know them and
were not compared with the printed text. Ours: the practical preset and the normal p; the source's bias of Huber's mean
for skewed rewards is left out, as it is the same for all arms.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

from trueward.engine.kernel import Floats, Ints, State, kernel
from trueward.engine.protocol import Ask, update
from trueward.engine.states import Setting, new, per_arm
from trueward.errors import ParameterError
from trueward.estimators.huber_mean.definition import HuberMean
from trueward.parameters import BelowHalf, Positive, above, at_most
from trueward.policies.index.index_policy import IndexPolicy, score, update_estimate
from trueward.policies.selection import forced_exploration_score


class HuberState(NamedTuple):
    """Huber's means, and what the radius needs."""

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
    """Return e, the sub-Gaussian parameter of a Bernoulli(epsilon) variable, up to a factor."""
    if epsilon == 0.0:
        return 0.0
    return math.sqrt((1.0 - 2.0 * epsilon) / math.log((1.0 - epsilon) / epsilon))


@kernel
def forced_pulls(t: int, epsilon: float, p: float) -> float:
    """Return s(t), below which an arm's index is infinite."""
    factor = max(1.0 + 2.0 * contamination_spread(epsilon), 9.0) / (p - 5.0 * epsilon)
    return math.log(t) * (98.0 / 128.0) * (factor * factor)


@kernel
def paper_radius(n: int, t: int, sigma: float, beta: float, epsilon: float, p: float) -> float:
    """Return r(n, t), infinite where the bound does not hold."""
    log = 2.0 * math.log(t)
    share = p - math.sqrt(log / (2.0 * n)) - epsilon  # of clean rewards within beta, at least
    if n < forced_pulls(t, epsilon, p) or share <= 0.0:
        return math.inf
    noise = sigma * math.sqrt(2.0 * log / n) + beta * log / (3.0 * n)
    contamination = 2.0 * beta * contamination_spread(epsilon) * math.sqrt(log / n) + 2.0 * beta * epsilon
    return (noise + contamination) / share


@score.register(HuberState)
def upper_bound(state: HuberState, ask: Ask, arm: int) -> float:
    """Return the upper confidence bound of an arm."""
    if state.pulls[arm] == 0:
        return forced_exploration_score(ask, arm)
    n = int(state.pulls[arm] + ask.pending[arm])
    if state.paper:
        radius = paper_radius(n, ask.t, state.sigma, state.beta, state.epsilon, state.within)
    else:
        radius = state.sigma * math.sqrt(state.c * math.log(ask.t) / n)
    return float(state.estimate[arm] + radius)


update.register(HuberState)(update_estimate)


@dataclass(frozen=True, kw_only=True)
class HuberUCB(IndexPolicy):
    """Plays the highest Hub(x_a) + radius; epsilon and p matter for the paper's preset, c for the practical one."""

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
        """P(|Y - E Y| <= beta / 2): p, or that of a normal reward."""
        return math.erf(self.beta / (2.0 * math.sqrt(2.0) * self.sigma)) if self.p is None else self.p

    def state(self, setting: Setting) -> HuberState:
        return new(
            HuberState,
            setting,
            memory=HuberMean(self.beta, sequential=self.sequential).memory(setting),
            paper=self.preset == "paper",
            c=float(self.c),
            sigma=float(self.sigma),
            beta=float(self.beta),
            epsilon=float(self.epsilon),
            within=float(self.within),
        )
