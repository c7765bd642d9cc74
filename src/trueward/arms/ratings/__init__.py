"""Ratings that people really gave: counts in tables, and groups of arms from them. Sources are in the README beside.

>>> ratings("items").names[:3]
('A1', 'A3', 'A4')
>>> rating_groups("lecturers", 1)[0].means.round(2)
array([3.41, 3.47, 3.54, 3.12, 3.88])
"""

import csv
from importlib.resources import files
from typing import NamedTuple

import numpy as np

from trueward.arms.categorical import CategoricalArms
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_one_of

SOURCES = ("lecturers", "items")
AHEAD = 0.02  # by which the best of a group leads, as a share of the width of the scale
TRIES = 1000  # for each group


class Ratings(NamedTuple):
    """How often each rating was given."""

    names: tuple[str, ...]  # of the arms
    values: Floats  # (values,) the scale
    counts: Ints  # (arms, values)


def ratings(source: str) -> Ratings:
    """Return the ratings of 72 university lecturers, from 1 to 5, or of 12 items of a questionnaire, from 1 to 6."""
    check_one_of("source", source, SOURCES)
    with (files(__name__) / f"{source}.csv").open(encoding="utf-8") as file:
        (_, *heads), *rows = csv.reader(file)
    values = np.array([float(head.removeprefix("r")) for head in heads])
    return Ratings(tuple(row[0] for row in rows), values, np.array([row[1:] for row in rows]).astype(np.int64))


def rating_groups(source: str, n: int = 12, *, size: int = 5, seed: int = 0) -> list[CategoricalArms]:
    """Return `n` different groups of arms, in each of which the best is ahead by 2 % of the width of the scale.

    The first groups of many are those of few.
    """
    table, rng = ratings(source), np.random.default_rng(check_integer("seed", seed))
    if check_integer("size", size, at_least=2) > len(table.names):
        raise ParameterError(f"size must be at most {len(table.names)}, of {source} in all, got {size}")
    found: dict[frozenset[int], CategoricalArms] = {}
    for _ in range(TRIES * check_integer("n", n, at_least=1)):
        group = rng.choice(len(table.names), size, replace=False)
        arms = CategoricalArms(values=table.values, counts=table.counts[group])
        if np.sort(arms.gaps)[1] >= AHEAD * np.ptp(table.values):
            found.setdefault(frozenset(group.tolist()), arms)
        if len(found) == n:
            return list(found.values())
    raise ParameterError(f"n must be at most {len(found)}, the groups of {size} {source} that were found, got {n}")
