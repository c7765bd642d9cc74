"""The Bernoulli adversary: in each round, with probability epsilon, the reward is contaminated.

It is oblivious, and it breaks the paper's own constraint: at epsilon = 0.1, an arm with 200 pulls has had more than a
tenth of its rewards contaminated at some moment with probability 0.91. So it declares no budget; the trace says by how
much it went over.

Reference: Niss & Tewari (2020), section 6; Altschuler, Brunel & Malek (2019).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values, scheme
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import UNTOUCHED, Floats, fake, mark


class BernoulliAttack(NamedTuple):
    """How often, and with what."""

    epsilon: float
    values: Ranges


@mark.register(BernoulliAttack)
def mark_bernoulli(state: BernoulliAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Toss a coin for each round; a contaminated round has a value ready for every arm."""
    for t in range(truth.shape[0]):
        hit = rng.random() < state.epsilon
        for arm in range(truth.shape[1]):
            table[t, arm] = fake(state.values, arm, truth[t, arm], rng) if hit else UNTOUCHED


@dataclass(frozen=True)
class BernoulliAdversary(Adversary):
    """Contaminates each round's reward with probability epsilon."""

    epsilon: float
    values: Values = field(default_factory=RandomMalicious)

    def __post_init__(self) -> None:
        checks.number("epsilon", self.epsilon, at_least=0, at_most=1)
        scheme("values", self.values)

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether its values do."""
        return self.values.keep_scale(arms)

    def start(self, arms: Arms, horizon: int) -> BernoulliAttack:  # noqa: ARG002 - whatever the horizon
        """Return how often, and with what."""
        return BernoulliAttack(float(self.epsilon), self.values.start(arms))
