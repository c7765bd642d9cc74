"""Budget Thompson: Gaussian Thompson sampling, optimistic by what an adversary with a known budget could take away.

    theta_a ~ Normal((S_a + C) / (N_a + k), sigma^2 / (N_a + k)),     C >= sum of |observed - true reward|

An arm's sum is lowered by at most C, so the posterior's centre stays an upper bound up to chance: withstands any
contamination, bursts included, whose total is at most C, in units of the reward. Does not suit contamination of a
fraction of all rewards: then C grows with the horizon, and play is uniform until N_a is well above C / gap.

`preset="paper"` is the published form: k = 1, a prior pull of reward 0, meant for gains near [0, 1] (`sigma=1`). On
ratings from 0 to 10 with a small budget it may never leave the first arm it tries. `preset="practical"` is ours: k =
0, a flat prior and each arm once first, as in GaussianThompson, which it is at C = 0. Without a budget given, C is
sigma sqrt(T ln K / K), for a budget that is unknown, and the horizon is needed.

Guarantee: for the published form, a regret of order sqrt(K T ln K) + K C, up to logarithms.

Reference: Xu, Wang & Singh, Corruption robust Thompson sampling for Gaussian bandits, arXiv 2410.19705; the exact
form of the posterior, and the budget for when it is unknown, as we recall them.
"""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.parameters import NotNegative, Positive
from trueward.policies.policy import Policy
from trueward.policies.posterior.normal import normal_probabilities
from trueward.policies.posterior.posterior_policy import sample_mean


class BudgetThompsonState(NamedTuple):
    """The posteriors."""

    memory: MeanMemory
    sigma: float
    budget: float
    prior_pulls: float  # k


@kernel
def centre(mean: float, pulls: int, budget: float, prior_pulls: float) -> float:
    """Return (S + C) / (N + k), without the sum, which could overflow."""
    return mean * (pulls / (pulls + prior_pulls)) + budget / (pulls + prior_pulls)


@sample_mean.register(BudgetThompsonState)
def draw_around_centre(state: BudgetThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior; with a flat prior, an arm not yet pulled comes first."""
    pulls = state.memory.sizes[arm]
    if pulls + state.prior_pulls == 0.0:
        return math.inf
    spread = state.sigma / math.sqrt(pulls + state.prior_pulls)
    middle = centre(state.memory.mean[arm], pulls, state.budget, state.prior_pulls)
    return middle + spread * rng.standard_normal()


@update.register(BudgetThompsonState)
def move_mean(state: BudgetThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's mean."""
    insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True, kw_only=True)
class BudgetThompson(Policy):
    """Plays the highest draw from Normal((S_a + C) / (N_a + k), sigma^2 / (N_a + k)); k = 1 ("paper") or 0."""

    budget: NotNegative | None = None
    sigma: Positive = 1.0
    preset: Literal["paper", "practical"] = "paper"

    @property
    def needs_horizon(self) -> bool:
        """The budget for an unknown one depends on it."""
        return self.budget is None

    def state(self, setting: Setting) -> BudgetThompsonState:
        n_arms, budget = setting.n_arms, self.budget
        if budget is None:
            budget = self.sigma * math.sqrt(setting.rounds * math.log(n_arms) / n_arms)
        prior_pulls = 1.0 if self.preset == "paper" else 0.0
        return BudgetThompsonState(Mean().memory(setting), float(self.sigma), float(budget), prior_pulls)

    def estimates(self, state: BudgetThompsonState) -> Floats:
        return means_of(state.memory)

    def probabilities(self, state: BudgetThompsonState, ask: Ask) -> Floats:
        """Return the probability that each arm's draw is the highest, by quadrature."""
        counts = state.memory.sizes + state.prior_pulls
        at_least_one = np.maximum(counts, 1.0)  # an arm without a count has no centre, and comes first
        middles = state.memory.mean * (state.memory.sizes / at_least_one) + state.budget / at_least_one
        return normal_probabilities(middles, counts, state.sigma, ask)
