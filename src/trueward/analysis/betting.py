"""Evidence against "the true mean is at most m": bets at fixed stakes, when some ratings are bad."""

from typing import Annotated, Literal

import numpy as np

from trueward.engine.kernel import ROUNDING_TOLERANCE, Bools, Floats
from trueward.parameters import above, below

Bad = Literal["careless", "capped", "chosen"]
"""The contamination assumption: see `log_wealth`."""

Level = Annotated[float, above(0), below(1)]

STAKES = np.geomspace(1e-4, 0.99, 48)  # with 0.01 as the smallest stake, intervals of rare clicks would stop shrinking
STAKE_WEIGHTS = (
    STAKES**0.3 / (STAKES**0.3).sum()
)  # favours stakes that matter for a hundred ratings over those for millions
CLIPS = np.arange(1, 21) / 20  # they contain the values of most rating scales
CLIP_WEIGHTS = np.append(np.full(19, 0.5 / 19), 0.5)


def log_wealth(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad) -> Floats:
    """Return the logarithm of the wealth that betting against "the true mean is at most m" has earned.

    Ratings are on a scale from 0 to 1. A gambler who doubts m stakes a share b of the wealth on every rating y:

        wealth(b) = product of 1 + (b / m) (y - m) = product of 1 - b + b y / m,      wealth = a mean over 48 stakes b

    If the true mean is at most m, given everything that happened before, the wealth is not expected to grow, whatever
    rule chose the arms: the probability that it ever exceeds 1 / delta is at most delta (Ville). Stakes must not adapt
    to the ratings seen. To allow for bad ratings, the *smallest* wealth over everything that may have happened counts:

        chosen     at most k of n ratings, picked by somebody who sees the true ratings so far: the k largest count as 0
        capped     at most k of n, not picked by the true ratings: up to k of the largest are left out, but only those
                   above m, since leaving out a lost bet would raise the wealth
        careless   each with probability at most epsilon given the past, not picked by the true rating: bet on
                   min(y, c), whose mean is at most (1 - epsilon) min(m, c) + epsilon c, and take the mean over c = 1
                   (which has half the weight) and c = 0.05, 0.10, …, 0.95

    with k = floor(epsilon n). The worst case is the same for every stake: it removes the largest factors of the
    product. Each factor falls as m rises, so the rejected means lie below the others. The mean over c is a single
    supermartingale: delta is not split, and nothing is chosen after the ratings are seen. c = 1 alone is the bet
    against (1 - epsilon) m + epsilon; c at the ratings' upper epsilon-quantile costs what trimming costs.

    Parameters
    ----------
    values : array
        Increasing ratings from 0 to 1; the first is 0.
    counts : array
        How often each value was given; shape (…, values). The result has a number for each row.
    mean : float
        The mean m to bet against.
    epsilon : float
        Share of bad ratings.
    bad : "careless", "capped" or "chosen"
        Contamination assumption, as above.

    References
    ----------
    Waudby-Smith & Ramdas (2024), Estimating means of bounded random variables by betting, section 4; Huber (1965), A
    robust version of the probability ratio test, for clipped bets; Wang & Ramdas (2023), Huber-robust confidence
    sequences. The mixture of clipped bets, and leaving out only ratings above the mean, are ours.
    """
    return _log_mean(*log_bets(values, counts, mean, epsilon=epsilon, bad=bad))


def log_bets(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad) -> tuple[Floats, Floats]:
    """Return the log wealth of each bet, (…, bets), and the weights of the bets in the mixture."""
    if bad == "careless":
        return _log_clipped_bets(values, counts, mean, epsilon)
    remaining = worst_case(values, counts, mean, most_bad(counts, epsilon), bad)
    return remaining @ np.log1p(STAKES * (values[:, None] / mean - 1.0)), STAKE_WEIGHTS


def ruled_out(values: Floats, counts: Floats, mean: float, *, epsilon: float, bad: Bad, threshold: float) -> Bools:
    """Return for each row of counts whether the log wealth is above a threshold; fast where no single bet is."""
    logs, weights = log_bets(values, counts, mean, epsilon=epsilon, bad=bad)
    above: Bools = logs.max(-1) > threshold  # a mean is at most the largest of its terms
    above[above] = _log_mean(logs[above], weights) > threshold
    return above


def most_bad(counts: Floats, epsilon: float) -> Floats:
    """Return the largest number of bad ratings, for each row of counts."""
    return np.asarray(np.floor(epsilon * counts.sum(-1) + ROUNDING_TOLERANCE))


def worst_case(values: Floats, counts: Floats, mean: float, n_bad: Floats | float, bad: Bad) -> Floats:
    """Return the counts that make the wealth smallest when at most `n_bad` of the ratings are bad."""
    higher = np.cumsum(counts[..., ::-1], axis=-1)[..., ::-1] - counts
    removed = np.clip(np.asarray(n_bad)[..., None] - higher, 0.0, counts)
    if bad != "chosen":
        return counts - np.where(values > mean, removed, 0.0)
    remaining = counts - removed
    remaining[..., 0] += removed.sum(-1)
    return remaining


def _log_clipped_bets(values: Floats, counts: Floats, mean: float, epsilon: float) -> tuple[Floats, Floats]:
    clips, weights = (CLIPS, CLIP_WEIGHTS) if epsilon > 0.0 else (CLIPS[-1:], np.ones(1))
    largest_mean = (1.0 - epsilon) * np.minimum(mean, clips) + epsilon * clips
    gains = np.minimum(values[:, None], clips) / largest_mean  # (values, clips)
    factors = np.log1p(STAKES * (gains[:, :, None] - 1.0)).reshape(values.size, -1)
    return counts @ factors, np.outer(weights, STAKE_WEIGHTS).ravel()


def _log_mean(logs: Floats, weights: Floats) -> Floats:
    """Return the logarithm of a weighted sum of exponentials over the last axis."""
    largest = logs.max(-1)
    return np.asarray(largest + np.log((weights * np.exp(logs - largest[..., None])).sum(-1)))
