"""Logged data of a contextual bandit: the context of each round, the arm that was played, and its reward."""

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_interval, check_number

LARGEST = 1e100  # of a context, a reward or a margin: sums of their squares must be finite


@dataclass(frozen=True, eq=False, kw_only=True)
class ContextualLog:
    """Logged rounds of a contextual bandit: contexts, arms and rewards.

    Parameters
    ----------
    contexts : array_like, (rounds, dimension)
        Context of each round.
    arms : array_like of int, (rounds,)
        Arm played in each round.
    rewards : array_like, (rounds,)
        Reward observed in each round.
    n_arms : int
        Number of arms K. Default: the highest arm in the log plus 1; needed if the last arms were never played.

    Examples
    --------
    >>> log = ContextualLog(contexts=[[1, 0], [0, 1], [1, 1]], arms=[0, 1, 0], rewards=[0.5, 0.2, 0.9])
    >>> len(log), log.n_arms, log.dimension
    (3, 2, 2)
    >>> log.rounds_of(0).tolist()
    [0, 2]

    References
    ----------
    Ma, Jun, Li & Zhu (2018), Data poisoning attacks in contextual bandits.
    """

    example: ClassVar[str] = "ContextualLog(contexts=[[1, 0], [0, 1]], arms=[0, 1], rewards=[0.5, 0.2])"

    contexts: Floats = field(repr=False)
    arms: Ints = field(repr=False)
    rewards: Floats = field(repr=False)
    n_arms: int = 0

    def __post_init__(self) -> None:
        contexts, arms, rewards = check_contexts(self.contexts), np.asarray(self.arms), _check_rewards(self.rewards)
        if arms.ndim != 1 or not np.issubdtype(arms.dtype, np.integer):
            raise ParameterError(f"arms must be a list of whole numbers, got {self.arms!r}")
        if not len(contexts) == arms.size == rewards.size:
            raise ParameterError(
                "contexts, arms and rewards must have the same length, "
                f"got {len(contexts)}, {arms.size} and {rewards.size}"
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

    def rounds_of(self, arm: int) -> Ints:
        """Return the rounds in which an arm was played, counted from 0."""
        return np.flatnonzero(self.arms == arm)

    def with_rewards(self, rewards: ArrayLike) -> "ContextualLog":
        """Return the same rounds with other rewards."""
        return replace(self, rewards=np.array(rewards, dtype=np.float64))

    def with_careless_rewards(self, share: float, *, range: tuple[float, float], seed: int = 0) -> "ContextualLog":
        """Return a log in which a random share of the rewards is replaced by uniform values of a range."""
        low, high = check_interval("range", range)
        check_number("share", share, at_least=0, at_most=1)
        rng = np.random.default_rng(seed)
        careless = rng.permutation(len(self)) < round(share * len(self))
        return self.with_rewards(np.where(careless, rng.uniform(low, high, len(self)), self.rewards))


def check_contexts(value: ArrayLike) -> Floats:
    """Return contexts as rows of finite numbers; a single context becomes one row."""
    return np.atleast_2d(_check_numbers("contexts", value, max_ndim=2))


def check_context(value: ArrayLike, dimension: int) -> Floats:
    """Return a single context with this number of features."""
    context = _check_numbers("context", value, max_ndim=1)
    if context.shape != (dimension,):
        raise ParameterError(f"context must be a list of {dimension} numbers, got {value!r}")
    return context


def _check_rewards(value: ArrayLike) -> Floats:
    return np.atleast_1d(_check_numbers("rewards", value, max_ndim=1))


def _check_numbers(name: str, value: ArrayLike, *, max_ndim: int) -> Floats:
    """Return a copy as an array of numbers whose squares can be summed."""
    try:
        numbers = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be numbers, got {value!r}") from None
    if numbers.ndim > max_ndim or numbers.size == 0:
        items = "rows" if max_ndim == 2 else "numbers"
        raise ParameterError(f"{name} must be a non-empty list of {items}, got {value!r}")
    if not (np.abs(numbers) <= LARGEST).all():
        bad = numbers[~(np.abs(numbers) <= LARGEST)][0]
        raise ParameterError(f"{name} must be from {-LARGEST:g} to {LARGEST:g}, got {bad:g}")
    return numbers
