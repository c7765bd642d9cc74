"""What was logged: the context of each round, the arm that was played, and the reward that came.

>>> history = History(contexts=[[1, 0], [0, 1], [1, 1]], arms=[0, 1, 0], rewards=[0.5, 0.2, 0.9])
>>> len(history), history.n_arms, history.dimension
(3, 2, 2)
>>> history.rows(0).tolist()
[0, 2]
"""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_interval, check_number

LARGEST = 1e100  # of a context, a reward or a margin: squares of them are added up


@dataclass(frozen=True, eq=False, kw_only=True)
class History:
    """Contexts (rounds, dimension), arms and rewards (rounds,); `n_arms` if the last arms were never played."""

    example: ClassVar[str] = "History(contexts=[[1, 0], [0, 1]], arms=[0, 1], rewards=[0.5, 0.2])"

    contexts: Floats = field(repr=False)
    arms: Ints = field(repr=False)
    rewards: Floats = field(repr=False)
    n_arms: int = 0

    def __post_init__(self) -> None:
        contexts, arms, rewards = checked_contexts(self.contexts), np.asarray(self.arms), _rewards(self.rewards)
        if arms.ndim != 1 or not np.issubdtype(arms.dtype, np.integer):
            raise ParameterError(f"arms must be a list of whole numbers, got {self.arms!r}")
        if not len(contexts) == arms.size == rewards.size:
            raise ParameterError(
                f"contexts, arms and rewards must be as many, got {len(contexts)}, {arms.size} and {rewards.size}"
            )
        if arms.min() < 0:
            raise ParameterError(f"arms must be at least 0, got {arms.min()}")
        count = check_integer("n_arms", self.n_arms) or int(arms.max()) + 1
        if arms.max() >= count:
            raise ParameterError(f"n_arms must be more than the highest arm, {arms.max()}, got {count}")
        for name, value in (("contexts", contexts), ("arms", arms.astype(np.int64)), ("rewards", rewards)):
            value.flags.writeable = False
            object.__setattr__(self, name, value)
        object.__setattr__(self, "n_arms", count)

    def __len__(self) -> int:
        return int(self.arms.size)

    @property
    def dimension(self) -> int:
        """The number of features of a context."""
        return int(self.contexts.shape[1])

    def rows(self, arm: int) -> Ints:
        """Return the rounds in which an arm was played."""
        return np.flatnonzero(self.arms == arm)

    def with_rewards(self, rewards: ArrayLike) -> "History":
        """Return the same rounds with other rewards."""
        return replace(self, rewards=np.array(rewards, dtype=np.float64))

    def with_careless(self, share: float, *, range: tuple[float, float], seed: int = 0) -> "History":
        """Return a history in which a share of all rewards, any of them, is anything in a range."""
        low, high = check_interval("range", range)
        check_number("share", share, at_least=0, at_most=1)
        rng = np.random.default_rng(seed)
        careless = rng.permutation(len(self)) < round(share * len(self))
        return self.with_rewards(np.where(careless, rng.uniform(low, high, len(self)), self.rewards))


def checked_contexts(value: ArrayLike) -> Floats:
    """Return contexts as rows of finite numbers; a single one is a row."""
    return np.atleast_2d(_numbers("contexts", value, most=2))


def checked_context(value: ArrayLike, dimension: int) -> Floats:
    """Return a single context, of as many features as there are."""
    context = _numbers("context", value, most=1)
    if context.shape != (dimension,):
        raise ParameterError(f"context must be a list of {dimension} numbers, got {value!r}")
    return context


def _rewards(value: ArrayLike) -> Floats:
    return np.atleast_1d(_numbers("rewards", value, most=1))


def _numbers(name: str, value: ArrayLike, *, most: int) -> Floats:
    """Return a copy of an array of numbers that can be squared and added up, with at most so many axes."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers, got {value!r}") from None
    if numbers.ndim > most or numbers.size == 0:
        raise ParameterError(f"{name} must be a non-empty list of {'rows' if most == 2 else 'numbers'}, got {value!r}")
    if not (np.abs(numbers) <= LARGEST).all():
        bad = numbers[~(np.abs(numbers) <= LARGEST)][0]
        raise ParameterError(f"{name} must be from {-LARGEST:g} to {LARGEST:g}, got {bad:g}")
    return numbers
