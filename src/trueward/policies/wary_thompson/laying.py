"""What each arm may draw, laid out over the different means: the first step to the probabilities of the arms."""

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.rows import add_times, fill, fill_from
from trueward.policies.posterior.best_arm import stack_up
from trueward.policies.wary_thompson.belief import Floats32

LEAST_PART = 1e-10  # of the likeliest group and block, below which another is left out


@kernel
def find_wanted(views: Floats, attacked: float, least: float, attacks: int, wanted: Bools) -> None:
    """Say which parts of the model have some weight with each spread: both parts of an attack, or none."""
    n_ends = views.shape[0]
    for end in range(n_ends):
        for spread in range(views.shape[1]):
            if end < n_ends - attacks:
                wanted[end, spread] = views[end, spread] > least
            else:
                wanted[end, spread] = wanted[end + attacks, spread] = attacked * views[end, spread] > least


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
    """Lay out what each arm may draw with each spread that arms may share, in the parts that are wanted."""
    n_arms, n_spreads, n_groups, n_means = sums.shape[0], near.shape[0], weights.shape[2], weights.shape[3]
    by_mean, needed = np.empty((n_spreads, n_groups, n_means)), np.empty((n_spreads, n_groups), np.bool_)
    together = np.empty(n_means)
    for arm in range(n_arms):
        if find_needed(wanted, known[:, :, arm], alike, needed):
            believed = weights[arm, hypothesis], sums[arm, hypothesis], chances[arm, hypothesis]
            lay_means(*believed, near, needed, together, by_mean)
        for spread in range(n_spreads):
            start = 0
            for end in range(sizes.size):
                if wanted[end, spread] and not known[spread, end, arm]:
                    here = start + arm * sizes[end]
                    row, lower = atoms[spread, here : here + sizes[end]], below[spread, here : here + sizes[end]]
                    lay_atoms(by_mean[spread], groups[end], place[end], alike[end], together, row)
                    stack_up(row, lower, reach[spread, end, arm])
                    known[spread, end, arm] = True
                start += n_arms * sizes[end]


@kernel
def find_needed(wanted: Bools, known: Bools, alike: Ints, needed: Bools) -> bool:
    """Say which groups there are, with each spread, in any of the parts that are wanted of an arm, and not known.

    Return whether there is such a part.
    """
    found = False
    needed[:] = False
    for spread in range(needed.shape[0]):
        for end in range(wanted.shape[0]):
            if wanted[end, spread] and not known[spread, end]:
                found = True
                for group in range(needed.shape[1]):
                    needed[spread, group] |= alike[end, group] >= 0
    return found


@kernel
def lay_means(
    weights: Floats32, sums: Floats32, chances: Floats, near: Floats, needed: Bools, column: Floats, by_mean: Floats
) -> None:
    """Fill in how likely an arm has each mean in each group that is needed, for each spread, to a factor.

    The weights of a block are apart from each other: they are moved together once, into `column`, for all spreads.
    """
    n_spreads, n_groups = needed.shape
    for group in range(n_groups):
        for spread in range(n_spreads):
            if needed[spread, group]:
                fill(by_mean[spread, group], 0.0)
        for block in range(near.shape[1]):
            together = False
            for spread in range(n_spreads):
                part = near[spread, block] * chances[group, block]
                if needed[spread, group] and part > LEAST_PART:  # the largest chance is 1
                    if not together:
                        fill_from(column, weights[group, :, block])
                        together = True
                    add_times(by_mean[spread, group], part / sums[group, block], column)


@kernel
def lay_atoms(by_mean: Floats, groups: Floats, place: Ints, alike: Ints, together: Floats, atoms: Floats) -> None:
    """Fill in how likely an arm has each of the different means, by what the ends make of the groups.

    Groups that have the same means are added up first, mean by mean, several of which a processor takes at a time.
    """
    n_groups, n_means = by_mean.shape
    total = 0.0
    fill(atoms, 0.0)
    for first in range(n_groups):
        if alike[first] == first:
            fill(together, 0.0)
            for group in range(first, n_groups):
                if alike[group] == first:
                    add_times(together, groups[group], by_mean[group])
            for i in range(n_means):
                atoms[place[first, i]] += together[i]
                total += together[i]
    for value in range(atoms.size):  # an arm that is next to never so may have any mean: nothing depends on it
        atoms[value] = atoms[value] / total if total > 0.0 else 1.0 / atoms.size
