"""The probability of each arm that two draws agree on it, over all that may be true of the study.

    P(a)  =  sum over hypotheses and views of  weight  *  [ (1 - never) p_a^2 / (p_1^2 + ... + p_K^2)  +  never p_a ]

p_a is the probability that the mean drawn of arm a is the highest, in that hypothesis and view; `never` that no pair
of all that are drawn agrees. No random numbers: what `draw_agreed_arm` draws has these probabilities.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.compiling import always_compiled
from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.policies.posterior.best_arm import gauss_rule, highest_atoms
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.grid import grid_of
from trueward.policies.wary_thompson.judgement import LEAST_WEIGHT, TRIES, Judgement, weigh_views
from trueward.policies.wary_thompson.rating_model import RatingModel

LEAST_PART = 1e-10  # of the likeliest group and block, below which another is left out


class Laid(NamedTuple):
    """What was laid out of the most likely hypothesis: after a reward, only its arm has to be laid out again."""

    atoms: Floats  # for each of the ends (spreads, arms, values), one after another
    known: Bools  # (ends, spreads, arms) whether they are laid out
    sums: Floats32  # (arms, groups, blocks) what they were laid out from
    chances: Floats  # likewise


def nothing_laid(judgement: Judgement, model: RatingModel) -> Laid:
    """Return room for what will be laid out."""
    n_arms, _, *cells = judgement.chances.shape
    atoms = np.empty(model.near.shape[0] * n_arms * int(grid_of(model).sizes.sum()))
    known = np.zeros((model.ends.size, model.near.shape[0], n_arms), np.bool_)
    return Laid(atoms, known, np.empty((n_arms, *cells), np.float32), np.empty((n_arms, *cells)))


def agreed_probabilities(
    judgement: Judgement, belief: Belief, model: RatingModel, held: Floats, laid: Laid | None = None
) -> Floats:
    """Return the probability of each arm; `held` are the weights of the hypotheses, `laid` what is laid out already."""
    grid, p, likeliest = grid_of(model), np.zeros(belief.sums.shape[0]), int(held.argmax())
    kept = laid or nothing_laid(judgement, model)
    forget_changed(belief.sums, judgement.chances, likeliest, kept.sums, kept.chances, kept.known)
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    assumed, values = (model.near, model.groups, model.ends), (grid.place_by_ends, grid.sizes, grid.alike)
    rule = gauss_rule(p.size, int(grid.sizes.min()))
    add_agreed_probabilities(held, *believed, *assumed, *values, *rule, likeliest, kept.atoms, kept.known, p)
    return np.asarray(p / p.sum())


@always_compiled
def forget_changed(
    sums: Floats32, chances: Floats, hypothesis: int, laid_sums: Floats32, laid_chances: Floats, known: Bools
) -> None:
    """Forget what was laid out of the arms of which something else is believed now: every rating changes the sums."""
    n_arms, n_groups, n_blocks = laid_sums.shape
    for arm in range(n_arms):
        changed = False
        for group in range(n_groups):
            for block in range(n_blocks):
                total, chance = sums[arm, hypothesis, group, block], chances[arm, hypothesis, group, block]
                changed |= total != laid_sums[arm, group, block] or chance != laid_chances[arm, group, block]
                laid_sums[arm, group, block], laid_chances[arm, group, block] = total, chance
        if changed:
            known[:, :, arm] = False


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
    likeliest: int,
    laid: Floats,
    known: Bools,
    p: Floats,
) -> None:
    """Do so, on the arrays."""
    n_arms, n_means, n_spreads, n_groups = sums.shape[0], weights.shape[3], near.shape[0], groups.shape[1]
    by_mean, together, one = np.empty((n_arms, n_groups, n_means)), np.empty(n_means), np.empty(n_arms)
    views, needed, done = np.empty((ends.size, n_spreads)), np.empty(n_groups, np.bool_), np.empty(n_arms, np.bool_)
    for hypothesis in range(held.size):
        if held[hypothesis] > LEAST_WEIGHT:
            weigh_views(support, ends, hypothesis, views)
            least, keep = LEAST_WEIGHT / held[hypothesis], hypothesis == likeliest
            for spread in range(n_spreads):
                find_needed(views[:, spread], least, alike, needed)
                done[:] = False
                start = 0  # of what is kept with these ends
                for end in range(ends.size):
                    size = n_arms * sizes[end]
                    if views[end, spread] > least:
                        place_kept = start + spread * size
                        atoms = laid[place_kept : place_kept + size] if keep else np.empty(size)
                        by_arm = atoms.reshape((n_arms, sizes[end]))
                        for arm in range(n_arms):
                            if not (keep and known[end, spread, arm]):
                                if not done[arm]:
                                    lay_means(weights, sums, chances, near[spread], hypothesis, arm, needed, by_mean)
                                    done[arm] = True
                                lay_atoms(by_mean[arm], groups[end], place[end], alike[end], together, by_arm[arm])
                                known[end, spread, arm] |= keep
                        highest_atoms(by_arm, nodes, shares, one)
                        add_agreed(one, held[hypothesis] * views[end, spread], p)
                    start += n_spreads * size


@kernel
def find_needed(views: Floats, least: float, alike: Ints, needed: Bools) -> None:
    """Say which groups there are with any of the ends that have some weight."""
    needed[:] = False
    for end in range(views.size):
        if views[end] > least:
            for group in range(needed.size):
                needed[group] |= alike[end, group] >= 0


@kernel
def lay_means(
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    near: Floats,
    hypothesis: int,
    arm: int,
    needed: Bools,
    by_mean: Floats,
) -> None:
    """Fill in how likely an arm has each mean in each group, for the spread that arms share, to a factor."""
    n_groups, n_means = by_mean.shape[1], by_mean.shape[2]
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
    """Fill in how likely an arm has each of the different means, by what the ends make of the groups.

    Groups that have the same means are added up first, mean by mean, several of which a processor takes at a time.
    """
    n_groups, n_means = by_mean.shape
    total = 0.0
    for value in range(atoms.size):
        atoms[value] = 0.0
    for first in range(n_groups):
        if alike[first] == first:
            for i in range(n_means):
                together[i] = 0.0
            for group in range(first, n_groups):
                if alike[group] == first:
                    for i in range(n_means):
                        together[i] += groups[group] * by_mean[group, i]
            for i in range(n_means):
                atoms[place[first, i]] += together[i]
                total += together[i]
    for value in range(atoms.size):
        atoms[value] /= total


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
