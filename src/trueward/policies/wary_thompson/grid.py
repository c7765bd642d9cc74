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
    place_by_ends: Ints  # (ends, groups, means) the same, among the values of the groups that there are with these ends
    sizes: Ints  # (ends,) how many values those are
    alike: (
        Ints  # (ends, groups) the first group with the same means, of those that there are; -1 for those that are not
    )


def grid_of(model: RatingModel) -> Grid:
    """Return the means that an arm can have."""
    tables = model.means, model.stretch, model.shift, model.groups.ravel()
    return _grid(*(table.tobytes() for table in tables))


@functools.lru_cache(maxsize=8)
def _grid(*tables: bytes) -> Grid:
    means, stretch, shift, groups = map(np.frombuffer, tables)
    edges = np.concatenate([[0.0], (means[1:] + means[:-1]) / 2.0, [1.0]])
    moved = [stretch[:, None] * points + shift[:, None] for points in (means, edges[:-1], edges[1:])]
    values, first, place = np.unique(moved[0], return_index=True, return_inverse=True)
    place = place.reshape(stretch.size, means.size)
    used = groups.reshape(-1, stretch.size) > 0.0
    by_ends = np.array([np.searchsorted(np.unique(place[groups]), place) for groups in used])
    sizes = np.array([np.unique(place[groups]).size for groups in used])
    same = (place[:, None, :] == place[None, :, :]).all(axis=2)  # (groups, groups)
    alike = np.array([np.where(groups, (same & groups).argmax(axis=1), -1) for groups in used])
    return Grid(values, moved[1].ravel()[first], moved[2].ravel()[first], place, by_ends, sizes, alike)
