"""A burst: contaminate every reward for a number of rounds."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, contaminated_value, plan_attack
from trueward.parameters import Share, at_least


class BurstState(NamedTuple):
    first: int  # the first contaminated round, counted from 0
    stop: int  # the first clean round after the burst
    values: Ranges


@plan_attack.register(BurstState)
def contaminate_burst(state: BurstState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Write a contaminated value for every arm in the rounds of the burst, and UNTOUCHED elsewhere."""
    for t in range(truth.shape[0]):
        contaminated = state.first <= t < state.stop
        for arm in range(truth.shape[1]):
            table[t, arm] = contaminated_value(state.values, arm, truth[t, arm], rng) if contaminated else UNTOUCHED


@dataclass(frozen=True)
class Burst(Adversary):
    """A burst: contaminate every reward for a number of rounds.

        contaminated rounds:   start_round, …, start_round + length - 1

    It is oblivious: it does not see which arms are played. It breaks the constraint of Niss & Tewari (2020),
    so it declares no budget. A `FrontCluster` by rounds is a burst that starts in round 1.

    Parameters
    ----------
    start_round : int
        First contaminated round; the game starts in round 1.
    length : int
        Number of contaminated rounds. A burst may outlast the game.
    values : Values, optional
        What a contaminated reward looks like. Default: `RandomMalicious()`.
    epsilon : float, optional
        Fraction in [0, 1] against which the paper's constraint is checked (`Trace.first_violation`). Default: no check.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> burst = tw.Burst(51, 20, tw.WorstBounded())
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, burst, horizon=100, keep_history=True, compiled=False)
    >>> trace.observed[0, 50:55].tolist()  # the first arm is the best one
    [0.0, 10.0, 10.0, 10.0, 10.0]

    References
    ----------
    New in trueward: the front cluster of Niss & Tewari (2020), section 6, at any time of the game.
    """

    start_round: Annotated[int, at_least(1)]
    length: int
    values: Values = field(default_factory=RandomMalicious)
    _: KW_ONLY
    epsilon: Share | None = None

    @property
    def constraint(self) -> float | None:
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        return self.values.keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> BurstState:  # noqa: ARG002 - a burst may end after the game
        first = self.start_round - 1
        return BurstState(first, first + self.length, self.values.start(arms))
