"""What policies share that weigh the cells of a grid of laws: draws, posteriors, and tables that nobody writes to."""

import numpy as np

from trueward.engine.kernel import Floats, kernel
from trueward.statistics.best_arm import highest_atom_probabilities


@kernel
def draw_cell(cumulative: Floats, rng: np.random.Generator) -> int:
    """Return a cell, drawn by its part of the cumulative weights."""
    last = cumulative.size - 1
    level = rng.random() * cumulative[last]
    return min(int(np.searchsorted(cumulative, level, side="right")), last)


def weights_of(cumulative: Floats) -> Floats:
    """Return the weights of the cells, (arms, cells), of which these are the sums."""
    return np.asarray(np.diff(cumulative, axis=1, prepend=0.0) / cumulative[:, -1:])


def highest_mean_probabilities(weights: Floats, means: Floats) -> Floats:
    """Return the probability that each arm's drawn cell has the highest mean, ties shared evenly."""
    values, place = np.unique(means, return_inverse=True)
    return highest_atom_probabilities(np.array([np.bincount(place, w, values.size) for w in weights]))


def constant(table: Floats) -> Floats:
    """Return a table that nobody may write to, so that nobody need copy it."""
    table.flags.writeable = False
    return table
