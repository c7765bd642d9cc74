"""The family of attacks that hit by counting an arm's pulls: the first ones, or as many as a fraction allows.

Which values they show is a scheme of values, in values.py.
"""

from typing import NamedTuple

import numpy as np

from trueward.adversaries.adversary import within_budget
from trueward.adversaries.values import Ranges
from trueward.engine.protocol import UNTOUCHED, View, contaminate, contaminated_value

NO_MORE = -1.0


class PullsAttack(NamedTuple):
    """How many of an arm's pulls, and with what."""

    first: int  # all of these
    epsilon: float  # and then as many as keep to this fraction, or NO_MORE
    values: Ranges


@contaminate.register(PullsAttack)
def contaminate_pulls(
    state: PullsAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Contaminate an arm's first pulls, and whenever the fraction allows one more."""
    if view.pulls[arm] < state.first or within_budget(view, arm, state.epsilon, 1):
        return contaminated_value(state.values, arm, reward, rng)
    return UNTOUCHED
