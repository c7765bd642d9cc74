"""The front cluster: everything is contaminated at the beginning, and nothing afterwards.

The paper contaminates "the first epsilon rewards"; either the first floor(epsilon T) rounds of the game
(`by="rounds"`, oblivious), or the first floor(epsilon T / K) pulls of each arm (`by="pulls"`, adaptive, far worse: an
arm that looks bad is never given the clean rewards that would clear it). Both break the paper's constraint at once,
so no budget is declared.

Reference: Niss & Tewari (2020), section 6, "Front Cluster Attack".
"""

from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from trueward.adversaries.base import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values, scheme
from trueward.arms import Arms
from trueward.engine import checks
from trueward.engine.kernel import UNTOUCHED, Floats, View, contaminate, fake, floor_edge, mark, reset


class FirstRounds(NamedTuple):
    """How many rounds, and with what."""

    rounds: int
    values: Ranges


class FirstPulls(NamedTuple):
    """How many pulls of each arm, and with what."""

    pulls: int
    values: Ranges


@mark.register(FirstRounds)
def mark_first_rounds(state: FirstRounds, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Fill the first rounds."""
    for t in range(truth.shape[0]):
        for arm in range(truth.shape[1]):
            hit = t < state.rounds
            table[t, arm] = fake(state.values, arm, truth[t, arm], rng) if hit else UNTOUCHED


@reset.register(FirstPulls)
def reset_first_pulls(state: FirstPulls) -> None:
    """Keep nothing: the game counts the pulls."""


@contaminate.register(FirstPulls)
def contaminate_first_pulls(
    state: FirstPulls, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Contaminate an arm's first pulls."""
    if view.pulls[arm] < state.pulls:
        return fake(state.values, arm, reward, rng)
    return UNTOUCHED


@dataclass(frozen=True)
class FrontCluster(Adversary):
    """Contaminates the first epsilon T rounds, or each arm's first epsilon T / K pulls."""

    epsilon: float
    values: Values = field(default_factory=RandomMalicious)
    _: KW_ONLY
    by: Literal["rounds", "pulls"] = "rounds"

    def __post_init__(self) -> None:
        checks.number("epsilon", self.epsilon, at_least=0, at_most=1)
        scheme("values", self.values)
        checks.one_of("by", self.by, ("rounds", "pulls"))

    @property
    def adaptive(self) -> bool:
        """Counting pulls needs to see the arms."""
        return self.by == "pulls"

    def keeps_scale(self, arms: Arms) -> bool:
        """Return whether its values do."""
        return self.values.keep_scale(arms)

    def start(self, arms: Arms, horizon: int) -> FirstRounds | FirstPulls:
        """Return how long, and with what."""
        values = self.values.start(arms)
        if self.adaptive:
            return FirstPulls(floor_edge(self.epsilon * horizon / arms.n_arms), values)
        return FirstRounds(floor_edge(self.epsilon * horizon), values)
