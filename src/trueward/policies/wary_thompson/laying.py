"""What each arm may draw, laid out over the different means: the first step to the probabilities of the arms."""

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.rows import add_times, fill, fill_from, multiply_by_number, total_of
from trueward.policies.wary_thompson.belief import Floats32
from trueward.statistics.best_arm_probability import cumulate

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
    share: Floats,
    families: Floats,
    family: Ints,
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
    n_arms, n_spreads, n_families, n_means = sums.shape[0], near.shape[0], families.shape[1], weights.shape[3]
    by_mean, needed = np.empty((n_spreads, n_families, n_means)), np.empty((n_spreads, n_families), np.bool_)
    together = np.empty(n_means)
    for arm in range(n_arms):
        if find_needed(wanted, known[:, :, arm], alike, needed):
            believed = weights[arm, hypothesis], sums[arm, hypothesis], chances[arm, hypothesis]
            lay_means(*believed, near, family, share, needed, together, by_mean)
        for spread in range(n_spreads):
            start = 0
            for end in range(sizes.size):
                if wanted[end, spread] and not known[spread, end, arm]:
                    here = start + arm * sizes[end]
                    row, lower = atoms[spread, here : here + sizes[end]], below[spread, here : here + sizes[end]]
                    lay_atoms(by_mean[spread], families[end], place[end], alike[end], together, row)
                    fill_from(lower, row)
                    make_shares(row, total_of(lower))
                    cumulate(row, lower, reach[spread, end, arm])
                    known[spread, end, arm] = True
                start += n_arms * sizes[end]


@kernel
def find_needed(wanted: Bools, known: Bools, alike: Ints, needed: Bools) -> bool:
    """Say which families there are, with each spread, in any of the parts that are wanted of an arm, and not known.

    Return whether there is such a part.
    """
    found = False
    for spread in range(needed.shape[0]):
        for kin in range(needed.shape[1]):
            needed[spread, kin] = False
        for end in range(wanted.shape[0]):
            if wanted[end, spread] and not known[spread, end]:
                found = True
                for kin in range(needed.shape[1]):
                    needed[spread, kin] |= alike[end, kin] >= 0
    return found


@kernel
def lay_means(
    weights: Floats32,
    sums: Floats32,
    chances: Floats,
    near: Floats,
    family: Ints,
    share: Floats,
    needed: Bools,
    column: Floats,
    by_mean: Floats,
) -> None:
    """Fill in how likely an arm has each mean in each family that is needed, for each spread, to a factor.

    The weights of a block are apart from each other: they are moved together once, into `column`, for all spreads.
    """
    n_spreads, n_groups = near.shape[0], family.size
    for spread in range(n_spreads):
        for kin in range(needed.shape[1]):
            if needed[spread, kin]:
                fill(by_mean[spread, kin], 0.0)
    for group in range(n_groups):
        for block in range(near.shape[1]):
            together = False
            for spread in range(n_spreads):
                part = near[spread, block] * chances[group, block]
                if needed[spread, family[group]] and part > LEAST_PART:  # the largest chance is 1
                    if not together:
                        fill_from(column, weights[group, :, block])
                        together = True
                    add_times(by_mean[spread, family[group]], share[group] * part / sums[group, block], column)


@kernel
def lay_atoms(by_mean: Floats, families: Floats, place: Ints, alike: Ints, together: Floats, atoms: Floats) -> None:
    """Fill in how likely an arm has each of the different means, to a factor, by how likely the families are.

    Those that have the same means are added up first, mean by mean, several of which a processor takes at a time.
    """
    n_families, n_means = by_mean.shape
    fill(atoms, 0.0)
    for first in range(n_families):
        if alike[first] == first:
            fill(together, 0.0)
            for kin in range(first, n_families):
                if alike[kin] == first:
                    add_times(together, families[kin], by_mean[kin])
            for i in range(n_means):
                atoms[place[first, i]] += together[i]


@kernel
def make_shares(atoms: Floats, total: float) -> None:
    """Divide by their sum; an arm that is next to never so may have any mean, since nothing depends on it."""
    if total > 0.0:
        multiply_by_number(atoms, 1.0 / total)
    else:
        fill(atoms, 1.0 / atoms.size)
