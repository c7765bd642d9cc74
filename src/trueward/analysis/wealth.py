"""Evidence against "an arm's true mean is at most m", at any time, when some ratings are bad: bets at fixed stakes.

Ratings are on a scale from 0 to 1. Whoever doubts m stakes a share b of the wealth on every rating y:

    wealth(b) = product of 1 + (b / m) (y - m) = product of 1 - b + b y / m,      wealth = a mean over 48 stakes b

If the true mean is at most m, given all that happened before, the wealth is expected not to grow, whatever rule chose
the arms: it ever exceeds 1 / delta with probability at most delta (Ville). Stakes must not adapt to the ratings seen.
Bad ratings are countered by the *smallest* wealth over all that may have happened:

    chosen     k of n ratings at most, picked by one who sees the true ones given so far: the k largest count as 0
    capped     k of n at most, not picked by the true ones: up to k of the largest are left out, of those above m alone,
               since leaving out a lost bet would raise the wealth
    careless   each with probability at most epsilon given the past, not picked by the true one: bet on min(y, c), whose
               mean is at most (1 - epsilon) min(m, c) + epsilon c, and take the mean over c = 1 (which has half the
               weight) and c = 0.05, 0.10, …, 0.95

with k = floor(epsilon n). The worst case is the same for every stake: it takes the largest factors
of the product. Each factor falls as the doubted mean rises, so the rejected means lie below those that are not. The
mean over c is a single supermartingale: delta is not split, and nothing is chosen after the ratings are seen. c = 1
alone is the bet against (1 - epsilon) m + epsilon; c at the ratings' upper epsilon-quantile costs what trimming costs.

Reference: Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, section 4; Huber
(1965), A robust version of the probability ratio test, for clipped bets; Wang & Ramdas (2023), Huber-robust confidence
sequences. The mixture of clipped bets, and leaving out those above the mean, are ours.
"""

from typing import Annotated, Literal

import numpy as np

from trueward.engine.kernel import ROUNDING_TOLERANCE, Bools, Floats
from trueward.parameters import above, below

Bad = Literal["careless", "capped", "chosen"]
Level = Annotated[float, above(0), below(1)]

STAKES = np.geomspace(1e-4, 0.99, 48)  # a grid that ended at 0.01 would stop shrinking for rare clicks
STAKE_WEIGHTS = STAKES**0.3 / (STAKES**0.3).sum()  # more on those that matter for a hundred ratings than for millions
CLIPS = np.arange(1, 21) / 20  # the values of most rating scales are among them
CLIP_WEIGHTS = np.append(np.full(19, 0.5 / 19), 0.5)


def log_wealth(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad) -> Floats:
    """Return the logarithm of the smallest wealth of doubting "at most this mean", for each row of counts.

    `values` are rising, from 0 to 1, the first of them 0; `counts` (…, values) say how often each was given.
    """
    return _log_mean(*log_bets(values, counts, mean, epsilon=epsilon, bad=bad))


def log_bets(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad) -> tuple[Floats, Floats]:
    """Return the logarithms of what each bet is worth, (…, bets), and the weights of the bets in the wealth."""
    if bad == "careless":
        return _log_clipped_bets(values, counts, mean, epsilon)
    left = worst_case(values, counts, mean, most_bad(counts, epsilon), bad)
    return left @ np.log1p(STAKES * (values[:, None] / mean - 1.0)), STAKE_WEIGHTS


def ruled_out(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad, bar: float) -> Bools:
    """Return for each row of counts whether the logarithm of the wealth is above a bar: quick where no bet is."""
    logs, weights = log_bets(values, counts, mean, epsilon=epsilon, bad=bad)
    past: Bools = logs.max(-1) > bar  # a mean is not above the largest of its terms
    past[past] = _log_mean(logs[past], weights) > bar
    return past


def most_bad(counts: Floats, epsilon: float) -> Floats:
    """Return how many of the ratings may be bad, for each row of counts."""
    return np.asarray(np.floor(epsilon * counts.sum(-1) + ROUNDING_TOLERANCE))


def worst_case(values: Floats, counts: Floats, mean: float, most: Floats | float, bad: Bad) -> Floats:
    """Return the counts that make the wealth smallest when at most so many of the ratings are bad."""
    above = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1] - counts
    taken = np.clip(np.asarray(most)[..., None] - above, 0.0, counts)
    if bad != "chosen":
        return counts - np.where(values > mean, taken, 0.0)
    left = counts - taken
    left[..., 0] += taken.sum(-1)
    return left


def _log_clipped_bets(values: Floats, counts: Floats, mean: float, epsilon: float) -> tuple[Floats, Floats]:
    clips, weights = (CLIPS, CLIP_WEIGHTS) if epsilon > 0.0 else (CLIPS[-1:], np.ones(1))
    doubted = (1.0 - epsilon) * np.minimum(mean, clips) + epsilon * clips
    gains = np.minimum(values[:, None], clips) / doubted  # (values, clips)
    factors = np.log1p(STAKES * (gains[:, :, None] - 1.0)).reshape(values.size, -1)
    return counts @ factors, np.outer(weights, STAKE_WEIGHTS).ravel()


def _log_mean(logs: Floats, weights: Floats) -> Floats:
    """Return the logarithm of a weighted sum of exponentials over the last axis."""
    largest = logs.max(-1)
    return np.asarray(largest + np.log((weights * np.exp(logs - largest[..., None])).sum(-1)))
