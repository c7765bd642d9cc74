"""The asks of a study, and the rewards of some of them, in columns: a hundred thousand are handed over at once."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Bools, Floats, Ints
from trueward.live.evidence import Evidence

Kind = TypeVar("Kind", bound=np.generic)
ROOM = 256  # asks, at first


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

    def _rows(self, which: Bools | slice) -> "Ratings":
        plain = self.numbers[which], self.arms[which], self.rewards[which]
        return Ratings(*plain, self.p[which], self.available[which], self.evidence)


class Asks:
    """Every ask, in the order of its number; an arm that is added was not available before.

    A column is an array with room for more asks, which is doubled when it is full. What is in it never changes.
    """

    def __init__(self, n_arms: int) -> None:
        self._count = 0
        self._take(np.empty(ROOM, np.int64), np.empty((ROOM, n_arms)), np.empty((ROOM, n_arms), np.bool_))

    def _take(self, arms: Ints, p: Floats, available: Bools) -> None:
        self._arms, self._p, self._available = arms, p, available

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, position: int) -> Asked:
        row = range(self._count)[position]
        return Asked(self._arms.item(row), self._p[row].copy(), self._available[row].copy())

    def __iter__(self) -> Iterator[Asked]:
        return (self[position] for position in range(len(self)))

    def append(self, asked: Asked) -> int:
        """Write down an ask, and return its number."""
        row = self._count
        if row == self._arms.size:
            self._take(_doubled(self._arms), _doubled(self._p), _doubled(self._available))
        self._arms[row], self._p[row], self._available[row] = asked
        self._count = number = row + 1
        return number

    def arm_of(self, number: int) -> int:
        """Return the arm that an ask has shown; the first ask is number 1."""
        return self._arms.item(number - 1)

    def add_arm(self) -> None:
        """Have one arm more, which none of the asks could show."""
        none = np.zeros((self._arms.size, 1), np.bool_)
        self._take(self._arms, np.hstack([self._p, none]), np.hstack([self._available, none]))

    def copy(self) -> Self:
        """Return a copy."""
        return self.from_columns(*self.columns())

    def columns(self) -> tuple[Ints, Floats, Bools]:
        """Return the arms, the probabilities and what was available, of each ask; `from_columns` takes them again."""
        asked = slice(self._count)
        return self._arms[asked].copy(), self._p[asked].copy(), self._available[asked].copy()

    @classmethod
    def from_columns(cls, arms: Ints, p: Floats, available: Bools) -> Self:
        """Return asks that were handed over as columns."""
        asks = cls(p.shape[1])
        if arms.size:
            asks._count = arms.size
            asks._take(arms, p, available)
        return asks

    def rated(self, numbers: Sequence[int], rewards: Sequence[float], evidence: Mapping[int, Evidence]) -> Ratings:
        """Return some asks with their rewards."""
        which, given = np.array(numbers, np.int64), np.array(rewards, np.float64)
        rows = slice(numbers[0] - 1, numbers[0]) if len(numbers) == 1 else which - 1  # no copy of one, as is common
        return Ratings(which, self._arms[rows], given, self._p[rows], self._available[rows], evidence)


def _doubled(column: NDArray[Kind]) -> NDArray[Kind]:
    return np.concatenate([column, np.empty_like(column)])
