"""UCB for sub-Gaussian rewards: the plain mean and a confidence radius in units of the reward.

    play argmax_a  mean(x_a) + sigma sqrt(c ln t / N_a)

Withstands no contamination: one bad fraction makes it converge on the wrong arm. It is crUCB at alpha = 0, and the
reading of "UCB1" under which the paper's comparison makes sense: on ratings from 0 to 10, UCB1 as published explores
almost uniformly for a thousand rounds.

Guarantee: without contamination, for c > 4, a regret of at most the sum over arms of 4 c sigma^2 ln T / gap +
gap c / (c - 4).

Reference: Bubeck & Cesa-Bianchi (2012), section 2.2, with alpha = c / 2.
"""

import math
from dataclasses import dataclass

import numpy as np

from trueward.engine import checks
from trueward.estimators import Mean
from trueward.policies.index.crucb import IndexPolicy, IndexState, index_state


@dataclass(frozen=True, kw_only=True)
class UCB(IndexPolicy):
    """Plays the highest mean + sigma sqrt(c ln t / N_a)."""

    sigma: float
    c: float = 4.0

    def __post_init__(self) -> None:
        checks.number("sigma", self.sigma, at_least=0)
        checks.number("c", self.c, above=0)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> IndexState:
        """Return a fresh state."""
        scale = np.full(n_arms, self.sigma * math.sqrt(self.c))
        return index_state(Mean().memory(n_arms, capacity), scale, np.zeros(n_arms), horizon)
