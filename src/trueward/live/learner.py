"""What a policy has learned in a live study: a function of the rewards that count, in the order in which they came.

Each ask and each reward has random numbers of its own, and to ask is not to learn. So learning anew from the rewards
that are left gives, bit for bit, the state as if the others had never come.
"""

from collections.abc import Iterable

import numpy as np

from trueward.engine.kernel import Bools, Floats, State
from trueward.engine.stages import Ask, Observation, choose, update
from trueward.engine.states import hand_over, restrict
from trueward.live.evidence import Evidence, in_columns
from trueward.live.log import Asked
from trueward.policies.base import Policy

ASK, TELL = range(2)  # the roles of a number's random streams
FIRST_CAPACITY = 64  # rewards per arm; doubled when an arm has more

Rating = tuple[int, Asked, float, Evidence]
"""The number of an ask, the ask, its reward, and what came with it."""


class Learner:
    """A policy's state, and the random numbers of every ask and every reward."""

    def __init__(self, policy: Policy, n_arms: int, *, seed: int, horizon: int | None) -> None:
        self.policy = policy
        self.seed = seed
        self.horizon = horizon
        self.signals = tuple(signal.name for signal in policy.signals)
        self.learn_anew(n_arms, ())

    def learn_anew(self, n_arms: int, ratings: Iterable[Rating]) -> None:
        """Forget everything, and learn these ratings in order."""
        self._capacity = FIRST_CAPACITY
        self._pulls = np.zeros(n_arms, np.int64)
        self.state = self.empty_state(n_arms)
        for rating in ratings:
            self.learn(*rating)

    def learn(self, number: int, asked: Asked, reward: float, evidence: Evidence) -> None:
        """Learn the reward of an ask."""
        arm, p, available = asked
        self._make_room(arm)
        seen = Observation(number, arm, reward, p, available, in_columns(evidence, self.signals))
        update(self.state, seen, self.stream(number, TELL))

    def choose(self, number: int, available: Bools, pending: list[int]) -> Asked:
        """Return the arm to show, and the probabilities it was drawn from."""
        state, ask = self.at_hand(number, available, pending)
        p = None if self.policy.samples else self.policy.probabilities(state, ask)
        arm = choose(state, ask, self.stream(number, ASK))
        return Asked(int(np.flatnonzero(available)[arm]), spread(ask.p if p is None else p, available), available)

    def at_hand(self, number: int, available: Bools, pending: list[int]) -> tuple[State, Ask]:
        """Return a copy of the state with the available arms alone, and what the policy looks at."""
        n_open = int(available.sum())
        waiting = np.array(pending, dtype=np.int64)[available]
        ask = Ask(number, np.ones(n_open, np.bool_), waiting, np.full(n_open, 1.0 / n_open))
        return restrict(self.state, np.flatnonzero(available)), ask

    def empty_state(self, n_arms: int) -> State:
        """Return the state before the first reward."""
        return self.policy.start(n_arms, horizon=self.horizon, capacity=self._capacity, signals=self.signals)

    def stream(self, number: int, role: int) -> np.random.Generator:
        """Return the random numbers of an ask, or of its reward."""
        return np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(number, role)))

    def _make_room(self, arm: int) -> None:
        """Count a reward of an arm, and double the memory if it would not fit."""
        self._pulls[arm] += 1
        if self._pulls[arm] > self._capacity:
            self._capacity *= 2
            old, self.state = self.state, self.empty_state(self._pulls.size)
            hand_over(old, self.state)


def spread(values: Floats, available: Bools) -> Floats:
    """Return the values of the available arms in their places, and 0 for the others."""
    everywhere = np.zeros(available.size)
    everywhere[available] = values
    return everywhere
