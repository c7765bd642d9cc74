"""The generative model of ratings, equations (1) to (5) of docs/wary.md, as tables of log-likelihoods."""

import functools
import math
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.states import read_only
from trueward.policies.wary.constants import BISECTIONS, IMPOSSIBLE, SMALLEST_LIKELIHOOD, Assumptions, Resolution


class RatingModel(NamedTuple):
    """The tables of the model. A *cell* is a pair of a component and an sd level; there are C cells."""

    log_likelihood: Floats  # (evidence levels * ratings, cells * means) log L, equation (3)
    log_prior: Floats  # (cells, means) of the mean, given the cell
    component_prior: Floats  # (roles, components) P(g | role): people, then lifted and pushed at each rate
    sd_prior: Floats  # (shared levels, sd levels) P(s | sigma), equation (2)
    bad_likelihood: Floats  # (evidence levels * ratings, components) z b(r), the bad part of L
    means: Floats  # (means,) honest means on the scale from 0 to 1
    evidence_ratios: Floats  # (evidence levels,) likelihood ratio of each level; a single 1 without evidence
    log_attack_prior: Floats  # (rates, 1) ln of the prior probability of an attack at each rate
    log_people_prior: float
    trusted: float
    power: float


class Component(NamedTuple):
    """A component of what is seen of an arm: a heap of honest ratings at an end, and bad ratings."""

    heap: Floats  # (ratings,) honest point mass
    bad: Floats  # (ratings,) bad ratings; the sum is their share


def rounded_normals(n_ratings: int, sds: Floats, means: Floats) -> Floats:
    """Return the pmfs of rounded normals with exactly these means, (sds, means, ratings): equation (1)."""
    from scipy.special import ndtr  # here, because this import takes longer than that of all policies

    edges, sd = (np.arange(n_ratings - 1) + 0.5) / (n_ratings - 1), sds[:, None, None]
    low, high = np.broadcast_arrays(-9.0 * sd - 1.0, 9.0 * sd + 2.0, means[:, None])[:2]
    for _ in range(BISECTIONS):  # the mean of a rounded normal increases with its location
        middle = 0.5 * (low + high)
        below = ndtr((middle - edges) / sd).mean(axis=2, keepdims=True) < means[:, None]
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.diff(ndtr((edges - low) / sd), axis=2, prepend=0.0, append=1.0)


def sd_levels(n_ratings: int, widest: float, resolution: Resolution) -> Floats:
    narrowest = max(resolution.narrowest_step / (n_ratings - 1), resolution.narrowest_sd)
    steps = round(np.log(widest / narrowest) / np.log(resolution.sd_ratio))
    return np.geomspace(narrowest, widest, max(steps, 1) + 1)


def components_of(n_ratings: int, assumed: Assumptions) -> tuple[list[Component], Floats]:
    """Return the components, and P(g | role) for people and for arms lifted and pushed at each rate: equation (4)."""
    anywhere, none = np.full(n_ratings, 1.0 / n_ratings), np.zeros(n_ratings)
    lowest, highest = np.eye(n_ratings)[[0, -1]]
    stray = min(assumed.stray, assumed.most) * anywhere
    people = [Component(none, stray), Component(none, assumed.most * assumed.careless_share * anywhere)]
    heaps = [Component(share * end, stray) for end in (lowest, highest) for share in assumed.heap_shares]
    weights = [1.0, assumed.careless_odds, *[assumed.heap_odds / len(heaps)] * len(heaps)]
    people += heaps
    attacks = [
        Component(none, assumed.most * rate * (assumed.attack_ends * end + (1.0 - assumed.attack_ends) * anywhere))
        for end in (highest, lowest)
        for rate in assumed.attack_rates
    ]
    prior = np.zeros((1 + len(attacks), len(people) + len(attacks)))
    prior[0, : len(people)] = np.array(weights) / sum(weights)
    prior[1:, len(people) :] = np.eye(len(attacks))
    return people + attacks, prior


def sd_prior(levels: Floats, assumed: Assumptions) -> Floats:
    """Return P(s | sigma): an arm's sd is near the level that the arms share, or anywhere. Equation (2)."""
    near = np.exp(-assumed.sd_decay * np.abs(np.log(levels / levels[:, None])))
    near /= near.sum(axis=1, keepdims=True)
    return np.asarray((1.0 - assumed.own_sd) * near + assumed.own_sd / levels.size)


@functools.lru_cache(8)
def rating_model(n_ratings: int, assumed: Assumptions, resolution: Resolution, *, with_evidence: bool) -> RatingModel:
    """Return the tables for a scale with this number of ratings."""
    components, component_prior = components_of(n_ratings, assumed)
    levels = sd_levels(n_ratings, assumed.widest_sd, resolution)
    means = (np.arange(resolution.means) + 0.5) / resolution.means
    ratios = resolution.evidence_ratios if with_evidence else (1.0,)
    heaps = np.array([component.heap for component in components])  # (components, ratings)
    bad = np.array([component.bad for component in components])
    share = heaps.sum(axis=1)
    outside_heap = (means - heaps[:, -1:]) / (1.0 - share[:, None])  # (components, means) the others' mean
    possible = (outside_heap > 0.0) & (outside_heap < 1.0)
    targets, which = np.unique(outside_heap.clip(means[0], means[-1]), return_inverse=True)
    outside = rounded_normals(n_ratings, levels, targets)[:, which.reshape(outside_heap.shape)]
    honest = (1.0 - share)[:, None, None] * outside + heaps[:, None]  # (sd levels, components, means, ratings)
    clean = 1.0 - bad.sum(axis=1)
    shown = np.array([clean[:, None, None] * honest + ratio * bad[:, None] for ratio in ratios])
    likelihood = shown.transpose(0, 4, 2, 1, 3)  # (evidence levels, ratings, components, sd levels, means)
    log_prior = np.where(possible, -np.log(possible.sum(axis=1, keepdims=True)), IMPOSSIBLE)
    log_likelihood = np.log(np.maximum(likelihood, SMALLEST_LIKELIHOOD)).reshape(len(ratios) * n_ratings, -1)
    rate_prior = np.array(assumed.attack_weights) / sum(assumed.attack_weights)
    log_attack_prior = (
        np.log(assumed.attack_prior * rate_prior) if assumed.attack_prior > 0.0 else rate_prior + IMPOSSIBLE
    )
    return RatingModel(
        log_likelihood=read_only(log_likelihood),
        log_prior=read_only(np.repeat(log_prior, levels.size, axis=0)),
        component_prior=read_only(component_prior),
        sd_prior=read_only(sd_prior(levels, assumed)),
        bad_likelihood=read_only(np.concatenate([ratio * bad.T for ratio in ratios])),
        means=read_only(means),
        evidence_ratios=read_only(np.array(ratios)),
        log_attack_prior=read_only(log_attack_prior.reshape(-1, 1)),
        log_people_prior=math.log1p(-assumed.attack_prior),
        trusted=assumed.trusted,
        power=assumed.power,
    )
