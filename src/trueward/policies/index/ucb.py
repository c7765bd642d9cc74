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

from trueward.engine.states import Setting
from trueward.estimators.mean import Mean
from trueward.parameters import NotNegative, Positive
from trueward.policies.index.crucb import IndexState, index_state
from trueward.policies.index.index_policy import IndexPolicy


@dataclass(frozen=True, kw_only=True)
class UCB(IndexPolicy):
    """Plays the highest mean + sigma sqrt(c ln t / N_a)."""

    sigma: NotNegative
    c: Positive = 4.0

    def state(self, setting: Setting) -> IndexState:
        return index_state(setting, Mean().memory(setting), self.sigma * math.sqrt(self.c))
