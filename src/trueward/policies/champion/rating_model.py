"""A model of contaminated ratings: the tables behind the champion's posteriors.

    P(rating k) = (1 - e) f(k; law) + e q(k; kind)

The law f is a normal one rounded to the scale, mean and spread unknown, or, seldom, one with two heaps, of people who
love an arm and people who hate it, both of them many. A share e of the ratings comes from elsewhere: from anywhere on
the scale, or mostly from one place of it, wherever that is. A careless rater who always gives 5, a bot that gives 10
and inliers just below the truth are of the second kind, and a model that knew only the first would take them for a
wider law. A combination of a rate and a kind is a *group*.

On two or three values a contaminated law is just another law: there the model expects no contamination.
"""

import functools
import math
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.policies.posterior.best_arm import normal_cdf
from trueward.policies.posterior.grid import constant

RATES = (0.02, 0.1, 0.2, 0.35)  # contamination rates, and
RATE_WEIGHTS = (2.0, 1.0, 0.6, 0.3)  # how likely each is beforehand: ours; the first is "a little, always"
ANYWHERE = 0.5  # prior weight of contamination from anywhere on the scale
IN_PLACE = 0.9  # of contamination from one place, the part that comes from just there
PLACES = 11  # at most, beside the ends of a longer scale: where bots, extremists and clipped rewards are
PAST_THE_ENDS = 0.1  # of the scale: centres there are laws heaped up at an end
CENTRES = 97
NARROWEST, WIDEST = 0.7, 0.26  # spreads: steps of the scale, parts of the scale
STEP_OF_SPREADS = 1.42
LEAST_SPREAD = 0.02  # of the scale
LOVERS = np.linspace(0.4, 0.6, 5)  # shares: fewer than 40 % are taken for contamination
DIVIDED = 0.02  # prior weight of laws with two heaps
LOW_HEAPS, HIGH_HEAPS = (-0.1, 0.1, 0.3), (0.7, 0.9, 1.1)  # places
CHANCES = 241  # of the laws on two or three values


class RatingModel(NamedTuple):
    """The tables that all arms share."""

    laws: Floats  # (ratings, laws) probability of a rating under a law
    clean: Floats  # (groups,) 1 - e
    dirty: Floats  # (ratings, groups) e q(rating)
    logs: Floats  # (ratings, groups, laws) log-likelihoods
    prior: Floats  # (groups, laws)


@functools.lru_cache(maxsize=4)
def rating_model(
    ratings: int, *, centres: int = CENTRES, places: int = PLACES, divided: float = DIVIDED
) -> RatingModel:
    """Return the model for a scale of equally spaced ratings; `divided` is the prior weight of laws with two heaps."""
    table, of_laws = _laws(ratings, centres, divided)
    kinds, kind_weights = _kinds(ratings, places)
    rates, weights = (np.array(RATES), np.array(RATE_WEIGHTS)) if ratings > 3 else (np.zeros(1), np.ones(1))
    prior = np.outer(np.outer(weights / weights.sum(), kind_weights), of_laws)
    laws, clean = np.ascontiguousarray(table.T), np.repeat(1.0 - rates, len(kinds))
    dirty = np.ascontiguousarray(np.concatenate([rate * kinds for rate in rates]).T)
    logs = np.log(clean[:, None] * laws[:, None, :] + dirty[:, :, None])
    return RatingModel(*map(constant, (laws, clean, dirty, logs, prior)))


def means_of_laws(model: RatingModel) -> Floats:
    """Return the means of the laws, as places on the scale from 0 to 1; equal ones are equal in every bit."""
    return constant(np.round(np.linspace(0.0, 1.0, model.laws.shape[0]) @ model.laws, 9))


def _laws(ratings: int, centres: int, divided: float) -> tuple[Floats, Floats]:
    """Return the laws, (laws, ratings), and how likely each is beforehand."""
    one_heap = _normal_laws(ratings, centres) if ratings > 3 else _binomial_laws(ratings)
    if divided == 0.0 or ratings <= 3:
        return one_heap, np.full(len(one_heap), 1.0 / len(one_heap))
    two_heaps = _divided_laws(ratings)
    weights = np.repeat([(1.0 - divided) / len(one_heap), divided / len(two_heaps)], [len(one_heap), len(two_heaps)])
    return np.concatenate([one_heap, two_heaps]), weights


def _normal_laws(ratings: int, centres: int) -> Floats:
    """Return normal laws rounded to the ratings, the tails going to the ends: (laws, ratings)."""
    narrowest = _narrowest(ratings)
    n_spreads = 1 + max(1, int(math.log(WIDEST / narrowest) / math.log(STEP_OF_SPREADS)))
    spreads = narrowest * STEP_OF_SPREADS ** np.arange(n_spreads)
    middles = np.linspace(-PAST_THE_ENDS, 1.0 + PAST_THE_ENDS, centres)
    centre, spread = (grid.reshape(-1, 1) for grid in np.meshgrid(middles, spreads))
    return _rounded(ratings, centre, spread)


def _divided_laws(ratings: int) -> Floats:
    """Return laws with two heaps, of people who love it and people who hate it, neither of them few."""
    low, high = (_rounded(ratings, np.array(heaps)[:, None], _narrowest(ratings)) for heaps in (LOW_HEAPS, HIGH_HEAPS))
    return np.array([(1.0 - share) * hate + share * love for share in LOVERS for hate in low for love in high])


def _narrowest(ratings: int) -> float:
    return max(NARROWEST / (ratings - 1.0), LEAST_SPREAD)


def _rounded(ratings: int, centre: Floats, spread: Floats | float) -> Floats:
    """Return normal laws rounded to the ratings; places are parts of the scale."""
    below = normal_cdf(((np.arange(ratings - 1) + 0.5) / (ratings - 1.0) - centre) / spread)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def _binomial_laws(ratings: int) -> Floats:
    """Return binomial laws on two or three ratings: (laws, ratings)."""
    odds = np.linspace(-6.0, 6.0, CHANCES)
    p = (1.0 / (1.0 + np.exp(-odds)))[:, None]
    k = np.arange(ratings)
    ways = np.array([math.comb(ratings - 1, int(i)) for i in k])
    return np.asarray(ways * p**k * (1.0 - p) ** (ratings - 1 - k))


def _kinds(ratings: int, places: int) -> tuple[Floats, Floats]:
    """Return the laws of contamination, (kinds, ratings), and how likely each is beforehand."""
    anywhere = np.full((1, ratings), 1.0 / ratings)
    if places == 0 or ratings <= 3:
        return anywhere, np.ones(1)
    inside = _places(ratings, places)
    kinds = np.concatenate([anywhere, IN_PLACE * inside + (1.0 - IN_PLACE) * anywhere])
    return kinds, np.array([ANYWHERE, *[(1.0 - ANYWHERE) / len(inside)] * len(inside)])


def _places(ratings: int, most: int) -> Floats:
    """Return a uniform law for each place, (places, ratings): every rating, or the two ends and stretches between."""
    if ratings <= most:
        return np.eye(ratings)
    ends = np.eye(ratings)[[0, -1]]
    place = np.arange(ratings - 2) * most // (ratings - 2)
    between = (place == np.arange(most)[:, None]) / np.bincount(place)[:, None]
    return np.concatenate([ends, np.pad(between, ((0, 0), (1, 1)))])
