"""The asks of a study, and the rewards of some of them, in columns: a hundred thousand are handed over at once."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints
from trueward.live.evidence import Evidence


class Asked(NamedTuple):
    """One ask: the arm that was shown, and what it was chosen from."""

    arm: int
    p: Floats  # (arms,) the probabilities
    available: Bools  # (arms,)


class Ratings(NamedTuple):
    """Asks with their rewards, in the order in which they are learned."""

    numbers: Ints  # of the asks
    arms: Ints
    rewards: Floats  # NaN where it is missing
    p: Floats  # (ratings, arms)
    available: Bools  # (ratings, arms)
    evidence: Mapping[int, Evidence]  # by the number of the ask, if anything came with its reward

    def of_first(self, n_arms: int) -> "Ratings":
        """Return the ratings of the first arms, as if there were no others."""
        if self.p.shape[1] == n_arms:
            return self
        some = self._rows(self.arms < n_arms)
        p, available = some.p[:, :n_arms], some.available[:, :n_arms]
        return some._replace(p=np.ascontiguousarray(p), available=np.ascontiguousarray(available))

    def one_by_one(self) -> "Iterator[Ratings]":
        """Give each rating by itself."""
        return (self._rows(slice(i, i + 1)) for i in range(self.numbers.size))

    def _rows(self, which: Bools | slice) -> "Ratings":
        plain = self.numbers[which], self.arms[which], self.rewards[which]
        return Ratings(*plain, self.p[which], self.available[which], self.evidence)


class Asks:
    """Every ask, in the order of its number; an arm that is added was not available before."""

    def __init__(self, n_arms: int) -> None:
        self._n_arms = n_arms
        self._arms, self._p, self._available = array("q"), array("d"), bytearray()

    def __len__(self) -> int:
        return len(self._arms)

    def __getitem__(self, position: int) -> Asked:
        row = range(len(self))[position]
        cells = slice(row * self._n_arms, (row + 1) * self._n_arms)
        return Asked(self._arms[row], np.array(self._p[cells]), np.array(self._available[cells], np.bool_))

    def __iter__(self) -> Iterator[Asked]:
        return (self[position] for position in range(len(self)))

    def append(self, arm: int, p: Sequence[float], available: Sequence[bool]) -> None:
        """Write down an ask."""
        self._arms.append(arm)
        self._p.extend(p)
        self._available.extend(available)

    def arm_of(self, number: int) -> int:
        """Return the arm that an ask has shown; the first ask is number 1."""
        return self._arms[number - 1]

    def add_arm(self) -> None:
        """Have one arm more, which none of the asks could show."""
        p, available = self._tables()
        none = np.zeros((len(self), 1), np.bool_)
        self._p = array("d", np.hstack([p, none]).tobytes())
        self._available = bytearray(np.hstack([available, none]).tobytes())
        self._n_arms += 1

    def copy(self) -> Self:
        """Return a copy."""
        same = type(self)(self._n_arms)
        same._arms, same._p, same._available = self._arms[:], self._p[:], self._available[:]
        return same

    def columns(self) -> tuple[Ints, Floats, Bools]:
        """Return the arms, the probabilities and what was available, of each ask; `from_columns` takes them again."""
        p, available = self._tables()
        return np.array(self._arms, np.int64), p.copy(), available.copy()

    @classmethod
    def from_columns(cls, arms: Ints, p: Floats, available: Bools) -> Self:
        """Return asks that were handed over as columns."""
        asks = cls(p.shape[1])
        asks._arms, asks._p = array("q", arms.tobytes()), array("d", p.tobytes())
        asks._available = bytearray(available.tobytes())
        return asks

    def rated(self, numbers: Sequence[int], rewards: Sequence[float], evidence: Mapping[int, Evidence]) -> Ratings:
        """Return some asks with their rewards."""
        which, given = np.array(numbers, np.int64), np.array(rewards, np.float64)
        if which.size == 1:  # as is common; to look at all asks takes longer
            arm, p, available = self[numbers[0] - 1]
            return Ratings(which, np.array([arm]), given, p[None], available[None], evidence)
        rows, arms, tables = which - 1, np.asarray(self._arms, np.int64), self._tables()
        return Ratings(which, arms[rows], given, tables[0][rows], tables[1][rows], evidence)

    def _tables(self) -> tuple[Floats, Bools]:
        """Return the probabilities and what was available, (asks, arms); not to be kept, as no ask could be added."""
        shape = len(self), self._n_arms
        available = np.asarray(self._available, np.uint8).view(np.bool_)
        return np.asarray(self._p, np.float64).reshape(shape), available.reshape(shape)
