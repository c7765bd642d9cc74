"""The family of policies that draw from what they believe of every arm, and play the arm whose draw is highest.

A state that has a kernel for `sample_mean` needs none for `choose`.

Rewards may be late: asks under way change no posterior, since nothing was seen, and the draws spread the asks over the
arms by themselves. Only an arm that must be tried first waits once it has been looked at (`forced_exploration_score`).
"""

import math

import numpy as np

from trueward.engine.kernel import State, generic, kernel
from trueward.engine.protocol import Ask, choose
from trueward.policies.selection import best_of, forced_exploration_score


@generic
def sample_mean(state: State, arm: int, rng: np.random.Generator) -> float:
    """Return a mean of an arm, drawn from what is believed of it; infinite for one that must be tried first."""
    raise NotImplementedError


@kernel
def play_highest_draw(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Draw a mean of every arm, and play the highest."""
    for arm in range(ask.p.size):
        drawn = sample_mean(state, arm, rng)
        ask.p[arm] = drawn if drawn < math.inf else forced_exploration_score(ask, arm)
    return best_of(ask.p, rng)


choose.derive(lambda state_class: play_highest_draw if sample_mean.kernel_of(state_class) else None)
