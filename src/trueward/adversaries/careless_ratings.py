"""Careless ratings: those of people who were seen to be careless, in place of some of the true ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from trueward.adversaries.adversary import Adversary
from trueward.arms.arms import Arms
from trueward.engine.kernel import Floats
from trueward.engine.protocol import UNTOUCHED, plan_attack
from trueward.errors import ParameterError
from trueward.parameters import LARGEST_REWARD, Share, check_array, check_number


class CarelessRatingsState(NamedTuple):
    epsilon: float
    scale: Floats  # (values,)
    cdf: Floats  # (arms, values) of the careless ratings; the last column is 1


@plan_attack.register(CarelessRatingsState)
def draw_careless_ratings(state: CarelessRatingsState, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Write a careless rating of every arm in a careless participant's round, and UNTOUCHED elsewhere."""
    for t in range(truth.shape[0]):
        careless = rng.random() < state.epsilon
        for arm in range(truth.shape[1]):
            table[t, arm] = UNTOUCHED
            if careless:
                u = rng.random()
                i = 0
                while u >= state.cdf[arm, i]:
                    i += 1
                table[t, arm] = state.scale[i]


@dataclass(frozen=True)
class CarelessRatings(Adversary):
    """Careless ratings: in each round, with a given probability, a participant who is careless in the observed way.

        in each round, independently:   observed rating ~ the careless people's ratings of the arm with probability
        epsilon, else the true rating

    `LabelledPeople.careless_people` makes one from data in which it is known who was careless. It is oblivious and
    declares no budget. `CarelessParticipants` are simulated people instead, who rate in sessions.

    Parameters
    ----------
    epsilon : float
        Share of careless participants, in [0, 1].
    counts : sequence of array_like
        How often careless people gave each rating of the arms' scale, one row per arm.

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.CategoricalArms(values=[1, 2, 3], counts=[[0, 10, 90], [70, 20, 10]])
    >>> careless = tw.CarelessRatings(0.2, counts=[[2, 5, 3], [2, 6, 2]])
    >>> trace = tw.play(tw.BetaThompson((1, 3)), arms, careless, horizon=200, compiled=False)
    >>> int(trace.touched.sum()), int(trace.changed.sum())  # ratings of careless people; those that differ
    (36, 20)

    References
    ----------
    New in trueward. The people of `labelled_people` are from the studies that it names.
    """

    epsilon: Share
    counts: Sequence[ArrayLike]

    def __post_init__(self) -> None:
        check_number("epsilon", self.epsilon, at_least=0, at_most=1)
        if len(self.counts) == 0:
            raise ParameterError("counts must have a row for each arm, got none")
        rows = [
            check_array(f"counts[{arm}]", row, at_least=0, at_most=LARGEST_REWARD)
            for arm, row in enumerate(self.counts)
        ]
        for arm, row in enumerate(rows):
            if row.sum() == 0:
                raise ParameterError(f"counts[{arm}] must not be all 0, got {row.tolist()}")
        object.__setattr__(self, "counts", tuple(tuple(row.tolist()) for row in rows))  # a copy that can be hashed

    @property
    def constraint(self) -> float:
        """The share of careless participants."""
        return self.epsilon

    def keeps_scale(self, arms: Arms) -> bool:
        return arms.scale is not None

    def start(self, arms: Arms, horizon: int) -> CarelessRatingsState:  # noqa: ARG002 - the same for any horizon
        shape = (len(self.counts), {np.size(row) for row in self.counts})
        if arms.scale is None or shape != (arms.n_arms, {arms.scale.size}):
            scale = "no scale" if arms.scale is None else f"{arms.scale.size} ratings"
            raise ParameterError(
                f"counts must have a row for each of the {arms.n_arms} arms and a column for each rating of their "
                f"scale ({scale}), got {len(self.counts)} rows of {'/'.join(map(str, sorted(shape[1])))}"
            )
        counts = np.array(self.counts, dtype=np.float64)
        cdf = np.cumsum(counts, axis=1) / counts.sum(axis=1, keepdims=True)
        cdf[:, -1] = 1.0
        return CarelessRatingsState(float(self.epsilon), np.array(arms.scale, dtype=np.float64), cdf)
