"""Gaussian Thompson sampling with a flat prior."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, State
from trueward.engine.protocol import Ask, Observation, insert, update
from trueward.engine.states import Setting, new, per_arm
from trueward.estimators.mean import Mean
from trueward.parameters import Positive
from trueward.policies.posterior.posterior_policy import PosteriorPolicy, highest_normal_probabilities, sample_mean


class NormalPosteriors(NamedTuple):
    """The posterior of each arm's mean: Normal(estimate, sd^2)."""

    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    sd: Annotated[Floats, per_arm(0.0)]  # unit_sd / sqrt(pulls)
    memory: State  # of the estimator
    unit_sd: float  # posterior standard deviation after one reward


@sample_mean.register(NormalPosteriors)
def sample_normal(state: NormalPosteriors, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior; inf for an arm without a reward, which is tried first."""
    if state.pulls[arm] == 0:
        return math.inf
    return float(state.estimate[arm] + state.sd[arm] * rng.standard_normal())


@update.register(NormalPosteriors)
def update_normal(state: NormalPosteriors, seen: Observation, rng: np.random.Generator) -> None:
    """Add the reward to the arm's estimate; one more pull makes the posterior narrower."""
    arm = seen.arm
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, seen.reward, rng)
    state.sd[arm] = state.unit_sd / math.sqrt(state.pulls[arm])


class NormalPosteriorPolicy(PosteriorPolicy):
    """A policy whose state is `NormalPosteriors`."""

    def estimates(self, state: NormalPosteriors) -> Floats:
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def probabilities(self, state: NormalPosteriors, ask: Ask) -> Floats:
        """Return the probability that each arm's draw is the highest, by quadrature."""
        return highest_normal_probabilities(state.estimate, state.pulls, state.unit_sd, ask)


@dataclass(frozen=True, kw_only=True)
class GaussianThompson(NormalPosteriorPolicy):
    """Gaussian Thompson sampling with a flat prior: play the arm with the highest draw from its posterior.

        theta_a ~ Normal(mean(x_a), sigma^2 / N_a),    each arm once first

    It withstands no contamination; without contamination, it usually beats UCB.

    Parameters
    ----------
    sigma : float
        Standard deviation of the rewards.

    Notes
    -----
    Guarantee: none that we know of for this prior; the published form has a regret of order sqrt(K T ln K). That form
    has prior mean 0 and is meant for rewards in [0, 1]: on ratings from 0 to 10 it would never leave the first arm that
    it tries.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.GaussianThompson(sigma=1.0)
    >>> state = policy.start(n_arms=2)
    >>> for arm, reward in [(0, 5.0), (0, 5.0), (1, 4.0), (1, 4.0)]:
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> policy.probabilities(state, make_ask(5, 2)).round(3).tolist()  # Phi(1) and Phi(-1)
    [0.841, 0.159]

    References
    ----------
    Agrawal & Goyal (2017), Near-optimal regret bounds for Thompson sampling; the flat prior is ours.
    """

    sigma: Positive

    def state(self, setting: Setting) -> NormalPosteriors:
        return new(NormalPosteriors, setting, memory=Mean().memory(setting), unit_sd=float(self.sigma))
