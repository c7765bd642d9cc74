"""The two ways to choose: the best score, or a draw from probabilities; and when an arm without a reward comes first.

Rewards may be late. Policies that try every arm first count asks under way as looks: an arm of which no reward has come
yet is played before all others while fewer than 1 + ln(t / K) asks of it are under way (ours); then it stands behind
those with an estimate. One ask that nobody answers so never keeps an arm out for good, and a new arm does not get all
asks of a day.
"""

import math

import numpy as np

from trueward.engine.kernel import Bools, Floats, exp, kernel
from trueward.engine.protocol import Ask

TIE = 1e-12  # scores closer than this are equal


@kernel
def best_of(scores: Floats, rng: np.random.Generator) -> int:
    """Return an arm with the highest score; among equals, any with the same probability."""
    best = 0
    top, second = scores[0], -math.inf
    for arm in range(1, scores.size):
        if scores[arm] > top:
            second = top
            top = scores[arm]
            best = arm
        elif scores[arm] > second:
            second = scores[arm]
    if second >= top - TIE:  # seldom, and so kept apart: the usual way stays short
        best = one_of_the_best(scores, top - TIE, rng)
    return best


@kernel
def one_of_the_best(scores: Floats, bar: float, rng: np.random.Generator) -> int:
    """Return one of the arms whose score reaches the bar."""
    ties = 0
    for arm in range(scores.size):
        ties += scores[arm] >= bar
    skip = int(rng.random() * ties)
    best = 0
    for arm in range(scores.size):
        if scores[arm] >= bar:
            if skip == 0:
                best = arm
            skip -= 1
    return best


@kernel
def forced_exploration_score(ask: Ask, arm: int) -> float:
    """Return the score of an arm without a reward: infinite if it comes first, minus infinity if it must wait."""
    pending = ask.pending[arm]
    owed = pending == 0 or exp(pending - 1.0) * ask.p.size < ask.t  # LLVM would take ln(t / K) in every round
    return math.inf if owed else -math.inf


@kernel
def draw_from(p: Floats, rng: np.random.Generator) -> int:
    """Return an arm drawn with probabilities p."""
    u = rng.random()
    last = 0
    for arm in range(p.size):
        if p[arm] > 0.0:
            last = arm
            u -= p[arm]
            if u < 0.0:
                return arm
    return last  # rounding: the probabilities sum to a little less than 1


def ties_of(scores: Floats) -> Floats:
    """Return the probabilities with which `best_of` picks each arm."""
    best = scores >= scores.max() - TIE
    return np.asarray(best / best.sum())


def forced_exploration_scores(untried: Bools, ask: Ask) -> Floats:
    """Return the score of each arm without a reward, and 0 for the others."""
    return np.array([forced_exploration_score(ask, arm) if untried[arm] else 0.0 for arm in range(ask.p.size)])
