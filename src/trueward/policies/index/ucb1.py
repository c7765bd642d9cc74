"""UCB1: the classic index for rewards in a known range.

    play argmax_a  mean(x_a) + (high - low) sqrt(2 ln t / N_a)

Withstands no contamination. Rewards outside of the range are clipped (the default), refused, or kept as they are.

Guarantee: in the range [0, 1], without contamination, at most 8 ln T / gap^2 + 1 + pi^2 / 3 expected pulls of an arm.

Reference: Auer, Cesa-Bianchi & Fischer (2002), Figure 1, for the range [0, 1].
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from trueward.engine import checks
from trueward.estimators import Mean
from trueward.policies.declared_range import ClippedMemory, declared_range
from trueward.policies.index.crucb import IndexPolicy, IndexState, index_state


@dataclass(frozen=True)
class UCB1(IndexPolicy):
    """Plays the highest mean + (high - low) sqrt(2 ln t / N_a)."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    outside: Literal["clip", "raise", "keep"] = "clip"

    def __post_init__(self) -> None:
        checks.interval("range", self.range)
        checks.one_of("outside", self.outside, ("clip", "raise", "keep"))

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> IndexState:
        """Return a fresh state."""
        memory = Mean().memory(n_arms, capacity)
        scale = np.full(n_arms, (self.range[1] - self.range[0]) * math.sqrt(2.0))
        if self.outside == "keep":
            return index_state(memory, scale, np.zeros(n_arms), horizon)
        clipped = ClippedMemory(declared_range(self.range, self.outside), memory)
        return index_state(clipped, scale, np.zeros(n_arms), horizon)
