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

from trueward.engine.kernel import Floats
from trueward.engine.parameters import Positive
from trueward.engine.stages import Ask, Observation, insert, update
from trueward.engine.states import Setting
from trueward.estimators.mean import Mean, MeanMemory, means_of
from trueward.policies.base import Policy
from trueward.policies.posterior.base import imagine, normal_probabilities


class GaussianThompsonState(NamedTuple):
    """The posteriors."""

    memory: MeanMemory
    sigma: float


@imagine.register(GaussianThompsonState)
def draw_around_mean(state: GaussianThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior; an arm not yet pulled comes first."""
    pulls = state.memory.sizes[arm]
    if pulls == 0:
        return math.inf
    return float(state.memory.mean[arm] + state.sigma / math.sqrt(pulls) * rng.standard_normal())


@update.register(GaussianThompsonState)
def move_mean(state: GaussianThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's mean."""
    insert(state.memory, seen.arm, seen.reward, rng)


@dataclass(frozen=True, kw_only=True)
class GaussianThompson(Policy):
    """Plays the highest draw from Normal(mean, sigma^2 / N_a)."""

    sigma: Positive

    def state(self, setting: Setting) -> GaussianThompsonState:
        """Return no means yet, and sigma."""
        return GaussianThompsonState(Mean().memory(setting), float(self.sigma))

    def estimates(self, state: GaussianThompsonState) -> Floats:
        """Return the posterior means."""
        return means_of(state.memory)

    def probabilities(self, state: GaussianThompsonState, ask: Ask) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, by quadrature."""
        return normal_probabilities(state.memory.mean, state.memory.sizes, state.sigma)
