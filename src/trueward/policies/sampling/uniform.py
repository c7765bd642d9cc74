"""Uniform play: every arm with the same probability, whatever the rewards. The yardstick of regret.

    p_a = 1 / K

Contamination cannot touch it, nor can anything else.

Guarantee: a regret of T times the mean gap, whatever happens.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.policies.sampling.sampling_policy import SamplingPolicy, distribute


class UniformState(NamedTuple):
    """The means, for whoever asks."""

    memory: MeanMemory


@distribute.register(UniformState)
def share_evenly(state: UniformState, ask: Ask) -> None:
    """Give every arm the same probability."""
    for arm in range(ask.p.size):
        ask.p[arm] = 1.0 / ask.p.size


@update.register(UniformState)
def keep_mean(state: UniformState, seen: Observation, rng: np.random.Generator) -> None:
    """Keep the mean; it changes no choice."""
    insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True)
class Uniform(SamplingPolicy):
    """Plays every arm with the same probability."""

    def state(self, setting: Setting) -> UniformState:
        return UniformState(Mean().memory(setting))

    def estimates(self, state: UniformState) -> Floats:
        return means_of(state.memory)
