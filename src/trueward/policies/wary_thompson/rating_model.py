"""A model of ratings, good and bad: the tables behind the default policy's posteriors.

    P(rating k) = (1 - e) f(k; mean, spread) + e q(k; kind)

The law f of honest ratings is a normal one rounded to the scale, whose tails go to the ends: with a wide spread it is
as flat, as skewed and as heaped up at an end as ratings of people are. Laws of one spread form a *block*; the means of
the blocks stand on one grid. How wide opinions scatter is taken to be much the same on all arms of a study: each has a
spread near one that they share, so that arms with many ratings say what is normal for an arm with few.

A share e of the ratings comes from elsewhere: from anywhere on the scale, or mostly from one place of it. A careless
rater who always gives 5, a bot that gives 10 and inliers just below the truth are of the second kind, and a model that
knew only the first would take them for a wider law. A combination of a rate and a kind is a *group*.

A heap of ratings at an end of the scale, apart from the rest, may be bad, or of honest people who hate the arm, or love
it; one arm's ratings cannot tell. The other arms can, a little: heaps that most arms have are human, one that singles
out an arm is suspect. So the study has *ends* at which heaps are honest: neither, beforehand, or the low one, the high
one or both. There further groups, of honest heaps, take the place of bad heaps, and their ratings count. Or the study
is *attacked*: whoever wants the best arm to lose pushes it down and lifts all others, so that the best one has a bad
heap at the low end, and every other one a bad heap of the same share at the high end. One arm's ratings hardly show it
on a short scale, but all arms together may.

On two or three values a contaminated law is just another law: there the model expects no contamination.
"""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Floats
from trueward.engine.states import read_only
from trueward.statistics.best_arm_probability import normal_cdf

LEAST = 1e-6  # share of bad ratings: even where none are considered, every rating must be possible
CHANCES = 256  # of the laws on two or three values
NEGLIGIBLE = 1e-9  # probability of a rating, where a block has no law of such a mean
BEYOND = 8.0  # spreads: how far past the ends of the scale the centre of a law may lie
CENTRES = 801  # that the laws of a mean are looked up among, on the scale and on either side of it
TWO_HEAPS = (-0.1, 0.1, 0.3), (0.7, 0.9, 1.1)  # places of people who hate an arm, and of people who love it
LARGE_HEAP = 0.4  # share of ratings: a further heap where people are known to be divided
NEITHER, LOW, HIGH, BOTH = range(4)  # the ends of the scale at which heaps are honest


@dataclass(frozen=True)
class Assumptions:
    """What is taken for granted about ratings; the numbers are ours, chosen by `scripts/choose_assumptions.py`."""

    most: float = 0.35  # share of bad ratings
    polarised: bool = False
    trust: float = 12.0  # weight of "hardly any bad ratings", beside those of
    rates: tuple[tuple[float, float], ...] = ((0.3, 1.0), (0.6, 0.5), (1.0, 0.2))  # rates, as parts of `most`, and of
    placed: tuple[tuple[float, float], ...] = ((0.4, 1.1), (0.8, 0.6))  # rates of contamination from one place
    little: float = 0.01  # "hardly any": this rate, from anywhere
    anywhere: float = 0.5  # prior weight of contamination from anywhere on the scale
    in_place: float = 0.9  # of contamination from one place, the part that comes from just there
    places: int = 6
    means: int = 128  # of a block; a power of two
    narrowest: float = 0.25  # step of the scale: nearly all ratings are the same
    least_spread: float = 0.02  # of the scale
    widest: float = 1.0
    ratio: float = 1.6  # of one spread to the next, about
    apart: float = 5.3  # how fast the weight of an arm's spread falls with the logarithm of its ratio to the shared one
    divided: float = 0.02  # prior weight of laws with two heaps, neither below 40 %
    honest: float = 0.1  # prior weight of honest heaps at an end, and
    heaped: float = 0.9  # how likely it is then that an arm has one,
    heaps: tuple[float, ...] = (0.08, 0.22)  # and of what share of its ratings
    attacked: float = 0.05  # prior weight of a study in which the best arm is pushed down and all others are lifted
    trusted: float = 100.0  # ratings of an arm for which the model is taken at its word
    agreeing: int = 2  # draws of an arm that have to agree, for it to be played
    owed: float = 0.6  # looks at each arm, times 1 + ln(t / K), and
    owed_if_odd: float = 2.4  # further ones, where it may be the best but for ratings lower than nearly all other arms'
    hoped: int = 2  # ratings at the top of the scale that such an arm may get beside the others

    @property
    def in_short(self) -> Self:
        """The same on a coarse grid, without places and honest heaps: enough to weigh hypotheses by."""
        return replace(self, means=32, places=0, heaps=(), honest=0.0, attacked=0.0, polarised=False)


class RatingModel(NamedTuple):
    """The tables that all arms share."""

    laws: NDArray[np.float32]  # (ratings, means, blocks) probability of a rating under a law
    clean: Floats  # (groups,) share of ratings that follow the law
    heap: Floats  # (ratings, groups) probability of a rating of an honest heap
    bad: Floats  # (ratings, groups) probability of a bad rating
    logs: Floats  # (ratings, groups, means, blocks) log-likelihoods
    near: Floats  # (spreads, blocks) how likely each block is if the arms share this spread
    groups: Floats  # (parts, groups) how likely each group is if heaps at these ends are honest; then, for each rate
    # of an attack, the group of an arm that is lifted; then that of one that is pushed down
    ends: Floats  # (ends,) how likely that is, its log; and of an attack at each rate
    means: Floats  # (means,) of the laws of each block, as places on the scale from 0 to 1
    stretch: Floats  # (groups,) what a group makes of the mean: stretch * mean + shift, for an honest heap
    shift: Floats  # (groups,)
    trusted: float  # ratings of an arm for which the model is taken at its word


class Likelihoods(NamedTuple):
    """What of the model it takes to learn a rating; a tuple costs its compiled caller by the number of its arrays."""

    laws: NDArray[np.float32]
    clean: Floats
    heap: Floats
    bad: Floats
    logs: Floats


def likelihoods_of(model: RatingModel) -> Likelihoods:
    """Return what it takes to learn a rating."""
    return Likelihoods(model.laws, model.clean, model.heap, model.bad, model.logs)


@functools.lru_cache(maxsize=8)
def rating_model(ratings: int, assumed: Assumptions) -> RatingModel:
    """Return the model for a scale of equally spaced ratings."""
    if ratings > 3:
        means = (np.arange(assumed.means) + 0.5) / assumed.means
        blocks, near = _blocks(ratings, means, assumed)
    else:
        means = 1.0 / (1.0 + np.exp(-np.linspace(-6.0, 6.0, CHANCES)))
        blocks, near = _binomial_laws(ratings, means), np.ones((1, 1))
    clean, heap, bad, groups, ends = _groups(ratings, assumed)
    laws = blocks.transpose(2, 1, 0)
    logs = np.log(clean[:, None, None] * laws[:, None] + (heap + bad)[:, :, None, None])
    short = np.array(laws, dtype=np.float32, order="C")
    short.flags.writeable = False
    return RatingModel(
        laws=short,
        clean=_fixed(clean),
        heap=_fixed(heap),
        bad=_fixed(bad),
        logs=_fixed(logs),
        near=_fixed(near),
        groups=_fixed(groups),
        ends=_fixed(ends),
        means=_fixed(means),
        stretch=_fixed(1.0 - heap.sum(axis=0)),
        shift=_fixed(heap[-1]),
        trusted=assumed.trusted,
    )


def _fixed(table: Floats) -> Floats:
    return read_only(np.array(table, order="C"))


def _blocks(ratings: int, means: Floats, assumed: Assumptions) -> tuple[Floats, Floats]:
    """Return the blocks of laws, (blocks, means, ratings), and how likely each is by the spread that arms share."""
    spreads = _spreads(ratings, assumed)
    near = np.exp(-assumed.apart * np.abs(np.log(spreads[:, None] / spreads)))
    near *= (1.0 - assumed.divided) / near.sum(axis=1, keepdims=True)
    one_heap = [_laws_of_means(ratings, spread, means) for spread in spreads]
    two_heaps = _divided_laws(ratings, means, assumed)
    divided = assumed.divided / (two_heaps[:, 0] > NEGLIGIBLE).mean()  # of those means that it has laws of
    return np.array([*one_heap, two_heaps]), np.pad(near, ((0, 0), (0, 1)), constant_values=divided)


def _spreads(ratings: int, assumed: Assumptions) -> Floats:
    narrowest = max(assumed.narrowest / (ratings - 1.0), assumed.least_spread)
    steps = round(math.log(assumed.widest / narrowest) / math.log(assumed.ratio))
    return np.asarray(np.geomspace(narrowest, assumed.widest, steps + 1))


def _laws_of_means(ratings: int, spread: float, means: Floats) -> Floats:
    """Return the normal laws of a spread, rounded to the ratings, that have these means: (means, ratings)."""
    reach = BEYOND * spread
    sides = [np.linspace(low, high, CENTRES) for low, high in ((-reach, 0.0), (0.0, 1.0), (1.0, 1.0 + reach))]
    centres = np.unique(np.concatenate(sides))
    found = np.maximum.accumulate(_rounded(ratings, centres[:, None], spread) @ np.linspace(0.0, 1.0, ratings))
    rising = np.append(True, np.diff(found) > 0.0)
    return _rounded(ratings, np.interp(means, found[rising], centres[rising])[:, None], spread)


def _divided_laws(ratings: int, means: Floats, assumed: Assumptions) -> Floats:
    """Return laws of people who love it and people who hate it, neither of them few: (means, ratings)."""
    spread = max(0.7 / (ratings - 1.0), assumed.least_spread)
    low, high = (_rounded(ratings, np.array(heaps)[:, None], spread) for heaps in TWO_HEAPS)
    scale = np.linspace(0.0, 1.0, ratings)
    total, n = np.zeros((means.size, ratings)), np.zeros(means.size)
    for hate in low:
        for love in high:
            lovers = (means - hate @ scale) / ((love - hate) @ scale)
            fits = (lovers >= 0.4) & (lovers <= 0.6)
            total[fits] += np.outer(1.0 - lovers[fits], hate) + np.outer(lovers[fits], love)
            n += fits
    return np.where(n[:, None] > 0, total / np.maximum(n, 1.0)[:, None], NEGLIGIBLE)


def _rounded(ratings: int, centre: Floats, spread: float) -> Floats:
    """Return normal laws rounded to the ratings; places are parts of the scale."""
    below = normal_cdf(((np.arange(ratings - 1) + 0.5) / (ratings - 1.0) - centre) / spread)
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def _binomial_laws(ratings: int, means: Floats) -> Floats:
    """Return binomial laws on two or three ratings: (1, means, ratings)."""
    k = np.arange(ratings)
    ways = np.array([math.comb(ratings - 1, int(i)) for i in k])
    return np.asarray(ways * means[:, None] ** k * (1.0 - means[:, None]) ** (ratings - 1 - k))[None]


def _groups(ratings: int, assumed: Assumptions) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """Return, by group, the share of the law, heap and bad ratings; and what is likely beforehand, by ends."""
    if ratings <= 3:
        return np.ones(1), np.zeros((ratings, 1)), np.zeros((ratings, 1)), np.ones((1, 1)), np.zeros(1)
    prior, kinds, at_end = (np.array(column) for column in zip(*_bad_groups(ratings, assumed), strict=True))
    heaps = (*assumed.heaps, LARGE_HEAP) if assumed.polarised else assumed.heaps
    n_bad, n_heaps = len(kinds), len(heaps)
    bad = np.concatenate([kinds, *[kinds[:1]] * 2 * n_heaps])
    heap = np.zeros_like(bad)
    heap[n_bad : n_bad + n_heaps, 0] = heap[n_bad + n_heaps :, -1] = heaps
    groups = np.zeros((4, len(bad)))
    for ends, honest in ((NEITHER, ()), (LOW, (LOW,)), (HIGH, (HIGH,)), (BOTH, (LOW, HIGH))):
        suspect = np.where(np.isin(at_end, honest), 0.0, prior) if honest else prior
        heaped = assumed.heaped if honest else 0.0
        groups[ends, :n_bad] = (1.0 - heaped) * suspect / suspect.sum()
        for end in honest:
            first = n_bad + (end - LOW) * n_heaps
            groups[ends, first : first + n_heaps] = heaped / (len(honest) * max(1, n_heaps))
    lifted, pushed = np.flatnonzero(at_end == HIGH), np.flatnonzero(at_end == LOW)  # one for each rate
    considered = lifted.size > 0 and assumed.attacked > 0.0 and not assumed.polarised
    attack = np.concatenate([lifted, pushed]) if considered else lifted[:0]
    groups = np.concatenate([groups, np.eye(len(bad))[attack]])
    rates = prior[lifted] / prior[lifted].sum() if considered else prior[:0]
    with np.errstate(divide="ignore"):
        return 1.0 - (heap + bad).sum(axis=1), heap.T, bad.T, groups, np.log(_ends(assumed, rates))


def _ends(assumed: Assumptions, rates: Floats) -> Floats:
    """Return how likely heaps are honest at neither end, the low one, the high one, both; and attacks at each rate."""
    if assumed.polarised:
        return np.array([0.0, 0.0, 0.0, 1.0])
    h, attacked = assumed.honest, assumed.attacked if rates.size > 0 else 0.0
    honest = np.array([(1.0 - h) ** 2, h * (1.0 - h), h * (1.0 - h), h * h])
    return np.append((1.0 - attacked) * honest, attacked * rates)


def _bad_groups(ratings: int, assumed: Assumptions) -> Iterator[tuple[float, Floats, int]]:
    """Give how likely a group is, to one factor, its probabilities of bad ratings, and at which end they heap."""
    anywhere, inside = np.full(ratings, 1.0 / ratings), _places(ratings, assumed.places)
    anywhere_weight = assumed.anywhere if len(inside) > 0 else 1.0
    most = max(assumed.most, LEAST)
    yield assumed.trust, min(assumed.little, most) * anywhere, NEITHER
    for rate, weight in assumed.rates:
        yield weight * anywhere_weight, rate * most * anywhere, NEITHER
    for rate, weight in assumed.placed:
        for place in inside:
            bad = rate * most * (assumed.in_place * place + (1.0 - assumed.in_place) * anywhere)
            end = LOW if place[0] == 1.0 else HIGH if place[-1] == 1.0 else NEITHER
            yield weight * (1.0 - anywhere_weight) / len(inside), bad, end


def _places(ratings: int, most: int) -> Floats:
    """Return a uniform law for each place, (places, ratings): every rating, or the two ends and stretches between."""
    if ratings <= most or most == 0:
        return np.eye(ratings)[:most]
    ends, between = np.eye(ratings)[[0, -1]], most - 2
    place = np.arange(ratings - 2) * between // (ratings - 2)
    stretches = (place == np.arange(between)[:, None]) / np.bincount(place)[:, None]
    return np.concatenate([ends, np.pad(stretches, ((0, 0), (1, 1)))])


def bad_part(model: RatingModel, laws: Floats, rating: int, doubt: float) -> float:
    """Return how likely a rating is bad; `laws` are how likely each law is, (groups, means, blocks)."""
    bad = (doubt * model.bad[rating])[:, None, None]
    good = model.clean[:, None, None] * model.laws[rating] + model.heap[rating][:, None, None]
    return float((laws * bad / (good + bad)).sum())
