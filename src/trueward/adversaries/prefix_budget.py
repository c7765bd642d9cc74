"""The prefix-budget adversary: contaminate whenever the constraint of Niss & Tewari (2020) allows it."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary, within_budget
from trueward.adversaries.values import RandomMalicious, Ranges, Values
from trueward.arms.arms import Arms
from trueward.engine.protocol import UNTOUCHED, View, contaminate, contaminated_value
from trueward.parameters import Share


class PrefixBudgetState(NamedTuple):
    epsilon: float
    values: Ranges


@contaminate.register(PrefixBudgetState)
def contaminate_within_budget(
    state: PrefixBudgetState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    if within_budget(view, arm, state.epsilon, 1):
        return contaminated_value(state.values, arm, reward, rng)
    return UNTOUCHED


@dataclass(frozen=True)
class PrefixBudget(AdaptiveAdversary):
    """The prefix-budget adversary: contaminate whenever the constraint of Niss & Tewari (2020) allows it.

        contaminate the n-th reward of an arm  iff  (contaminated rewards of the arm so far) + 1 <= epsilon n

    It is the adversary of the paper's theorems: at every moment at most epsilon of each arm's rewards are contaminated,
    and no other schedule that keeps this constraint has contaminated more at any moment. It is adaptive (it sees the
    pulls), and the game enforces its budget.

    Parameters
    ----------
    epsilon : float
        Largest fraction in [0, 1] of each arm's rewards that is contaminated at any moment.
    values : Values, optional
        What a contaminated reward looks like. Default: `RandomMalicious()`.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, tw.PrefixBudget(0.1), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist(), trace.touched[0].tolist()  # a tenth of each arm's rewards
    ([111, 89], [11, 8])

    References
    ----------
    Niss & Tewari (2020), section 2.1.
    """

    epsilon: Share
    values: Values = field(default_factory=RandomMalicious)

    @property
    def budget(self) -> float:
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        return self.values.keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> PrefixBudgetState:  # noqa: ARG002 - the same for any horizon
        return PrefixBudgetState(float(self.epsilon), self.values.start(arms))
