"""Ratings that people gave, as counts, and groups of arms made from them. The sources are in README.md."""

import csv
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from trueward.arms.categorical import CategoricalArms
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_one_of

SOURCES = ("lecturers", "items")
MIN_LEAD = 0.02  # minimum lead of the best arm over the second, as a share of the scale's width
MAX_ATTEMPTS = 1000  # for each group


class Ratings(NamedTuple):
    """How often people gave each rating to each arm.

    Parameters
    ----------
    names : tuple of str
        Names of the arms.
    values : ndarray, shape (values,)
        Values of the rating scale.
    counts : ndarray, shape (arms, values)
        How often each arm received each rating.

    Examples
    --------
    >>> import trueward as tw
    >>> table = tw.ratings("items")
    >>> table.names[:3], table.counts.shape
    (('A1', 'A3', 'A4'), (12, 6))

    References
    ----------
    See src/trueward/arms/ratings/README.md for the sources.
    """

    names: tuple[str, ...]
    values: Floats
    counts: Ints


def ratings(source: str) -> Ratings:
    """Return the counts of ratings that people gave.

    Parameters
    ----------
    source : {"lecturers", "items"}
        Ratings of 72 university lecturers from 1 to 5, or of 12 items of a questionnaire from 1 to 6.

    Examples
    --------
    >>> import trueward as tw
    >>> tw.ratings("lecturers").values
    array([1., 2., 3., 4., 5.])

    References
    ----------
    "lecturers" is `InstEval` of the R package lme4: Bates, Mächler, Bolker & Walker (2015). "items" is `bfi` of the R
    package psychTools: Revelle (2025). See src/trueward/arms/ratings/README.md.
    """
    check_one_of("source", source, SOURCES)
    with (files(__name__) / f"{source}.csv").open(encoding="utf-8") as file:
        (_, *header), *rows = csv.reader(file)
    values = np.array([float(column.removeprefix("r")) for column in header])
    return Ratings(tuple(row[0] for row in rows), values, np.array([row[1:] for row in rows]).astype(np.int64))


def rating_groups(source: str, n_groups: int = 12, *, size: int = 5, seed: int = 0) -> list[CategoricalArms]:
    """Return `n_groups` different groups of arms in which the best arm leads by at least 2 % of the width of the scale.

    The groups are drawn at random, one after the other: a larger `n_groups` begins with the same groups.

    Parameters
    ----------
    source : {"lecturers", "items"}
        Where the ratings come from; see `ratings`.
    n_groups : int, optional
        Number of groups. Default: 12.
    size : int, optional
        Number of arms in a group, at least 2. Default: 5.
    seed : int, optional
        Seed of the random draw. Default: 0.

    Examples
    --------
    >>> import trueward as tw
    >>> tw.rating_groups("lecturers", 1)[0].means.round(2)
    array([3.41, 3.47, 3.54, 3.12, 3.88])

    References
    ----------
    See `ratings` for the sources; the grouping is new in trueward.
    """
    table, rng = ratings(source), np.random.default_rng(check_integer("seed", seed))
    if check_integer("size", size, at_least=2) > len(table.names):
        raise ParameterError(f"size must be at most {len(table.names)}, the number of {source}, got {size}")
    groups: dict[frozenset[int], CategoricalArms] = {}
    for _ in range(MAX_ATTEMPTS * check_integer("n_groups", n_groups, at_least=1)):
        group = rng.choice(len(table.names), size, replace=False)
        arms = CategoricalArms(values=table.values, counts=table.counts[group])
        if np.sort(arms.gaps)[1] >= MIN_LEAD * np.ptp(table.values):
            groups.setdefault(frozenset(group.tolist()), arms)
        if len(groups) == n_groups:
            return list(groups.values())
    raise ParameterError(
        f"n_groups must be at most {len(groups)}, the number of suitable groups of {size} {source}, got {n_groups}"
    )
