"""Budget Thompson: Gaussian Thompson sampling for contamination with a known total."""

import math
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.parameters import NotNegative, Positive
from trueward.policies.posterior.posterior_policy import PosteriorPolicy, highest_normal_probabilities, sample_mean


class BudgetThompsonState(NamedTuple):
    """The sample means, and the constants of the posteriors."""

    memory: MeanMemory
    sigma: float
    budget: float
    prior_pulls: float  # k


@kernel
def optimistic_mean(mean: float, pulls: int, budget: float, prior_pulls: float) -> float:
    """Return (S + C) / (N + k), computed from the mean, because the sum S could overflow."""
    return mean * (pulls / (pulls + prior_pulls)) + budget / (pulls + prior_pulls)


@sample_mean.register(BudgetThompsonState)
def sample_optimistic_normal(state: BudgetThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior; with a flat prior, inf for an arm without a reward, which is tried first."""
    pulls = state.memory.sizes[arm]
    if pulls + state.prior_pulls == 0.0:
        return math.inf
    sd = state.sigma / math.sqrt(pulls + state.prior_pulls)
    mean = optimistic_mean(state.memory.mean[arm], pulls, state.budget, state.prior_pulls)
    return mean + sd * rng.standard_normal()


@update.register(BudgetThompsonState)
def update_mean(state: BudgetThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the reward to the arm's sample mean; its number of rewards grows with it."""
    insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True, kw_only=True)
class BudgetThompson(PosteriorPolicy):
    """Budget Thompson: Gaussian Thompson sampling, optimistic by what an adversary with a known budget can subtract.

        theta_a ~ Normal((S_a + C) / (N_a + k), sigma^2 / (N_a + k)),    C >= sum of |observed - true reward|

    Contamination lowers an arm's sum S_a by at most C, so the posterior mean remains an upper bound up to chance. It
    withstands any contamination, bursts included, whose total is at most C. It does not suit contamination of a
    fraction of all rewards: then C grows with the horizon, and play is uniform until N_a is well above C / gap.

    Parameters
    ----------
    budget : float, optional
        The total C of all changes, in units of the reward. Default, for an unknown budget: sigma sqrt(T ln K / K),
        which needs the horizon.
    sigma : float
        Standard deviation of the rewards.
    preset : {"paper", "practical"}
        "paper" is the published form: k = 1, a prior pull of reward 0, meant for rewards near [0, 1] and sigma = 1. On
        ratings from 0 to 10 with a small budget it may never leave the first arm that it tries. "practical" is ours:
        k = 0, a flat prior and each arm once first; at C = 0 it is `GaussianThompson`.

    Notes
    -----
    Guarantee: for the published form, a regret of order sqrt(K T ln K) + K C, up to logarithms.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.BudgetThompson(budget=3.0, sigma=2.0)
    >>> state = policy.start(n_arms=2)
    >>> for arm, reward in [(0, 1.0), (0, 2.0), (1, 4.0)]:
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> policy.probabilities(state, make_ask(4, 2)).round(3).tolist()  # Normal(6 / 3, 4 / 3) and Normal(7 / 2, 4 / 2)
    [0.206, 0.794]

    References
    ----------
    Xu, Wang & Singh, Corruption robust Thompson sampling for Gaussian bandits, arXiv 2410.19705. The exact form of the
    posterior and the budget for an unknown one are given as we recall them.
    """

    budget: NotNegative | None = None
    sigma: Positive = 1.0
    preset: Literal["paper", "practical"] = "paper"

    @property
    def needs_horizon(self) -> bool:
        """Whether the number of rounds must be known: for the default budget."""
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
        divisors = np.maximum(counts, 1.0)  # the mean of an arm with count 0 is not used
        means = state.memory.mean * (state.memory.sizes / divisors) + state.budget / divisors
        return highest_normal_probabilities(means, counts, state.sigma, ask)
