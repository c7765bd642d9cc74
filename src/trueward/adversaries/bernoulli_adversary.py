"""The Bernoulli adversary: contaminate each round with probability epsilon."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, contaminated_value, plan_attack
from trueward.parameters import Share


class BernoulliState(NamedTuple):
    epsilon: float
    values: Ranges


@plan_attack.register(BernoulliState)
def contaminate_rounds_at_random(state: BernoulliState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Write a contaminated value for every arm in a contaminated round, and UNTOUCHED elsewhere."""
    for t in range(truth.shape[0]):
        contaminated = rng.random() < state.epsilon
        for arm in range(truth.shape[1]):
            table[t, arm] = contaminated_value(state.values, arm, truth[t, arm], rng) if contaminated else UNTOUCHED


@dataclass(frozen=True)
class BernoulliAdversary(Adversary):
    """The Bernoulli adversary: contaminate each round with probability epsilon.

        in each round, independently:   observed reward = a contaminated value with probability epsilon, else the truth

    It is oblivious: it does not see which arms are played. It breaks the constraint of Niss & Tewari (2020) that, at
    every moment, at most epsilon of each arm's rewards are contaminated: at epsilon = 0.1, an arm with 200 pulls has
    exceeded a tenth at some moment with probability 0.91. So it declares no budget; `Trace.first_violation` and
    `Trace.contaminated_fraction` show when and by how much it went over. `PrefixBudget` keeps the constraint.

    Parameters
    ----------
    epsilon : float
        Probability in [0, 1] that a round is contaminated.
    values : Values, optional
        What a contaminated reward looks like. Default: `RandomMalicious()`.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, tw.BernoulliAdversary(0.1), horizon=200, compiled=False)
    >>> trace.pulls[0, -1].tolist(), trace.touched[0].tolist()  # by arm: rewards, and contaminated ones
    ([112, 88], [10, 8])

    References
    ----------
    Niss & Tewari (2020), section 6; Altschuler, Brunel & Malek (2019).
    """

    epsilon: Share
    values: Values = field(default_factory=RandomMalicious)

    @property
    def constraint(self) -> float:
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        return self.values.keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> BernoulliState:  # noqa: ARG002 - the same for any horizon
        return BernoulliState(float(self.epsilon), self.values.start(arms))
