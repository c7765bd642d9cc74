"""The means that an arm can have: those of the model, moved by the honest heap of each group."""

import functools
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.policies.wary_thompson.rating_model import RatingModel


class Grid(NamedTuple):
    """The different means of all groups, in increasing order, as places on the scale from 0 to 1."""

    values: Floats
    low: Floats  # from where a value stands for all between: half-way to the next, or to the end
    high: Floats  # up to where
    place: Ints  # (groups, means) which of the values a group's mean is


def grid_of(model: RatingModel) -> Grid:
    """Return the means that an arm can have."""
    return _grid(model.means.tobytes(), model.stretch.tobytes(), model.shift.tobytes())


@functools.lru_cache(maxsize=8)
def _grid(*tables: bytes) -> Grid:
    means, stretch, shift = map(np.frombuffer, tables)
    edges = np.concatenate([[0.0], (means[1:] + means[:-1]) / 2.0, [1.0]])
    moved = [stretch[:, None] * points + shift[:, None] for points in (means, edges[:-1], edges[1:])]
    values, first, place = np.unique(moved[0], return_index=True, return_inverse=True)
    return Grid(values, moved[1].ravel()[first], moved[2].ravel()[first], place.reshape(stretch.size, means.size))
