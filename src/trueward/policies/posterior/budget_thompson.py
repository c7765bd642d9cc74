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

from trueward.engine import checks
from trueward.engine.kernel import Floats, choose, insert, kernel, reset, update
from trueward.estimators.mean import Mean, MeanMemory
from trueward.policies.base import Policy
from trueward.policies.choosing import best_of, ties_of
from trueward.policies.posterior.best_arm import highest_draw_probabilities


class BudgetThompsonState(NamedTuple):
    """The posteriors."""

    memory: MeanMemory
    drawn: Floats  # (arms,)
    sigma: float
    budget: float
    prior_pulls: float  # k


@reset.register(BudgetThompsonState)
def reset_budget_thompson(state: BudgetThompsonState) -> None:
    """Forget all rewards."""
    reset(state.memory)


@kernel
def centre(mean: float, pulls: int, budget: float, prior_pulls: float) -> float:
    """Return (S + C) / (N + k), without the sum, which could overflow."""
    return mean * (pulls / (pulls + prior_pulls)) + budget / (pulls + prior_pulls)


@choose.register(BudgetThompsonState)
def choose_budget_thompson(state: BudgetThompsonState, t: int, rng: np.random.Generator) -> int:
    """Draw from every posterior; with a flat prior, an arm not yet pulled comes first."""
    for arm in range(state.drawn.size):
        pulls = state.memory.sizes[arm]
        if pulls + state.prior_pulls == 0.0:
            state.drawn[arm] = math.inf
        else:
            spread = state.sigma / math.sqrt(pulls + state.prior_pulls)
            middle = centre(state.memory.mean[arm], pulls, state.budget, state.prior_pulls)
            state.drawn[arm] = middle + spread * rng.standard_normal()
    return best_of(state.drawn, rng)


@update.register(BudgetThompsonState)
def update_budget_thompson(
    state: BudgetThompsonState, t: int, arm: int, reward: float, rng: np.random.Generator
) -> None:
    """Take the reward into the arm's mean."""
    insert(state.memory, arm, reward, rng)


@dataclass(frozen=True, kw_only=True)
class BudgetThompson(Policy):
    """Plays the highest draw from Normal((S_a + C) / (N_a + k), sigma^2 / (N_a + k)); k = 1 ("paper") or 0."""

    budget: float | None = None
    sigma: float = 1.0
    preset: Literal["paper", "practical"] = "paper"

    def __post_init__(self) -> None:
        if self.budget is not None:
            checks.number("budget", self.budget, at_least=0)
        checks.number("sigma", self.sigma, above=0)
        checks.one_of("preset", self.preset, ("paper", "practical"))

    @property
    def needs_horizon(self) -> bool:
        """The budget for an unknown one depends on it."""
        return self.budget is None

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> BudgetThompsonState:
        """Return a fresh state."""
        budget = self.budget
        if budget is None:
            budget = self.sigma * math.sqrt(self.known_horizon(horizon) * math.log(n_arms) / n_arms)
        memory, prior_pulls = Mean().memory(n_arms, capacity), 1.0 if self.preset == "paper" else 0.0
        return BudgetThompsonState(memory, np.zeros(n_arms), float(self.sigma), float(budget), prior_pulls)

    def estimates(self, state: BudgetThompsonState) -> Floats:
        """Return the plain means."""
        return np.where(state.memory.sizes > 0, state.memory.mean, np.nan)

    def probabilities(self, state: BudgetThompsonState, t: int) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, by quadrature."""
        counts = state.memory.sizes + state.prior_pulls
        if (counts == 0).any():
            return ties_of(np.where(counts == 0, 1.0, 0.0))
        middles = state.memory.mean * (state.memory.sizes / counts) + state.budget / counts
        return highest_draw_probabilities(middles, state.sigma / np.sqrt(counts))
