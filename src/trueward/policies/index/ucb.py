"""UCB for sub-Gaussian rewards."""

import math
from dataclasses import dataclass

from trueward.engine.states import Setting
from trueward.estimators.mean import Mean
from trueward.parameters import NotNegative, Positive
from trueward.policies.index.crucb import UCBState, new_ucb_state
from trueward.policies.index.index_policy import IndexPolicy


@dataclass(frozen=True, kw_only=True)
class UCB(IndexPolicy):
    """UCB for sub-Gaussian rewards: the sample mean plus a confidence radius in units of the reward.

        play argmax_a  mean(x_a) + sigma sqrt(c ln t / N_a)

    It withstands no contamination: if a fraction of the rewards is contaminated, it converges to the wrong arm. It is
    crUCB at alpha = 0. It is also the reading of "UCB1" under which the comparison of Niss & Tewari (2020) makes sense:
    on ratings from 0 to 10, UCB1 as published explores almost uniformly for a thousand rounds.

    Parameters
    ----------
    sigma : float
        Sub-Gaussian parameter of the rewards, such as their standard deviation.
    c : float
        Factor of ln t under the square root.

    Notes
    -----
    Guarantee: without contamination and for c > 4, the regret is at most the sum over the arms of
    4 c sigma^2 ln T / gap + gap c / (c - 4).

    Examples
    --------
    >>> import trueward as tw
    >>> arms = tw.BinomialArms(n=10, p=(0.9, 0.5))
    >>> trace = tw.play(tw.UCB(sigma=arms.sd), arms, horizon=200, trials=4, compiled=False)
    >>> trace.pulls[:, -1].mean(axis=0).tolist()  # of each arm, mean of four games
    [197.0, 3.0]

    References
    ----------
    Bubeck & Cesa-Bianchi (2012), section 2.2, with alpha = c / 2.
    """

    sigma: NotNegative
    c: Positive = 4.0

    def state(self, setting: Setting) -> UCBState:
        return new_ucb_state(setting, Mean().memory(setting), self.sigma * math.sqrt(self.c))
