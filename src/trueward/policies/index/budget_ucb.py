"""Budget UCB: the plain mean, and a bonus for all that an adversary with a known budget could have taken away.

    play argmax_a  mean(x_a) + sigma sqrt(c ln t / N_a) + C / N_a,     C >= sum of |observed - true reward|

An arm's mean is moved by at most C / N_a, so the index stays an upper bound: withstands any contamination, bursts
included, whose total is at most C, in units of the reward. The right tool for a few bad rewards. The wrong one for a
fraction of all rewards: then C grows with the horizon, and play is uniform until N_a is well above C / gap.

>>> from trueward.engine.protocol import make_ask, make_observation, update
>>> policy = BudgetUCB(budget=3.0, sigma=1.0)
>>> state = policy.start(1)
>>> for _ in range(4):
...     update(state, make_observation(0, 5.0, n_arms=1), np.random.default_rng(0))
>>> float(policy.indices(state, make_ask(1, 1))[0])  # 5 + 0 + 3 / 4
5.75

Guarantee: a regret of at most the sum over arms of order C + sigma^2 ln T / gap, if the budget holds.

Reference: Lykouris, Mirrokni & Paes Leme (2018), section 3, the enlarged confidence interval for a known C, there for
elimination; c as in UCB.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.protocol import insert
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.parameters import NotNegative, Positive
from trueward.policies.index.crucb import IndexState, index_state
from trueward.policies.index.index_policy import IndexPolicy


class BudgetMemory(NamedTuple):
    """Means, and what may be missing from their sums."""

    memory: MeanMemory
    budget: float


@insert.register(BudgetMemory)
def insert_and_give_back(memory: BudgetMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Return the mean as if the whole budget had been taken from it."""
    mean = insert(memory.memory, arm, reward, rng)
    return float(mean + memory.budget / memory.memory.sizes[arm])


@dataclass(frozen=True, kw_only=True)
class BudgetUCB(IndexPolicy):
    """Plays the highest mean + sigma sqrt(c ln t / N_a) + budget / N_a."""

    budget: NotNegative
    sigma: NotNegative
    c: Positive = 4.0

    def state(self, setting: Setting) -> IndexState:
        memory = BudgetMemory(Mean().memory(setting), float(self.budget))
        return index_state(setting, memory, self.sigma * math.sqrt(self.c))

    def estimates(self, state: IndexState) -> Floats:
        return means_of(state.memory.memory)
