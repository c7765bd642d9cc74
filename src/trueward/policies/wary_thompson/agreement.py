"""The probability of each arm that two draws agree on it, over all that may be true of the study.

    P(a)  =  sum over hypotheses and views of  weight  *  [ (1 - never) p_a^2 / (p_1^2 + ... + p_K^2)  +  never p_a ]

p_a is the probability that the mean drawn of arm a is the highest, in that hypothesis and view; `never` that no pair
of all that are drawn agrees. No random numbers: what `draw_agreed_arm` draws has these probabilities.
"""

from typing import NamedTuple

import numpy as np

from trueward.engine.compiling import always_compiled
from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.policies.posterior.best_arm import FIRST, LARGEST, LAST, gauss_rules, highest_atoms, stack_up
from trueward.policies.wary_thompson.belief import Belief, Floats32
from trueward.policies.wary_thompson.grid import Grid, grid_of
from trueward.policies.wary_thompson.judgement import LEAST_WEIGHT, TRIES, Judgement, weigh_views
from trueward.policies.wary_thompson.rating_model import RatingModel

LEAST_PART = 1e-10  # of the likeliest group and block, below which another is left out
TOLERANCE = 1e-9  # by which one view may be off, times its weight


class Laid(NamedTuple):
    """What was laid out of the most likely hypothesis: after a reward, only its arm has to be laid out again.

    For each spread there is what arms may draw with each of the ends, (arms, values), one after another. There is room
    for it twice: the second is for the other hypotheses, one after another, of which nothing is kept.
    """

    atoms: Floats  # (2, spreads, those of all ends)
    below: Floats  # likewise, how likely a lower mean is drawn
    reach: Floats  # (2, spreads, ends, arms, 3) how far an arm reaches, see `stack_up`
    known: Bools  # (2, spreads, ends, arms) whether it is laid out
    sums: Floats32  # (arms, groups, blocks) what it was laid out from
    chances: Floats  # likewise
    grid: Grid
    rules: Floats


def nothing_laid(judgement: Judgement, model: RatingModel) -> Laid:
    """Return room for what will be laid out."""
    n_arms, _, *cells = judgement.chances.shape
    grid, views = grid_of(model), (2, model.near.shape[0], model.ends.size, n_arms)
    atoms, below = np.empty((2, *views[:2], n_arms * int(grid.sizes.sum())))
    believed = np.empty((n_arms, *cells), np.float32), np.empty((n_arms, *cells))
    rules = gauss_rules(n_arms, int(grid.sizes.min()))
    return Laid(atoms, below, np.empty((*views, 3)), np.zeros(views, np.bool_), *believed, grid, rules)


def agreed_probabilities(
    judgement: Judgement, belief: Belief, model: RatingModel, held: Floats, laid: Laid | None = None
) -> Floats:
    """Return the probability of each arm; `held` are the weights of the hypotheses, `laid` what is laid out already."""
    kept = laid or nothing_laid(judgement, model)
    p, grid = np.zeros(kept.sums.shape[0]), kept.grid
    believed = belief.weights, belief.sums, judgement.chances, judgement.support
    assumed, values = (model.near, model.groups, model.ends), (grid.place_by_ends, grid.sizes, grid.alike)
    room = kept.rules, kept.atoms, kept.below, kept.reach
    fill_agreed(held, *believed, *assumed, *values, *room, kept.known, kept.sums, kept.chances, p)
    return p


@always_compiled
def fill_agreed(
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
    rules: Floats,
    atoms: Floats,
    below: Floats,
    reach: Floats,
    known: Bools,
    laid_sums: Floats32,
    laid_chances: Floats,
    p: Floats,
) -> None:
    """Do so, on the arrays."""
    views, one, likeliest, total = np.empty((ends.size, near.shape[0])), np.empty(p.size), 0, 0.0
    for hypothesis in range(held.size):
        likeliest = hypothesis if held[hypothesis] > held[likeliest] else likeliest
    forget_changed(sums, chances, likeliest, laid_sums, laid_chances, known[0])
    for hypothesis in range(held.size):
        if held[hypothesis] > LEAST_WEIGHT:
            weigh_views(support, ends, hypothesis, views)
            wanted, which = views > LEAST_WEIGHT / held[hypothesis], int(hypothesis != likeliest)
            known[1] = False
            room = atoms[which], below[which], reach[which], known[which]
            lay_out(weights, sums, chances, hypothesis, near, groups, place, sizes, alike, wanted, *room)
            for spread in range(near.shape[0]):
                start = 0
                for end in range(ends.size):
                    stop, weight = start + p.size * sizes[end], held[hypothesis] * views[end, spread]
                    if wanted[end, spread]:
                        drawn = atoms[which, spread, start:stop].reshape((p.size, sizes[end]))
                        lower = below[which, spread, start:stop].reshape((p.size, sizes[end]))
                        highest_by_rule(drawn, lower, reach[which, spread, end], rules, TOLERANCE / weight, one)
                        add_agreed(one, weight, p)
                    start = stop
    for arm in range(p.size):
        total += p[arm]
    for arm in range(p.size):
        p[arm] /= total


@kernel
def forget_changed(
    sums: Floats32, chances: Floats, hypothesis: int, laid_sums: Floats32, laid_chances: Floats, known: Bools
) -> None:
    """Forget what was laid out of the arms of which something else is believed now: every rating changes the sums."""
    n_arms, size = laid_sums.shape[0], laid_sums.shape[1] * laid_sums.shape[2]
    for arm in range(n_arms):
        total, chance = sums[arm, hypothesis].reshape(size), chances[arm, hypothesis].reshape(size)
        old_total, old_chance, changes = laid_sums[arm].reshape(size), laid_chances[arm].reshape(size), 0
        for i in range(size):
            changes += (total[i] != old_total[i]) + (chance[i] != old_chance[i])
        if changes > 0:
            known[:, :, arm] = False
            for i in range(size):
                old_total[i], old_chance[i] = total[i], chance[i]


@kernel
def lay_out(
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    hypothesis: int,
    near: Floats,
    groups: Floats,
    place: Ints,
    sizes: Ints,
    alike: Ints,
    wanted: Bools,
    atoms: Floats,
    below: Floats,
    reach: Floats,
    known: Bools,
) -> None:
    """Lay out what each arm may draw with each spread that arms may share and the ends that are wanted."""
    n_arms, n_groups, n_means = sums.shape[0], weights.shape[2], weights.shape[3]
    by_mean, together, needed = np.empty((n_groups, n_means)), np.empty(n_means), np.empty(n_groups, np.bool_)
    for spread in range(near.shape[0]):
        find_needed(wanted[:, spread], alike, needed)
        for arm in range(n_arms):
            laid, start = False, 0
            for end in range(sizes.size):
                if wanted[end, spread] and not known[spread, end, arm]:
                    if not laid:
                        believed = weights[arm, hypothesis], sums[arm, hypothesis], chances[arm, hypothesis]
                        lay_means(*believed, near[spread], needed, by_mean)
                        laid = True
                    here = start + arm * sizes[end]
                    row, lower = atoms[spread, here : here + sizes[end]], below[spread, here : here + sizes[end]]
                    lay_atoms(by_mean, groups[end], place[end], alike[end], together, row)
                    stack_up(row, lower, reach[spread, end, arm])
                    known[spread, end, arm] = True
                start += n_arms * sizes[end]


@kernel
def find_needed(wanted: Bools, alike: Ints, needed: Bools) -> None:
    """Say which groups there are with any of the ends that are wanted."""
    needed[:] = False
    for end in range(wanted.size):
        if wanted[end]:
            for group in range(needed.size):
                needed[group] |= alike[end, group] >= 0


@kernel
def lay_means(weights: Floats32, sums: Floats32, chances: Floats, near: Floats, needed: Bools, by_mean: Floats) -> None:
    """Fill in how likely an arm has each mean in each group, for the spread that arms share, to a factor."""
    n_groups, n_means = by_mean.shape
    for group in range(n_groups):
        row = by_mean[group]
        for i in range(n_means):
            row[i] = 0.0
        for block in range(near.size if needed[group] else 0):
            part = near[block] * chances[group, block]
            if part > LEAST_PART:  # the largest chance is 1
                part /= sums[group, block]
                weight = weights[group, :, block]
                for i in range(n_means):
                    row[i] += part * weight[i]


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
                    share, row = groups[group], by_mean[group]
                    for i in range(n_means):
                        together[i] += share * row[i]
            for i in range(n_means):
                atoms[place[first, i]] += together[i]
                total += together[i]
    for value in range(atoms.size):
        atoms[value] /= total


@kernel
def highest_by_rule(atoms: Floats, below: Floats, reach: Floats, rules: Floats, tolerance: float, one: Floats) -> None:
    """Fill in the probability that each arm's draw is the highest, by the shortest rule that is good enough."""
    first, last, largest = 0, 0, 0.0
    for arm in range(atoms.shape[0]):
        first, last = max(first, int(reach[arm, FIRST])), max(last, int(reach[arm, LAST]))
        largest = max(largest, reach[arm, LARGEST])
    rule, power = 0, largest * largest
    while rules[rule, 0, 1] * power > tolerance:
        rule, power = rule + 1, power * largest * largest
    highest_atoms(atoms, below, first, last, rules[rule], one)


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
