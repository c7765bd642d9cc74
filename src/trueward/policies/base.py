"""What every policy offers: a state to play with, and looks into it that change nothing."""

import copy
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Self, cast

import numpy as np

from trueward.engine.kernel import Floats, Ints, State, generic, kernel
from trueward.errors import ParameterError, TruewardError
from trueward.estimators import Estimator, Mean
from trueward.estimators.memories import on_scale


@generic
def distribute(state: State, t: int) -> None:
    """Fill `state.p` with the probabilities of the arms in round t."""


@kernel
def credit_sleepers(sums: Floats, p: Floats, amount: float) -> None:
    """Give arms that were not available what the policy itself got, as if they had followed it.

    Importance-weighted sums run over all rounds; without this, an arm would gain or lose by its absence alone.
    Reference: Freund, Schapire, Singer & Warmuth (1997), Using and combining predictors that specialize.
    """
    for arm in range(p.size):
        if p[arm] == 0.0:
            sums[arm] += amount


class Policy(ABC):
    """A rule that chooses an arm in each round and learns from the reward it sees.

    Every array in a policy's state has one entry per arm along its first axis, or a single entry.
    """

    @abstractmethod
    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> State:
        """Return a fresh state, for up to `capacity` rewards of each arm."""

    @abstractmethod
    def estimates(self, state: State) -> Floats:
        """Return the mean it believes of each arm, in units of the reward; NaN for an arm not yet pulled."""

    @abstractmethod
    def probabilities(self, state: State, t: int) -> Floats:
        """Return the probability of each arm in round t."""

    def indices(self, state: State, t: int) -> Floats:  # noqa: ARG002 - for policies that have one
        """Return the index of each arm in round t; the highest is played."""
        raise TruewardError(f"{type(self).__name__} has no index; ask for its probabilities")

    def why_aside(self, state: State, arm: int, ratings: Sequence[float]) -> list[str]:  # noqa: ARG002 - as the estimator says
        """Return, for each of an arm's ratings in the order told, why it does not count, or an empty string."""
        return cast(Estimator, getattr(self, "estimator", Mean())).why_trimmed(ratings)

    def account(self, state: State, arms: Sequence[str | int]) -> list[str]:  # noqa: ARG002 - for policies that have more
        """Return what it believes beside the estimates, in sentences; `arms` are their names."""
        return []

    def on_scale(self, scale: Floats) -> Self:
        """Return the same policy for rewards known to lie on a scale: an estimator that can, counts them."""
        estimator = getattr(self, "estimator", None)
        if not isinstance(estimator, Estimator):
            return self
        return cast(Self, replace(cast(Any, self), estimator=on_scale(estimator, scale)))

    @property
    def needs_horizon(self) -> bool:
        """Whether it can be played only when the number of rounds is known."""
        return False

    @property
    def interpreted_only(self) -> bool:
        """Whether it is plain Python that cannot be compiled."""
        return False

    def known_horizon(self, horizon: int | None) -> int:
        """Return the horizon, or say that it is needed."""
        if horizon is None:
            raise ParameterError(f"{type(self).__name__} needs a horizon, the number of rounds; got None")
        return horizon


class CountingPolicy(Policy):
    """A policy that itself counts rewards, once it knows the scale on which they lie."""

    known_scale: Floats = np.zeros(0)

    def on_scale(self, scale: Floats) -> Self:
        """Return the same policy for rewards known to lie on a scale."""
        known = copy.copy(self)
        vars(known)["known_scale"] = scale  # not a parameter, and so not a field
        return known


class SamplingPolicy(Policy):
    """A policy that draws its arm from probabilities, which it knows: its state has them as `p`."""

    def probabilities(self, state: State, t: int) -> Floats:
        """Return the probability of each arm in round t."""
        copy = restrict(state, np.arange(state.p.size))
        distribute(copy, t)
        return np.asarray(copy.p)


def restrict(state: State, arms: Ints) -> State:
    """Return a copy of a state in which only some arms exist: the policy chooses as if there were no others."""
    n_arms = max(array.shape[0] for array in arrays_of(state))

    def cut(field: Any) -> Any:
        if hasattr(field, "_fields"):
            return type(field)(*map(cut, field))
        if isinstance(field, np.ndarray) and field.flags.writeable:
            return field[arms] if field.shape[0] == n_arms else field.copy()
        return field  # a number, or a table that nobody writes to

    return cut(state)


def arrays_of(state: State) -> Iterator[Any]:
    """Give every array of a state, nested states included, but for tables that nobody may write to."""
    for field in state:
        if hasattr(field, "_fields"):
            yield from arrays_of(field)
        elif isinstance(field, np.ndarray) and field.flags.writeable:
            yield field
