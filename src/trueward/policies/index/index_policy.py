"""The family of policies that score every arm and play the highest score.

A state that has a kernel for `score` needs none for `choose`. Where scores need something of all arms together, a
kernel for `prepare` computes it first.

Rewards may be late: asks under way count as pulls in the widths, and so does nothing in the estimates. An arm that was
asked for thirty times is then not asked for thirty times more because its interval is still wide. Forced pulls count
them too, and an arm without a reward waits once it has been looked at (`first_look`).
"""

import math

import numpy as np

from trueward.engine.kernel import Floats, State, generic, kernel
from trueward.engine.protocol import Ask, Observation, choose, insert
from trueward.policies.policy import Policy
from trueward.policies.selection import TIE, best_of, ties_of


@generic
def score(state: State, ask: Ask, arm: int) -> float:
    """Return the index of an arm."""
    raise NotImplementedError


@generic
def prepare(state: State, ask: Ask) -> None:
    """Compute what the scores of all arms have in common."""


@kernel
def nothing_to_prepare(state: State, ask: Ask) -> None:
    """Leave the scores to themselves."""


prepare.derive(lambda _: nothing_to_prepare)


@kernel
def play_highest(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Play the highest score; only where two come as close as makes no difference, all are written down."""
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
    if second >= top - TIE:
        for arm in range(ask.p.size):
            ask.p[arm] = score(state, ask, arm)
        best = best_of(ask.p, rng)
    return best


choose.derive(lambda state_class: play_highest if score.kernel_of(state_class) else None)


@kernel
def update_estimate(state: State, seen: Observation, rng: np.random.Generator) -> None:
    """Take the reward into the arm's estimate: `update`, for a state that has `pulls`, `estimate` and `memory`."""
    state.pulls[seen.arm] += 1
    state.estimate[seen.arm] = insert(state.memory, seen.arm, seen.reward, rng)


class IndexPolicy(Policy):
    """A policy that plays the highest score; its state has `pulls` and `estimate`."""

    def estimates(self, state: State) -> Floats:
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def indices(self, state: State, ask: Ask) -> Floats:
        prepare(state, ask)
        return np.array([score(state, ask, arm) for arm in range(ask.p.size)], dtype=np.float64)

    def probabilities(self, state: State, ask: Ask) -> Floats:
        """Return 1 for the highest index, or equal shares of those that tie."""
        return ties_of(self.indices(state, ask))
