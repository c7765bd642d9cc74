"""The two ways to choose: the best score, or a draw from probabilities."""

import numpy as np

from trueward.kernel import Floats, kernel

TIE = 1e-12  # scores closer than this are equal


@kernel
def best_of(scores: Floats, rng: np.random.Generator) -> int:
    """Return an arm with the highest score; among equals, any with the same probability."""
    top = scores[0]
    for arm in range(1, scores.size):
        if scores[arm] > top:
            top = scores[arm]
    top -= TIE
    ties = 0
    best = 0
    for arm in range(scores.size):
        if scores[arm] >= top:
            ties += 1
            best = arm
    if ties > 1:
        skip = int(rng.random() * ties)
        for arm in range(scores.size):
            if scores[arm] >= top:
                if skip == 0:
                    best = arm
                skip -= 1
    return best


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
