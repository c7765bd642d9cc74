"""The family of policies that draw from what they believe of every arm, and play the arm whose draw is highest.

A state that has a kernel for `imagine` needs none for `choose`.
"""

import numpy as np

from trueward.engine.kernel import State, generic, kernel
from trueward.engine.stages import Ask, choose
from trueward.policies.choosing import best_of


@generic
def imagine(state: State, arm: int, rng: np.random.Generator) -> float:
    """Return a mean of an arm, drawn from what is believed of it; infinite for one that must be tried first."""
    raise NotImplementedError


@kernel
def play_highest_draw(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Draw a mean of every arm, and play the highest."""
    for arm in range(ask.p.size):
        ask.p[arm] = imagine(state, arm, rng)
    return best_of(ask.p, rng)


choose.derive(lambda state_class: play_highest_draw if imagine.kernel_of(state_class) else None)
