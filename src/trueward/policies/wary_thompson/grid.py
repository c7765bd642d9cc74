"""The means that an arm can have: those of the model, moved by the honest heap of each group.

Groups that have the same means, and of which each is as much likelier than another in all parts of the model, are a
*family*: what an arm may draw is laid out by families, of which there are half as many.
"""

import functools
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.policies.wary_thompson.rating_model import RatingModel

DIGITS = 12  # to which the same likelihoods agree


class Grid(NamedTuple):
    """The different means of all groups, in increasing order, as places on the scale from 0 to 1."""

    values: Floats
    low: Floats  # from where a value stands for all between: half-way to the next, or to the end
    high: Floats  # up to where
    place: Ints  # (groups, means) which of the values a group's mean is
    family: Ints  # (groups,) to which a group belongs
    share: Floats  # (groups,) how likely a group is in its family, to a factor
    families: Floats  # (parts, families) how likely a family is in a part of the model, to that factor
    place_by_part: Ints  # (parts, families, means) which value a mean is, among those of the families in a part
    sizes: Ints  # (parts,) how many values those are
    alike: Ints  # (parts, families) the first family in a part with the same means; -1 for those that are not in it


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
    likely = groups.reshape(-1, stretch.size)
    share = likely.max(axis=0)
    shapes = np.round(np.vstack([place.T, likely / share]), DIGITS)
    _, chosen, family = np.unique(shapes, axis=1, return_index=True, return_inverse=True)
    families, places = likely[:, chosen] / share[chosen], place[chosen]
    used = families > 0.0
    by_part = np.array([np.searchsorted(np.unique(places[there]), places) for there in used])
    sizes = np.array([np.unique(places[there]).size for there in used])
    same = (places[:, None, :] == places[None, :, :]).all(axis=2)  # (families, families)
    alike = np.array([np.where(there, (same & there).argmax(axis=1), -1) for there in used])
    ends = moved[1].ravel()[first], moved[2].ravel()[first]
    return Grid(values, *ends, place, family.ravel(), share, families, by_part, sizes, alike)
