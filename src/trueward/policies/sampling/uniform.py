"""Uniform play: every arm with the same probability, whatever the rewards. The yardstick of regret.

    p_a = 1 / K

Contamination cannot touch it, nor can anything else.

Guarantee: a regret of T times the mean gap, whatever happens.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, choose, insert, reset, update
from trueward.estimators.mean import Mean, MeanMemory
from trueward.policies.base import SamplingPolicy, distribute
from trueward.policies.choosing import draw_from


class UniformState(NamedTuple):
    """Probabilities, and the means for whoever asks."""

    p: Floats  # (arms,)
    memory: MeanMemory


@reset.register(UniformState)
def reset_uniform(state: UniformState) -> None:
    """Forget the rewards."""
    reset(state.memory)


@distribute.register(UniformState)
def distribute_uniform(state: UniformState, t: int) -> None:
    """Give every arm the same probability."""
    for arm in range(state.p.size):
        state.p[arm] = 1.0 / state.p.size


@choose.register(UniformState)
def choose_uniform(state: UniformState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(UniformState)
def update_uniform(state: UniformState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Keep the mean; it changes no choice."""
    insert(state.memory, arm, reward, rng)


@dataclass(frozen=True)
class Uniform(SamplingPolicy):
    """Plays every arm with the same probability."""

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> UniformState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        return UniformState(np.full(n_arms, 1.0 / n_arms), Mean().memory(n_arms, capacity))

    def estimates(self, state: UniformState) -> Floats:
        """Return the plain means."""
        return np.where(state.memory.sizes > 0, state.memory.mean, np.nan)
