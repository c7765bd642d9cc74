"""The probability of each arm that two draws agree on it, over all that may be true of the study.

    P(a)  =  sum over hypotheses and views of  weight  *  [ (1 - never) p_a^2 / (p_1^2 + ... + p_K^2)  +  never p_a ]

p_a is the probability that the mean drawn of arm a is the highest, in that hypothesis and view; `never` that no pair
of all that are drawn agrees. No random numbers: what `draw_agreed_arm` draws has these probabilities.
"""

import numpy as np

from trueward.engine.compiling import always_compiled
from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.policies.posterior.best_arm import gauss_rule, highest_atoms
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.grid import grid_of
from trueward.policies.wary_thompson.judgement import LEAST_WEIGHT, TRIES, Judgement, weigh_views
from trueward.policies.wary_thompson.rating_model import RatingModel

LEAST_PART = 1e-10  # of the likeliest group and block, below which another is left out


def agreed_probabilities(judgement: Judgement, belief: Belief, model: RatingModel, held: Floats) -> Floats:
    """Return the probability of each arm; `held` are the weights of the hypotheses."""
    p = np.zeros(belief.sums.shape[0])
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    grid = grid_of(model)
    values = grid.place_by_ends, grid.sizes, grid.alike
    rule = gauss_rule(p.size, int(grid.sizes.min()))
    add_agreed_probabilities(held, *believed, model.near, model.groups, model.ends, *values, *rule, p)
    return np.asarray(p / p.sum())


@always_compiled
def add_agreed_probabilities(
    held: Floats,
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    support: Floats,
    near: Floats,
    groups: Floats,
    ends: Floats,
    place: Ints,
    sizes: Ints,
    alike: Ints,
    nodes: Floats,
    shares: Floats,
    p: Floats,
) -> None:
    """Do so, on the arrays."""
    n_arms, n_means, n_spreads = sums.shape[0], weights.shape[3], near.shape[0]
    by_mean = np.empty((n_arms, groups.shape[1], n_means))
    views, one, together = np.empty((ends.size, n_spreads)), np.empty(n_arms), np.empty(n_means)
    needed = np.empty(groups.shape[1], np.bool_)
    for hypothesis in range(held.size):
        if held[hypothesis] > LEAST_WEIGHT:
            weigh_views(support, ends, hypothesis, views)
            for spread in range(n_spreads):
                if find_needed(views[:, spread], LEAST_WEIGHT / held[hypothesis], alike, needed):
                    lay_means(weights, sums, chances, near[spread], hypothesis, needed, by_mean)
                for end in range(ends.size):
                    if views[end, spread] > LEAST_WEIGHT / held[hypothesis]:
                        atoms = np.empty((n_arms, sizes[end]))
                        lay_atoms(by_mean, groups[end], place[end], alike[end], together, atoms)
                        highest_atoms(atoms, nodes, shares, one)
                        add_agreed(one, held[hypothesis] * views[end, spread], p)


@kernel
def find_needed(views: Floats, least: float, alike: Ints, needed: Bools) -> bool:
    """Say which groups there are with any of the ends that have some weight, and return whether one has."""
    found = False
    needed[:] = False
    for end in range(views.size):
        if views[end] > least:
            found = True
            for group in range(needed.size):
                needed[group] |= alike[end, group] >= 0
    return found


@kernel
def lay_means(
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    near: Floats,
    hypothesis: int,
    needed: Bools,
    by_mean: Floats,
) -> None:
    """Fill in how likely each arm has each mean in each group, for the spread that arms share, to a factor."""
    n_arms, n_groups, n_means = by_mean.shape
    for arm in range(n_arms):
        for group in range(n_groups):
            for i in range(n_means):
                by_mean[arm, group, i] = 0.0
            for block in range(near.size if needed[group] else 0):
                part = near[block] * chances[arm, hypothesis, group, block]
                if part > LEAST_PART:  # the largest chance is 1
                    part /= sums[arm, hypothesis, group, block]
                    for i in range(n_means):
                        by_mean[arm, group, i] += part * weights[arm, hypothesis, group, i, block]


@kernel
def lay_atoms(by_mean: Floats, groups: Floats, place: Ints, alike: Ints, together: Floats, atoms: Floats) -> None:
    """Fill in how likely each arm has each of the different means, by what the ends make of the groups.

    Groups that have the same means are added up first, mean by mean, several of which a processor takes at a time.
    """
    n_arms, n_groups, n_means = by_mean.shape
    for arm in range(n_arms):
        total = 0.0
        for value in range(atoms.shape[1]):
            atoms[arm, value] = 0.0
        for first in range(n_groups):
            if alike[first] == first:
                for i in range(n_means):
                    together[i] = 0.0
                for group in range(first, n_groups):
                    if alike[group] == first:
                        for i in range(n_means):
                            together[i] += groups[group] * by_mean[arm, group, i]
                for i in range(n_means):
                    atoms[arm, place[first, i]] += together[i]
                    total += together[i]
        for value in range(atoms.shape[1]):
            atoms[arm, value] /= total


@kernel
def add_agreed(one: Floats, weight: float, p: Floats) -> None:
    """Add the probability that two draws agree on each arm, where one draw gives these."""
    agree, never = 0.0, 1.0
    for arm in range(one.size):
        agree += one[arm] * one[arm]
    for _ in range(TRIES):
        never *= 1.0 - agree
    for arm in range(one.size):
        p[arm] += weight * ((1.0 - never) * one[arm] * one[arm] / agree + never * one[arm])
