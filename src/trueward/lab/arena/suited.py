"""A policy set up for a game: its parameters filled in by their names, from what is known of the arms and the attack.

A policy that has to be told a contamination rate, a standard deviation or a range is told the truth; where nothing is
contaminated, a tenth. That is a favour: nobody knows these in a study.
"""

import inspect
from dataclasses import dataclass
from typing import Any

from trueward.arms.arms import Arms
from trueward.errors import ParameterError
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.policies.index.ucb import UCB
from trueward.policies.policy import Policy

USUAL_RATE = 0.1  # what policies are told where nothing is contaminated
SDS_PAST_THE_MEANS = 3.0  # the range declared for rewards without bounds, as the adversaries have it
SCALE = ("range", "ratings", "low")  # parameters that are told even where they have a default
VALUES_IN_THE_RANGE = 41  # to which continuous rewards are rounded by a policy that needs a scale


@dataclass(frozen=True)
class Told:
    """What a policy may be told about a game."""

    arms: Arms
    horizon: int
    epsilon: float | None

    @property
    def rate(self) -> float:
        """The contamination rate, or a tenth."""
        return USUAL_RATE if self.epsilon is None else self.epsilon

    @property
    def sd(self) -> float:
        """The largest standard deviation."""
        return self.arms.sd

    @property
    def range(self) -> tuple[float, float]:
        """The range of rewards; where there is none, three standard deviations past the extreme means."""
        if self.arms.scale is not None:
            return self.arms.bounds
        reach = SDS_PAST_THE_MEANS * self.sd
        return float(self.arms.means.min()) - reach, float(self.arms.means.max()) + reach

    @property
    def ratings(self) -> int:
        """The number of values on the scale."""
        return VALUES_IN_THE_RANGE if self.arms.scale is None else self.arms.scale.size

    @property
    def width(self) -> float:
        """The width of the range."""
        return self.range[1] - self.range[0]

    @property
    def total(self) -> float:
        """All that contamination may move: the rate of all rounds, by half the range each."""
        return self.rate * self.horizon * self.width / 2.0


def suited(policy_class: type[Policy], told: Told, **given: Any) -> Policy:
    """Return a policy of a class, set up for a game: the range it declares, and every parameter without a default.

    Parameters that are given stay as they are.
    """
    known = {
        "range": told.range,
        "ratings": told.ratings,
        "low": told.range[0],
        "sigma": told.sd,
        "epsilon": told.rate,
        "alpha": told.rate,
        "beta": 2.0 * told.sd,
        "moment": told.sd * told.sd,
        "budget": told.total,
        "estimator": TrimmedMean(told.rate),
        "policy": UCB(sigma=told.sd),
        **given,
    }
    parameters = inspect.signature(policy_class).parameters
    needed = [n for n, p in parameters.items() if p.default is p.empty or n in (*SCALE, *given)]
    unknown = [name for name in needed if name not in known]
    if unknown:
        raise ParameterError(f"{policy_class.__name__} needs {', '.join(unknown)}: nobody knows what it should be here")
    return policy_class(**{name: known[name] for name in needed})
