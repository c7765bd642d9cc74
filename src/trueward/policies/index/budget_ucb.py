"""Budget UCB: an upper confidence bound for contamination with a known total."""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.parameters import NotNegative, Positive
from trueward.policies.index.crucb import UCBState, new_ucb_state
from trueward.policies.index.index_policy import IndexPolicy


class BudgetMemory(NamedTuple):
    """The sample means, and the most that contamination can have subtracted from an arm's sum."""

    memory: MeanMemory
    budget: float


@insert.register(BudgetMemory)
def insert_with_budget_bonus(memory: BudgetMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return mean + budget / N: the mean if the adversary spent its whole budget on lowering this arm."""
    mean = insert(memory.memory, arm, reward, rng)
    return float(mean + memory.budget / memory.memory.sizes[arm])


@dataclass(frozen=True, kw_only=True)
class BudgetUCB(IndexPolicy):
    """Budget UCB: the sample mean, and a bonus for the most that an adversary with a known budget can subtract.

        play argmax_a  mean(x_a) + sigma sqrt(c ln t / N_a) + C / N_a,    C >= sum of |observed - true reward|

    Contamination moves an arm's mean by at most C / N_a, so the index remains an upper bound. It withstands any
    contamination, bursts included, whose total is at most C. It suits a few bad rewards, but not contamination of a
    fraction of all rewards: then C grows with the horizon, and play is uniform until N_a is well above C / gap.

    Parameters
    ----------
    budget : float
        The total C of all changes, in units of the reward.
    sigma : float
        Sub-Gaussian parameter of the true rewards, such as their standard deviation.
    c : float
        Factor of ln t under the square root, as in `UCB`.

    Notes
    -----
    Guarantee: if the budget holds, the regret is at most the sum over the arms of terms of order
    C + sigma^2 ln T / gap.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.BudgetUCB(budget=3.0, sigma=1.0)
    >>> state = policy.start(n_arms=1)
    >>> for _ in range(4):
    ...     update(state, make_observation(0, 5.0, n_arms=1), np.random.default_rng(0))
    >>> float(policy.indices(state, make_ask(1, 1))[0])  # 5 + 0 + 3 / 4
    5.75

    References
    ----------
    Lykouris, Mirrokni & Paes Leme (2018), section 3: the enlarged confidence interval for a known C, there used for
    elimination.
    """

    budget: NotNegative
    sigma: NotNegative
    c: Positive = 4.0

    def state(self, setting: Setting) -> UCBState:
        memory = BudgetMemory(Mean().memory(setting), float(self.budget))
        return new_ucb_state(setting, memory, self.sigma * math.sqrt(self.c))

    def estimates(self, state: UCBState) -> Floats:
        return means_of(state.memory.memory)
