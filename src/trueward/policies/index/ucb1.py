"""UCB1: the classic index for rewards in a known range.

    play argmax_a  mean(x_a) + (high - low) sqrt(2 ln t / N_a)

Withstands no contamination. Rewards outside of the range are clipped (the default), refused, or kept as they are.

Guarantee: in the range [0, 1], without contamination, at most 8 ln T / gap^2 + 1 + pi^2 / 3 expected pulls of an arm.

Reference: Auer, Cesa-Bianchi & Fischer (2002), Figure 1, for the range [0, 1].
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from trueward.engine.states import Setting
from trueward.estimators.mean import Mean
from trueward.parameters import Range
from trueward.policies.declared_range import ClippedMemory, declared_range
from trueward.policies.index.crucb import IndexState, index_state
from trueward.policies.index.index_policy import IndexPolicy


@dataclass(frozen=True)
class UCB1(IndexPolicy):
    """Plays the highest mean + (high - low) sqrt(2 ln t / N_a)."""

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Literal["clip", "raise", "keep"] | None = None

    def state(self, setting: Setting) -> IndexState:
        memory = Mean().memory(setting)
        unit_width = (self.range[1] - self.range[0]) * math.sqrt(2.0)
        if self.outside == "keep":
            return index_state(setting, memory, unit_width)
        return index_state(setting, ClippedMemory(declared_range(self.range, self.outside), memory), unit_width)
