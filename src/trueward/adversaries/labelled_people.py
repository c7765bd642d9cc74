"""People of whom it is known whether they paid attention: their ratings, as arms and as careless participants."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Self

import numpy as np

from trueward.adversaries.careless_ratings import CarelessRatings
from trueward.arms.categorical import CategoricalArms
from trueward.arms.ratings import MIN_LEAD
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_one_of

ATTENTIVE, CARELESS = "attentive", "careless"
MAX_ATTEMPTS = 2000  # to draw groups
SOURCES = {
    "symptoms_0_3": (
        "Zorowitz, Solis, Niv & Bennett (2023), Inattentive responding can induce spurious associations between task "
        "behaviour and symptom measures, Nature Human Behaviour 7; github.com/nivlab/sciops, 01_Original/data",
        "MIT, Copyright (c) 2020 Niv Lab",
    ),
    "video_quality": (
        "Netflix Public Dataset: Li & Bampis (2017), Recover subjective quality scores from noisy measurements, Data "
        "Compression Conference; github.com/Netflix/vmaf, resource/dataset/NFLX_dataset_public_raw_last4outliers.py",
        "BSD-2-Clause-Patent (until 2020 Apache-2.0), Copyright 2016-2020 Netflix, Inc.",
    ),
}
SOURCES["symptoms_0_4"] = SOURCES["symptoms_0_3"]


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledPeople:
    """Ratings by people who paid attention and by people who did not, as counts for each arm.

    The researchers built in what tells them apart, such as an item that every reader answers in the same way. The truth
    about an arm is the mean of the attentive people's ratings.

    Parameters
    ----------
    names : tuple of str
        Names of the arms.
    values : ndarray, shape (values,)
        Values of the rating scale.
    attentive, careless : ndarray, shape (arms, values)
        How often attentive and careless people gave each rating to each arm.
    source : str, optional
        Who collected the ratings, and where they are published.
    licence : str, optional
        The terms under which they are published.

    Examples
    --------
    >>> import trueward as tw
    >>> people = tw.labelled_people("symptoms_0_3")
    >>> arms, careless = people.arms([0, 1, 2]), people.careless_people([0, 1, 2])
    >>> arms.means.round(2)  # of attentive people
    array([0.4 , 0.64, 0.51])
    >>> people.shown_arms([0, 1, 2]).means.round(2)  # of everybody
    array([0.6 , 0.84, 0.73])

    References
    ----------
    See `labelled_people` for the sources.
    """

    names: tuple[str, ...]
    values: Floats
    attentive: Ints
    careless: Ints
    source: str = ""
    licence: str = ""

    @classmethod
    def from_csv(cls, path: str | Path, *, source: str = "", licence: str = "") -> Self:
        """Return the people of a CSV file; arms that only attentive or only careless people rated are left out.

        The file has a header `arm,people,1,2,3,…` with the values of the scale, and two rows per arm: the counts of
        `attentive` and of `careless` people. Or it has one row per arm and one column per rater, and the careless
        raters are the columns whose names begin with `careless` or `outlier`.
        """
        with Path(path).open(encoding="utf-8", newline="") as file:
            header, *rows = list(csv.reader(file))
        try:
            values, counts = _read_counts(header, rows) if header[1] == "people" else _read_raters(header, rows)
        except (IndexError, KeyError, ValueError) as error:
            raise ParameterError(f"{path} must have counts of attentive and careless people, got {error!r}") from None
        rated = {name: pair for name, pair in counts.items() if pair.sum(axis=1).all()}
        if not rated:
            raise ParameterError(f"{path} must have arms that attentive and careless people rated, got none")
        attentive, careless = np.stack(list(rated.values()), axis=1)
        return cls(
            names=tuple(rated), values=values, attentive=attentive, careless=careless, source=source, licence=licence
        )

    @cached_property
    def share(self) -> float:
        """The share of careless people's ratings."""
        careless, attentive = int(self.careless.sum()), int(self.attentive.sum())
        return careless / (careless + attentive)

    def arms(self, items: Sequence[int] | Ints | None = None) -> CategoricalArms:
        """Return the arms with these indices (default: all) as attentive people rate them."""
        return CategoricalArms(values=self.values, counts=self.attentive[self._indices(items)])

    def careless_people(self, items: Sequence[int] | Ints | None = None) -> CarelessRatings:
        """Return the careless people of this source, in their own share, as an adversary on the same arms."""
        return CarelessRatings(self.share, counts=self.careless[self._indices(items)].tolist())

    def shown_arms(self, items: Sequence[int] | Ints | None = None) -> CategoricalArms:
        """Return the arms as everybody rates them, careless people included in their own share."""
        indices = self._indices(items)
        good, bad = (counts[indices] / counts[indices].sum(axis=1, keepdims=True) for counts in self._both)
        return CategoricalArms(values=self.values, probabilities=(1 - self.share) * good + self.share * bad)

    def groups(self, n_groups: int = 6, *, size: int = 5, seed: int = 0) -> list[Ints]:
        """Return groups of arms drawn at random in which the best arm leads by at least 2 % of the scale's width.

        There are fewer than `n_groups` where 2,000 draws give fewer.
        """
        check_integer("n_groups", n_groups, at_least=1)
        if check_integer("size", size, at_least=2) > len(self.names):
            raise ParameterError(f"size must be at most {len(self.names)}, the number of arms, got {size}")
        rng, groups = np.random.default_rng(check_integer("seed", seed)), list[Ints]()
        for _ in range(MAX_ATTEMPTS):
            group = rng.choice(len(self.names), size, replace=False)
            if np.sort(self.arms(group).gaps)[1] >= MIN_LEAD * np.ptp(self.values):
                groups.append(group)
            if len(groups) == n_groups:
                break
        return groups

    @property
    def _both(self) -> tuple[Ints, Ints]:
        return self.attentive, self.careless

    def _indices(self, items: Sequence[int] | Ints | None) -> Ints:
        return np.arange(len(self.names)) if items is None else np.asarray(items, dtype=np.int64)


def labelled_people(source: str) -> LabelledPeople:
    """Return the ratings of people of whom it is known whether they paid attention.

    Parameters
    ----------
    source : {"symptoms_0_3", "symptoms_0_4", "video_quality"}
        34 items of psychiatric questionnaires answered from 0 to 3, or 15 answered from 0 to 4, by 386 people, 85 of
        whom failed an infrequency item; or 79 video clips rated from 1 to 5 by 30 people, of whom 4 have scores that
        the publishers call scrambled: these four are broken data rather than careless people.

    Examples
    --------
    >>> import trueward as tw
    >>> people = tw.labelled_people("symptoms_0_4")
    >>> len(people.names), round(people.share, 2), people.licence
    (15, 0.22, 'MIT, Copyright (c) 2020 Niv Lab')

    References
    ----------
    Zorowitz, Solis, Niv & Bennett (2023); Li & Bampis (2017). See src/trueward/arms/ratings/README.md.
    """
    check_one_of("source", source, LABELLED_SOURCES)
    path = Path(str(files("trueward.arms.ratings"))) / "labelled" / f"{source}.csv"
    citation, licence = SOURCES[source]
    return LabelledPeople.from_csv(path, source=citation, licence=licence)


LABELLED_SOURCES = tuple(sorted(SOURCES))


def _read_counts(header: list[str], rows: list[list[str]]) -> tuple[Floats, dict[str, Ints]]:
    found: dict[str, dict[str, list[int]]] = {}
    for name, people, *counts in rows:
        found.setdefault(name, {})[people] = [int(count) for count in counts]
    values = np.array([float(value) for value in header[2:]])
    none = [0] * values.size
    return values, {n: np.array([f.get(ATTENTIVE, none), f.get(CARELESS, none)]) for n, f in found.items()}


def _read_raters(header: list[str], rows: list[list[str]]) -> tuple[Floats, dict[str, Ints]]:
    careless = np.array([name.startswith((CARELESS, "outlier")) for name in header[1:]])
    table = {name: np.array([float(rating or "nan") for rating in ratings]) for name, *ratings in rows}
    every = np.concatenate(list(table.values()))
    values = np.arange(np.nanmin(every), np.nanmax(every) + 1)
    return values, {
        name: np.array([(ratings[who, None] == values).sum(axis=0) for who in (~careless, careless)])
        for name, ratings in table.items()
    }
