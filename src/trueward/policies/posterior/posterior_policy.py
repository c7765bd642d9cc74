"""Thompson sampling: draw a mean of every arm from its posterior, and play the highest."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats, State, generic, kernel
from trueward.engine.protocol import Ask, choose
from trueward.policies.policy import Policy
from trueward.policies.selection import (
    argmax_probabilities,
    forced_exploration_score,
    forced_exploration_scores,
    random_argmax,
)
from trueward.statistics.best_arm_probability import best_arm_probabilities_normal


@generic
def sample_mean(state: State, arm: int, rng: np.random.Generator) -> float:
    """Draw a mean of an arm from its posterior; inf for an arm that must be tried first."""
    raise NotImplementedError


@kernel
def choose_highest_draw(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Draw a mean of every arm, and play the highest."""
    for arm in range(ask.p.size):
        drawn = sample_mean(state, arm, rng)
        ask.p[arm] = drawn if drawn < math.inf else forced_exploration_score(ask, arm)
    return random_argmax(ask.p, rng)


choose.derive(lambda state_class: choose_highest_draw if sample_mean.kernel_of(state_class) else None)


def highest_normal_probabilities(means: Floats, counts: NDArray[Any], sigma: float, ask: Ask) -> Floats:
    """Return the probability that each draw from Normal(mean, sigma^2 / count) is the highest.

    An arm with count 0 has no posterior: it is explored first, or waits for pending rewards.
    """
    tried, forced = counts > 0, forced_exploration_scores(counts == 0, ask)
    if forced.max() > 0.0 or not tried.any():
        return argmax_probabilities(forced)
    p = np.zeros(counts.size)
    p[tried] = best_arm_probabilities_normal(means[tried], sigma / np.sqrt(counts[tried]))
    return p


class PosteriorPolicy(Policy):
    """A policy that draws a mean of every arm from its posterior and plays the highest draw: Thompson sampling.

    Its state has kernels for `update` and `sample_mean`; `choose` follows.

    Rewards may be delayed. Pending rewards do not change a posterior, because nothing was observed; the random draws
    spread the decisions over the arms. Only an arm that must be tried first waits for its pending rewards, as
    `forced_exploration_score` describes.
    """
