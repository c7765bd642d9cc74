"""What a policy has learned in a live study: a function of the rewards that count, in the order in which they came.

Each ask and each reward has random numbers of its own, and to ask is not to learn. So learning anew from the rewards
that are left gives, bit for bit, the state as if the others had never come.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from trueward.engine.compiling import Compilable, execution_mode
from trueward.engine.kernel import Bools, Floats, State
from trueward.engine.native import by_address
from trueward.engine.protocol import Ask
from trueward.engine.states import arrays_of, copy_of, grow
from trueward.live.asks import Asked, Ratings
from trueward.live.evidence import in_columns
from trueward.live.steps import choose_arm, learn_rewards
from trueward.live.streams import Streams
from trueward.policies.declared_range import declared_ranges
from trueward.policies.policy import Policy

ASK, TELL = range(2)  # the roles of a number's random streams
_GENERATOR = np.random.default_rng(0)
NO_RANDOM_NUMBERS = by_address(_GENERATOR)  # for policies that draw none when they learn; handed over once
FIRST_CAPACITY = 512  # rewards per arm; doubled when an arm has more, which takes as long as some ten asks


class Learner:
    """A policy's state, and the random numbers of every ask and every reward."""

    def __init__(self, policy: Policy, n_arms: int, *, seed: int, horizon: int | None) -> None:
        self.policy = policy
        self.stream = Streams(seed).stream  # the random numbers of an ask, or of its reward
        self.horizon = horizon
        self.signals = tuple(signal.name for signal in policy.signals)
        self._steps: dict[Compilable[Any], Callable[..., Any]] = {}
        self._forget(n_arms)
        self.ranges = tuple(declared_ranges(self.state))  # that the policy declares
        self._together = not policy.interpreted_only and not learn_rewards.draws(self.state)

    def learn_anew(self, n_arms: int, ratings: Ratings) -> None:
        """Forget everything, and learn these ratings in order."""
        self._forget(n_arms)
        self.learn(ratings)

    def _forget(self, n_arms: int) -> None:
        self._capacity = FIRST_CAPACITY
        self._pulls = [0] * n_arms  # ratings of each arm
        self._even = np.ones(n_arms) / n_arms
        self._outlook: Any = None  # of the policy on its state, until the next reward
        self._outlook_is_old = True
        self.state = self.empty_state(n_arms)

    def learn(self, ratings: Ratings) -> None:
        """Learn the rewards of asks, in order: all at once, unless each needs random numbers of its own.

        A reward that is NaN is missing.
        """
        for some in [ratings] if self._together and ratings.numbers.size else ratings.one_by_one():
            self._make_room(some.arms.tolist())
            rng = NO_RANDOM_NUMBERS if self._together else self.stream(int(some.numbers[0]), TELL)
            self._do(learn_rewards, self.state, *some[:5], in_columns(some.numbers, some.evidence, self.signals), rng)

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
        p = ask.p if self.policy.samples else self.probabilities(state, ask)
        arm = int(self._do(choose_arm, state, *ask, self.stream(number, ASK)))
        if state is self.state:
            return Asked(arm, p, available)
        return Asked(int(np.flatnonzero(available)[arm]), spread(p, available), available)

    def probabilities(self, state: State, ask: Ask) -> Floats:
        """Return the probability of each of the arms at hand; what many asks share is computed once."""
        if state is not self.state:
            return self.policy.probabilities(state, ask)
        self.look_ahead()
        return self.policy.probabilities_by(self._outlook, state, ask)

    def look_ahead(self) -> None:
        """Compute what all asks share until the next reward; the first of them would do so."""
        if self._outlook_is_old:
            self._outlook, self._outlook_is_old = self.policy.outlook(self.state, self._outlook), False

    def at_hand(self, number: int, available: Bools, pending: list[int]) -> tuple[State, Ask]:
        """Return the state with the available arms alone, and what the policy looks at."""
        waiting, n_open = np.array(pending, np.int64), np.count_nonzero(available)
        if n_open == available.size:
            return self.state, Ask(number, available, waiting, self._even.copy())
        ask = Ask(number, np.ones(n_open, np.bool_), waiting[available], np.ones(n_open) / n_open)
        return copy_of(self.state, np.flatnonzero(available)), ask

    def warm_up(self) -> None:
        """Compile what chooses and learns, or find it on disk."""
        if not self.policy.interpreted_only:
            n_arms, none = len(self._pulls), np.empty(0, np.int64)
            _, ask = self.at_hand(1, np.ones(n_arms, np.bool_), [0] * n_arms)
            choose_arm.compile(self.state, *ask, NO_RANDOM_NUMBERS)
            columns = np.empty((0, n_arms)), np.empty((0, n_arms), np.bool_), np.empty((0, len(self.signals)))
            learn_rewards.compile(self.state, none, none, np.empty(0), *columns, NO_RANDOM_NUMBERS)
            with execution_mode(compiled=True):
                self.empty_state(n_arms)  # as is needed again when there is to be more room
                self.policy.estimates(self.state)
                self.policy.probabilities(self.state, ask)

    def forget_steps(self) -> None:
        """Look again for what is compiled, at the next step."""
        self._steps.clear()

    def _do(self, step: "Compilable[Any]", *args: Any) -> Any:
        if step not in self._steps:
            self._steps[step] = step.interpreted if self.policy.interpreted_only else step.without_compiling(*args)
        return self._steps[step](*args)

    def empty_state(self, n_arms: int) -> State:
        """Return the state before the first reward."""
        return self.policy.start(n_arms, horizon=self.horizon, capacity=self._capacity, signals=self.signals)

    def _make_room(self, arms: list[int]) -> None:
        """Count ratings of these arms, which are learned next, and double the memory until they fit."""
        self._outlook_is_old = True
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
