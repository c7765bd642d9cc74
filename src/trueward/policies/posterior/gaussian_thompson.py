"""Gaussian Thompson sampling with a flat prior: play the arm whose posterior draw is highest.

    theta_a ~ Normal(mean(x_a), sigma^2 / N_a),    each arm once first

Withstands no contamination; without it, it usually beats UCB. (The published form has prior mean 0 and is meant for
rewards in [0, 1]: on ratings from 0 to 10 it would never leave the first arm it tries.)

Guarantee: none that we know of for this prior; the published form has a regret of order sqrt(K T ln K).

Reference: Agrawal & Goyal (2017), Near-optimal regret bounds for Thompson sampling, with a flat prior.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, choose, insert, reset, update
from trueward.estimators.mean import Mean, MeanMemory
from trueward.policies.base import Policy
from trueward.policies.choosing import best_of, ties_of
from trueward.policies.posterior.best_arm import highest_draw_probabilities


class GaussianThompsonState(NamedTuple):
    """The posteriors."""

    memory: MeanMemory
    drawn: Floats  # (arms,)
    sigma: float


@reset.register(GaussianThompsonState)
def reset_gaussian_thompson(state: GaussianThompsonState) -> None:
    """Forget all rewards."""
    reset(state.memory)


@choose.register(GaussianThompsonState)
def choose_gaussian_thompson(state: GaussianThompsonState, t: int, rng: np.random.Generator) -> int:
    """Draw from every posterior; an arm not yet pulled comes first."""
    for arm in range(state.drawn.size):
        pulls = state.memory.sizes[arm]
        if pulls == 0:
            state.drawn[arm] = math.inf
        else:
            state.drawn[arm] = state.memory.mean[arm] + state.sigma / math.sqrt(pulls) * rng.standard_normal()
    return best_of(state.drawn, rng)


@update.register(GaussianThompsonState)
def update_gaussian_thompson(
    state: GaussianThompsonState, t: int, arm: int, reward: float, rng: np.random.Generator
) -> None:
    """Take the reward into the arm's mean."""
    insert(state.memory, arm, reward, rng)


@dataclass(frozen=True, kw_only=True)
class GaussianThompson(Policy):
    """Plays the highest draw from Normal(mean, sigma^2 / N_a)."""

    sigma: float

    def __post_init__(self) -> None:
        checks.number("sigma", self.sigma, above=0)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> GaussianThompsonState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        return GaussianThompsonState(Mean().memory(n_arms, capacity), np.zeros(n_arms), float(self.sigma))

    def estimates(self, state: GaussianThompsonState) -> Floats:
        """Return the posterior means."""
        return np.where(state.memory.sizes > 0, state.memory.mean, np.nan)

    def probabilities(self, state: GaussianThompsonState, t: int) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, by quadrature."""
        pulls = state.memory.sizes
        if (pulls == 0).any():
            return ties_of(np.where(pulls == 0, 1.0, 0.0))
        return highest_draw_probabilities(state.memory.mean, state.sigma / np.sqrt(pulls))
