"""The family of policies whose posteriors are normal laws around an estimate of each arm's mean."""

import math
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting, new, per_arm
from trueward.policies.policy import Policy
from trueward.policies.posterior.posterior_policy import sample_mean
from trueward.policies.selection import forced_exploration_scores, ties_of
from trueward.statistics.best_arm import highest_draw_probabilities


class NormalState(NamedTuple):
    """The posteriors: Normal(estimate, width^2)."""

    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    width: Annotated[Floats, per_arm(0.0)]  # scale / sqrt(pulls)
    memory: State
    scale: float


def normal_state(setting: Setting, memory: State, scale: float) -> NormalState:
    """Return the state before the first pull."""
    return new(NormalState, setting, memory=memory, scale=float(scale))


@sample_mean.register(NormalState)
def draw_around_estimate(state: NormalState, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior; an arm not yet pulled comes first."""
    if state.pulls[arm] == 0:
        return math.inf
    return float(state.estimate[arm] + state.width[arm] * rng.standard_normal())


@update.register(NormalState)
def narrow(state: NormalState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate, and narrow its posterior."""
    arm = seen.arm
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, seen.reward, rng)
    state.width[arm] = state.scale / math.sqrt(state.pulls[arm])


def normal_probabilities(centres: Floats, counts: NDArray[Any], sigma: float, ask: Ask) -> Floats:
    """Return the probability that each draw from Normal(centre, sigma^2 / count) is highest.

    An arm with count 0 comes first, or waits for the rewards of its asks.
    """
    tried, looks = counts > 0, forced_exploration_scores(counts == 0, ask)
    if looks.max() > 0.0 or not tried.any():
        return ties_of(looks)
    p = np.zeros(counts.size)
    p[tried] = highest_draw_probabilities(centres[tried], sigma / np.sqrt(counts[tried]))
    return p


class NormalPosterior(Policy):
    """A policy that plays the highest draw from Normal(estimate, scale^2 / N_a)."""

    def estimates(self, state: NormalState) -> Floats:
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def probabilities(self, state: NormalState, ask: Ask) -> Floats:
        """Return the probability that each arm's draw is the highest, by quadrature."""
        return normal_probabilities(state.estimate, state.pulls, state.scale, ask)
