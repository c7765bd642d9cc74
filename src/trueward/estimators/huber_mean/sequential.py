"""Huber's mean one Newton step at a time, from sums around the last full solution."""

from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.protocol import insert
from trueward.engine.states import REWARDS, kept, per_arm
from trueward.estimators.huber_mean.ordered import huber_root


class SequentialHuber(NamedTuple):
    """The rewards as they came, and the sums around the last full solution."""

    sizes: Annotated[Ints, per_arm(0)]
    values: Annotated[Floats, per_arm(kept, REWARDS)]
    base: Annotated[Floats, per_arm(kept)]  # the solution when the number of rewards last was a power of two
    pull: Annotated[Floats, per_arm(kept)]  # sum of psi(x - base)
    inside: Annotated[Ints, per_arm(kept)]  # rewards within beta of base
    beta: float


@kernel
def add_around_base(memory: SequentialHuber, arm: int, reward: float) -> None:
    """Add a reward to the sums."""
    distance = reward - memory.base[arm]
    memory.pull[arm] += max(-memory.beta, min(memory.beta, distance))
    memory.inside[arm] += abs(distance) <= memory.beta


@insert.register(SequentialHuber)
def insert_sequential_huber(memory: SequentialHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward; solve afresh at powers of two, else take one Newton step from the last solution."""
    n = int(memory.sizes[arm]) + 1
    memory.sizes[arm] = n
    memory.values[arm, n - 1] = reward
    if n & (n - 1) == 0:
        memory.base[arm] = huber_root(np.sort(memory.values[arm, :n]), n, memory.beta)
        memory.pull[arm] = 0.0
        memory.inside[arm] = 0
        for i in range(n):
            add_around_base(memory, arm, memory.values[arm, i])
        return float(memory.base[arm])
    add_around_base(memory, arm, reward)
    return float(memory.base[arm] + memory.pull[arm] / max(memory.inside[arm], 1))
