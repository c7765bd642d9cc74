"""Contaminated intervals of time: equations (12) and (13) of docs/wary.md."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, floor_edge, not_inlined
from trueward.engine.states import per_arm, read_only, single
from trueward.policies.wary.arrays import log_marginals
from trueward.policies.wary.constants import FEWEST_RATINGS, TABULATED, TIE, Assumptions, Resolution


class IntervalPrior(NamedTuple):
    """The prior of contaminated intervals, and tables of ln Gamma(c + mass) - ln Gamma(mass)."""

    by_rating: Floats  # (TABULATED,) for the prior mass of one rating
    by_arm: Floats  # (TABULATED,) for the mass of all ratings
    n_ratings: int
    mass: float
    prior: float
    longest: float
    longest_start: float
    least_probability: float


class Timeline(NamedTuple):
    """The counts of ratings in pieces of time, and the most probable contaminated interval."""

    counts: Annotated[Ints, per_arm(0, "pieces", "rows")]  # a row is an evidence level and a rating
    sizes: Annotated[Ints, per_arm(0)]  # number of ratings
    learned: Annotated[Ints, single(0)]  # number of ratings of all arms
    length: Annotated[Ints, single(1)]  # number of ratings in a piece of time
    interval: Annotated[Ints, single(0, 2)]  # first piece, and the piece after the last; equal if there is none
    probability: Annotated[Floats, single(0.0)]  # of some contaminated interval


def interval_prior(n_ratings: int, assumed: Assumptions, resolution: Resolution) -> IntervalPrior:
    counts, mass = np.arange(TABULATED - 1), assumed.interval_mass
    by_rating, by_arm = (np.append(0.0, np.cumsum(np.log(one + counts))) for one in (mass / n_ratings, mass))
    return IntervalPrior(
        read_only(by_rating),
        read_only(by_arm),
        n_ratings,
        mass,
        assumed.interval_prior,
        assumed.most,
        assumed.longest_start * assumed.most,
        resolution.least_probability,
    )


@not_inlined
def find_interval(timeline: Timeline, prior: IntervalPrior) -> None:
    """Find the most probable contaminated interval of complete pieces, and the probability of any: equation (12)."""
    n_arms, _, n_rows = timeline.counts.shape
    pieces = timeline.learned[0] // timeline.length[0]
    before = np.zeros((pieces + 1, n_arms, prior.n_ratings), np.int64)
    for piece in range(pieces):
        before[piece + 1] = before[piece]
        for row in range(0, n_rows, prior.n_ratings):
            before[piece + 1] += timeline.counts[:, piece, row : row + prior.n_ratings]
    clean = log_marginals(before, 0, pieces, prior)[pieces - 1]
    longest = floor_edge(prior.longest * pieces)
    longest_start = min(floor_edge(prior.longest_start * pieces), pieces - 1)
    n_later = 0
    for first in range(1, pieces):
        n_later += min(longest, pieces - first)
    top, best_first, best_stop, total = -math.inf, 0, 0, 0.0
    for first in range(pieces):
        last = longest_start if first == 0 else min(pieces, first + longest)
        prior_of_each = 0.5 / max(longest_start, 1) if first == 0 else 0.5 / max(n_later, 1)
        log_odds = log_marginals(before, first, last, prior) - clean + math.log(prior_of_each)
        for i in range(log_odds.size):
            total += math.exp(min(log_odds[i], 500.0))
            if log_odds[i] > top + TIE:
                top, best_first, best_stop = log_odds[i], first, first + 1 + i
    probability = prior.prior * total / (1.0 - prior.prior + prior.prior * total)
    found = probability >= prior.least_probability
    timeline.probability[0] = probability if found else 0.0
    timeline.interval[0] = best_first if found else 0
    timeline.interval[1] = best_stop if found else 0


@not_inlined
def count_rating(timeline: Timeline, prior: IntervalPrior, arm: int, row: int) -> None:
    """Count a rating, and look for an interval when a piece of time is complete."""
    length = timeline.length[0]
    timeline.counts[arm, timeline.learned[0] // length, row] += 1
    timeline.sizes[arm] += 1
    timeline.learned[0] += 1
    if timeline.learned[0] % length == 0:
        if timeline.learned[0] == timeline.counts.shape[1] * length:
            merge_pieces(timeline)
        if timeline.learned[0] >= FEWEST_RATINGS and prior.prior > 0.0:
            find_interval(timeline, prior)


@not_inlined
def merge_pieces(timeline: Timeline) -> None:
    """Merge neighbouring pieces of time, so that they are twice as long."""
    half = timeline.counts.shape[1] // 2
    for piece in range(half):
        timeline.counts[:, piece] = timeline.counts[:, 2 * piece] + timeline.counts[:, 2 * piece + 1]
    timeline.counts[:, half:] = 0
    timeline.length[0] *= 2
