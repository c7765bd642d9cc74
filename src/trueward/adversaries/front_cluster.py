"""The front cluster: contaminate everything at the beginning, and nothing afterwards."""

from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from trueward.adversaries.adversary import Adversary
from trueward.adversaries.values import RandomMalicious, Ranges, Values
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats, floor_edge
from trueward.engine.protocol import UNTOUCHED, View, contaminate, contaminated_value, plan_attack
from trueward.parameters import Share


class FrontRoundsState(NamedTuple):
    rounds: int  # how many are contaminated
    values: Ranges


@plan_attack.register(FrontRoundsState)
def contaminate_first_rounds(state: FrontRoundsState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Write a contaminated value for every arm in the first rounds, and UNTOUCHED elsewhere."""
    for t in range(truth.shape[0]):
        contaminated = t < state.rounds
        for arm in range(truth.shape[1]):
            table[t, arm] = contaminated_value(state.values, arm, truth[t, arm], rng) if contaminated else UNTOUCHED


class FrontPullsState(NamedTuple):
    pulls: int  # of each arm, how many are contaminated
    values: Ranges


@contaminate.register(FrontPullsState)
def contaminate_first_pulls(
    state: FrontPullsState, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    if view.pulls[arm] < state.pulls:
        return contaminated_value(state.values, arm, reward, rng)
    return UNTOUCHED


@dataclass(frozen=True)
class FrontCluster(Adversary):
    """The front cluster: contaminate everything at the beginning, and nothing afterwards.

        by="rounds":  the first floor(epsilon T) rounds of the game            (oblivious)
        by="pulls":   the first floor(epsilon T / K) pulls of each arm         (adaptive)

    The attack of Niss & Tewari (2020) contaminates "the first epsilon rewards"; the paper does not say whether it
    counts rounds or pulls. Counting pulls is far worse: an arm that looks bad after its first pulls is not pulled
    again, so that it never gets the clean rewards that would correct its estimate. Both violate the paper's constraint
    from the start, so no budget is declared.

    Parameters
    ----------
    epsilon : float
        Fraction in [0, 1] of the game that is contaminated.
    values : Values, optional
        What a contaminated reward looks like. Default: `RandomMalicious()`.
    by : {"rounds", "pulls"}, optional
        Count the rounds of the game (the default), or the pulls of each arm.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> cluster = tw.FrontCluster(0.1, tw.WorstBounded())
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, cluster, horizon=200, compiled=False)
    >>> int(trace.touched.sum()), int(trace.first_violation[0])  # contaminated rewards; round of the first violation
    (20, 1)

    References
    ----------
    Niss & Tewari (2020), section 6, "Front Cluster Attack".
    """

    epsilon: Share
    values: Values = field(default_factory=RandomMalicious)
    _: KW_ONLY
    by: Literal["rounds", "pulls"] = "rounds"

    @property
    def constraint(self) -> float:
        return self.epsilon

    @property
    def adaptive(self) -> bool:
        """Whether it counts pulls, for which it has to see the arms."""
        return self.by == "pulls"

    def keeps_scale(self, arms: Arms) -> bool:
        return self.values.keeps_scale(arms)

    def start(self, arms: Arms, horizon: int) -> FrontRoundsState | FrontPullsState:
        values = self.values.start(arms)
        if self.adaptive:
            return FrontPullsState(floor_edge(self.epsilon * horizon / arms.n_arms), values)
        return FrontRoundsState(floor_edge(self.epsilon * horizon), values)
