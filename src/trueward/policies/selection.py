"""Choose the highest score or draw from probabilities; forced exploration of arms without a reward."""

import math

import numpy as np

from trueward.engine.kernel import Bools, Floats, exp, kernel
from trueward.engine.protocol import Ask

TIE_TOLERANCE = 1e-12  # scores closer than this are equal


@kernel
def random_argmax(scores: Floats, rng: np.random.Generator) -> int:
    """Return the arm with the highest score; ties are broken uniformly at random."""
    best = 0
    top, second = scores[0], -math.inf
    for arm in range(1, scores.size):
        if scores[arm] > top:
            second = top
            top = scores[arm]
            best = arm
        elif scores[arm] > second:
            second = scores[arm]
    if second >= top - TIE_TOLERANCE:  # rare, and a function of its own so that the usual path stays short
        best = draw_among_ties(scores, top - TIE_TOLERANCE, rng)
    return best


@kernel
def draw_among_ties(scores: Floats, threshold: float, rng: np.random.Generator) -> int:
    """Return one of the arms whose score reaches the threshold, each with the same probability."""
    ties = 0
    for arm in range(scores.size):
        ties += scores[arm] >= threshold
    skip = int(rng.random() * ties)
    best = 0
    for arm in range(scores.size):
        if scores[arm] >= threshold:
            if skip == 0:
                best = arm
            skip -= 1
    return best


def argmax_probabilities(scores: Floats) -> Floats:
    """Return the probability with which `random_argmax` chooses each arm."""
    best = scores >= scores.max() - TIE_TOLERANCE
    return np.asarray(best / best.sum())


@kernel
def forced_exploration_score(ask: Ask, arm: int) -> float:
    """Return the score of an arm without a reward: inf while exploration is forced, else -inf.

    An arm without a reward comes before all others while fewer than 1 + ln(t / K) of its rewards are pending, and after
    all others from then on. So a reward that never arrives cannot exclude an arm for good, and a new arm does not take
    every decision while its first rewards are late. The rule is ours.
    """
    pending = ask.pending[arm]
    # pending < 1 + ln(t / K), written with exp because LLVM evaluates a logarithm here even when pending == 0
    forced = pending == 0 or exp(pending - 1.0) * ask.p.size < ask.t
    return math.inf if forced else -math.inf


def forced_exploration_scores(untried: Bools, ask: Ask) -> Floats:
    """Return the forced exploration score of each untried arm, and 0 for the others."""
    return np.array([forced_exploration_score(ask, arm) if untried[arm] else 0.0 for arm in range(ask.p.size)])


@kernel
def sample_categorical(p: Floats, rng: np.random.Generator) -> int:
    """Return an arm drawn with probabilities p."""
    u = rng.random()
    last = 0
    for arm in range(p.size):
        if p[arm] > 0.0:
            last = arm
            u -= p[arm]
            if u < 0.0:
                return arm
    return last  # rounding: the probabilities sum to slightly less than 1
