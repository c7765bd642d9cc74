"""Index policies: score every arm and play the highest score."""

import math

import numpy as np

from trueward.engine.kernel import Floats, State, generic, kernel
from trueward.engine.protocol import Ask, Observation, choose, insert
from trueward.policies.policy import Policy
from trueward.policies.selection import TIE_TOLERANCE, argmax_probabilities, random_argmax


@generic
def score(state: State, ask: Ask, arm: int) -> float:
    """Return the index of an arm."""
    raise NotImplementedError


@generic
def prepare(state: State, ask: Ask) -> None:
    """Compute what the scores of all arms have in common, before the first `score` of a round; optional."""


@kernel
def prepare_nothing(state: State, ask: Ask) -> None:
    """Do nothing: the default of `prepare`."""


prepare.derive(lambda _: prepare_nothing)


@kernel
def choose_highest_score(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Play the highest score. The scores are stored only if two of them tie, which saves time in every other round."""
    prepare(state, ask)
    best = 0
    top, second = -math.inf, -math.inf
    for arm in range(ask.p.size):
        upper = score(state, ask, arm)
        if upper > top:
            second = top
            top = upper
            best = arm
        elif upper > second:
            second = upper
    if second >= top - TIE_TOLERANCE:
        for arm in range(ask.p.size):
            ask.p[arm] = score(state, ask, arm)
        best = random_argmax(ask.p, rng)
    return best


choose.derive(lambda state_class: choose_highest_score if score.kernel_of(state_class) else None)


@kernel
def update_estimate(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Update the estimate of the arm: a kernel for `update`, for states with `pulls`, `estimate` and `memory`."""
    state.pulls[seen.arm] += 1
    state.estimate[seen.arm] = insert(state.memory, seen.arm, seen.reward, rng)


class IndexPolicy(Policy):
    """A policy that scores every arm and plays the highest score; ties are broken at random.

    Its state has `pulls` and `estimate`, and kernels for `update` and `score`; `choose` follows. A kernel for
    `prepare`, if there is one, runs once per round before the scores.

    Rewards may be delayed. Pending rewards count as pulls in the confidence radius, but not in the estimate; otherwise
    an arm with a wide interval would be chosen again and again before its first rewards arrive. They count as forced
    pulls as well. An arm without any reward is explored as `forced_exploration_score` describes.
    """

    def estimates(self, state: State) -> Floats:
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def indices(self, state: State, ask: Ask) -> Floats:
        prepare(state, ask)
        return np.array([score(state, ask, arm) for arm in range(ask.p.size)], dtype=np.float64)

    def probabilities(self, state: State, ask: Ask) -> Floats:
        """Return 1 for the highest index, or equal probabilities for those that tie."""
        return argmax_probabilities(self.indices(state, ask))
