"""What a policy has learned in a live study: a function of the rewards that count, in the order in which they came.

Each ask and each reward has random numbers of its own, and to ask is not to learn. So learning anew from the rewards
that are left gives, bit for bit, the state as if the others had never come.
"""

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.kernel import Bools, Floats, State
from trueward.engine.protocol import Ask, Observation, choose, update, update_missing
from trueward.engine.states import arrays_of, copy_of, grow
from trueward.live.asks import Asked, Ratings
from trueward.live.evidence import in_columns
from trueward.live.streams import Streams
from trueward.policies.declared_range import declared_ranges
from trueward.policies.policy import Policy

ASK, TELL = range(2)  # the roles of a number's random streams
FIRST_CAPACITY = 512  # rewards per arm; doubled when an arm has more, which takes as long as some ten asks


class Learner:
    """A policy's state, and the random numbers of every ask and every reward."""

    def __init__(self, policy: Policy, n_arms: int, *, seed: int, horizon: int | None) -> None:
        self.policy = policy
        self.stream = Streams(seed).stream  # the random numbers of an ask, or of its reward
        self.horizon = horizon
        self.signals = tuple(signal.name for signal in policy.signals)
        self._forget(n_arms)
        self.ranges = tuple(declared_ranges(self.state))  # that the policy declares

    def learn_anew(self, n_arms: int, ratings: Ratings) -> None:
        """Forget everything, and learn these ratings in order."""
        self._forget(n_arms)
        self.learn(ratings)

    def _forget(self, n_arms: int) -> None:
        self._capacity = FIRST_CAPACITY
        self._pulls = [0] * n_arms  # ratings of each arm
        self._even = np.ones(n_arms) / n_arms
        self.state = self.empty_state(n_arms)

    def learn(self, ratings: Ratings) -> None:
        """Learn the rewards of asks, in order. A reward that is NaN is missing."""
        numbers, arms, rewards = ratings.numbers.tolist(), ratings.arms.tolist(), ratings.rewards.tolist()
        self._make_room(arms)
        evidence = in_columns(ratings.numbers, ratings.evidence, self.signals)
        rows = zip(numbers, arms, rewards, ratings.p, ratings.available, evidence, strict=True)
        for seen in itertools.starmap(Observation, rows):
            learn = update if seen.reward == seen.reward else update_missing
            learn(self.state, seen, self.stream(seen.t, TELL))

    @property
    def learned(self) -> int:
        """How many ratings it has learned."""
        return sum(self._pulls)

    def kept(self) -> list[NDArray[Any]]:
        """Return copies of all that was learned, as arrays; `take` of a learner that has learned nothing takes them."""
        return [np.array(self._pulls), *(array.copy() for array in arrays_of(self.state))]

    def take(self, kept: Sequence[NDArray[Any]]) -> None:
        """Know what another learner of the same policy has learned."""
        pulls, *arrays = kept
        self._make_room(np.repeat(np.arange(pulls.size), pulls).tolist())
        for mine, other in zip(arrays_of(self.state), arrays, strict=True):
            if (mine.shape, mine.dtype) != (other.shape, other.dtype):
                raise ValueError(f"an array of shape {mine.shape} cannot take one of {other.shape}")
            mine[...] = other

    def choose(self, number: int, available: Bools, pending: list[int]) -> Asked:
        """Return the arm to show, and the probabilities it was drawn from."""
        state, ask = self.at_hand(number, available, pending)
        p = ask.p if self.policy.samples else self.policy.probabilities(state, ask)
        arm = int(choose(state, ask, self.stream(number, ASK)))
        if state is self.state:
            return Asked(arm, p, available)
        return Asked(int(np.flatnonzero(available)[arm]), spread(p, available), available)

    def at_hand(self, number: int, available: Bools, pending: list[int]) -> tuple[State, Ask]:
        """Return the state with the available arms alone, and what the policy looks at."""
        waiting, n_open = np.array(pending, np.int64), np.count_nonzero(available)
        if n_open == available.size:
            return self.state, Ask(number, available, waiting, self._even.copy())
        ask = Ask(number, np.ones(n_open, np.bool_), waiting[available], np.ones(n_open) / n_open)
        return copy_of(self.state, np.flatnonzero(available)), ask

    def empty_state(self, n_arms: int) -> State:
        """Return the state before the first reward."""
        return self.policy.start(n_arms, horizon=self.horizon, capacity=self._capacity, signals=self.signals)

    def _make_room(self, arms: list[int]) -> None:
        """Count ratings of these arms, which are learned next, and double the memory until they fit."""
        capacity, pulls = self._capacity, self._pulls
        for arm in arms:
            pulls[arm] += 1
            if pulls[arm] > capacity:
                capacity *= 2
        if capacity > self._capacity:
            self._capacity = capacity
            self.state = grow(self.state, self.empty_state(len(pulls)))


def spread(values: Floats, available: Bools) -> Floats:
    """Return the values of the available arms in their places, and 0 for the others."""
    everywhere = np.zeros(available.size)
    everywhere[available] = values
    return everywhere
