"""UCB1: the classic index for rewards in a known range."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal

from trueward.engine.states import Setting
from trueward.estimators.mean import Mean
from trueward.parameters import Range
from trueward.policies.declared_range import ClippedMemory, declared_range
from trueward.policies.index.crucb import UCBState, new_ucb_state
from trueward.policies.index.index_policy import IndexPolicy


@dataclass(frozen=True)
class UCB1(IndexPolicy):
    """UCB1: the classic index for rewards in a known range.

        play argmax_a  mean(x_a) + (high - low) sqrt(2 ln t / N_a)

    It withstands no contamination; clipping to the range only limits what a single reward can do.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise", "keep"}, optional
        What to do with a reward outside `range`: clip it, raise an error, or use it as it is. Default: clip in games,
        raise in a live study.

    Notes
    -----
    Guarantee: for rewards in [0, 1] without contamination, at most 8 ln T / gap^2 + 1 + pi^2 / 3 expected pulls of a
    suboptimal arm.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.UCB1((0, 10))
    >>> state = policy.start(n_arms=1)
    >>> for reward in (4.0, 16.0):
    ...     update(state, make_observation(0, reward, n_arms=1), np.random.default_rng(0))
    >>> policy.estimates(state).tolist()  # 16 counts as 10
    [7.0]
    >>> policy.indices(state, make_ask(20, 1)).round(4).tolist()  # 7 + 10 sqrt(ln 20)
    [24.3082]

    References
    ----------
    Auer, Cesa-Bianchi & Fischer (2002), Figure 1, for the range [0, 1].
    """

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Literal["clip", "raise", "keep"] | None = None

    def state(self, setting: Setting) -> UCBState:
        memory = Mean().memory(setting)
        unit_width = (self.range[1] - self.range[0]) * math.sqrt(2.0)
        if self.outside == "keep":
            return new_ucb_state(setting, memory, unit_width)
        return new_ucb_state(setting, ClippedMemory(declared_range(self.range, self.outside), memory), unit_width)
