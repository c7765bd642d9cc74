"""Huber's mean of sorted rewards."""

from typing import NamedTuple

import numpy as np

from trueward.engine.stages import insert
from trueward.estimators.huber_mean.root import huber_root
from trueward.estimators.samples.sorted_sample import SortedSample, place


class OrderedHuber(NamedTuple):
    """The sorted rewards, and how far one pulls."""

    sample: SortedSample
    beta: float


@insert.register(OrderedHuber)
def insert_ordered_huber(memory: OrderedHuber, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert a reward and return the root."""
    n = place(memory.sample, arm, reward)
    return huber_root(memory.sample.values[arm], n, memory.beta)
