"""Uniform sampling: every arm with the same probability."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.policies.sampling.sampling_policy import SamplingPolicy, distribute


class UniformState(NamedTuple):
    """The sample means, which are reported and change no choice."""

    memory: MeanMemory


@distribute.register(UniformState)
def uniform_probabilities(state: UniformState, ask: Ask) -> None:
    for arm in range(ask.p.size):
        ask.p[arm] = 1.0 / ask.p.size


@update.register(UniformState)
def update_mean(state: UniformState, seen: Observation, rng: np.random.Generator) -> None:
    insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True)
class Uniform(SamplingPolicy):
    """Uniform sampling: every arm with the same probability.

        p_a = 1 / K

    The baseline for regret. It ignores all rewards, so contamination cannot change what it plays.

    Notes
    -----
    Guarantee: the expected regret is T times the mean gap, whatever the rewards are.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = Uniform()
    >>> policy.probabilities(policy.start(4), make_ask(1, 4)).tolist()
    [0.25, 0.25, 0.25, 0.25]

    References
    ----------
    None: the natural baseline. A randomised study without adaptation assigns its arms this way.
    """

    def state(self, setting: Setting) -> UniformState:
        return UniformState(Mean().memory(setting))

    def estimates(self, state: UniformState) -> Floats:
        return means_of(state.memory)
