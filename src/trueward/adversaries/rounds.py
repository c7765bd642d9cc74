"""The family of attacks that hit whole rounds, fixed before play.

A state that has a kernel for `hit`, and `values`, needs none for `mark`.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, State, generic, kernel
from trueward.engine.stages import UNTOUCHED, fake, mark


@generic
def hit(state: State, t: int, rng: np.random.Generator) -> bool:
    """Return whether a round is contaminated; t counts from 0."""
    raise NotImplementedError


@kernel
def mark_hits(state: State, truth: Floats, table: Floats, rng: np.random.Generator) -> None:
    """Have a value ready for every arm in a round that is contaminated."""
    for t in range(truth.shape[0]):
        contaminated = hit(state, t, rng)
        for arm in range(truth.shape[1]):
            table[t, arm] = fake(state.values, arm, truth[t, arm], rng) if contaminated else UNTOUCHED


mark.derive(lambda state_class: mark_hits if hit.kernel_of(state_class) else None)


class Stretch(NamedTuple):
    """From which round on, up to which, and with what."""

    first: int  # counted from 0
    stop: int
    values: State


@hit.register(Stretch)
def within_stretch(state: Stretch, t: int, rng: np.random.Generator) -> bool:
    """Return whether the round is one of these."""
    return state.first <= t < state.stop
