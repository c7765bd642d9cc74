"""The attack on whole rounds, fixed before play: all of a stretch, or each of them by the toss of a coin."""

import math
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import UNTOUCHED, contaminated_value, plan_attack

ALWAYS = math.inf  # no coin is tossed


class RoundsAttack(NamedTuple):
    """From which round on, up to which, how often, and with what."""

    first: int  # counted from 0
    stop: int
    epsilon: float  # the probability of a round between these, or ALWAYS
    values: State


@plan_attack.register(RoundsAttack)
def mark_rounds(state: RoundsAttack, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Have a value ready for every arm in a round that is contaminated."""
    for t in range(truth.shape[0]):
        hit = state.first <= t < state.stop and (state.epsilon == ALWAYS or rng.random() < state.epsilon)
        for arm in range(truth.shape[1]):
            table[t, arm] = contaminated_value(state.values, arm, truth[t, arm], rng) if hit else UNTOUCHED
