"""The declared range of rewards, for policies that need one; what lies outside is clipped, or refused.

    gain = clip((x - low) / (high - low), 0, 1);    loss = 1 - gain

The range is declared by the user and never estimated: contaminated rewards must not choose it.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, State, kernel
from trueward.engine.protocol import Observation, insert
from trueward.engine.states import kept, single
from trueward.errors import ParameterError, RewardError
from trueward.parameters import check_integer, check_interval

Outside = Literal["clip", "raise"] | None
"""What becomes of rewards outside of the range; None clips them in a game, and refuses them in a live study."""

MOST_RATINGS = 201  # of a scale whose every value has a likelihood


class DeclaredRange(NamedTuple):
    """The range, and what was seen outside of it."""

    outside: Annotated[Ints, single(kept, 3)]  # how many rewards, then round and arm of the first
    low: float
    high: float
    strict: bool  # refuse instead of clipping
    lenient: bool  # clip in a live study as well

    @property
    def width(self) -> float:
        """From one end to the other."""
        return self.high - self.low


@kernel
def clip(scale: DeclaredRange, t: int, arm: int, reward: float) -> float:
    """Return the reward, moved into the range; record it if it lies outside."""
    if scale.low <= reward <= scale.high:
        return reward
    if scale.outside[0] == 0:
        scale.outside[1] = t
        scale.outside[2] = arm
    scale.outside[0] += 1
    return scale.low if reward < scale.low else scale.high


@kernel
def gain_of(scale: DeclaredRange, seen: Observation) -> float:
    """Return the clipped reward, mapped to [0, 1]."""
    return (clip(scale, seen.t, seen.arm, seen.reward) - scale.low) / (scale.high - scale.low)


@kernel
def rating_of(scale: DeclaredRange, seen: Observation, ratings: int) -> int:
    """Return which of so many equally spaced ratings, counted from 0, is nearest to the clipped reward."""
    return math.floor(gain_of(scale, seen) * (ratings - 1) + 0.5)


def reward_of(scale: DeclaredRange, gain: Floats) -> Floats:
    """Return gains in [0, 1] in units of the reward."""
    return np.asarray(scale.low + scale.width * gain)


def count_ratings(range: tuple[float, float], ratings: int | None) -> int:
    """Return how many values the rating scale has: as declared, or the whole numbers of the range."""
    if ratings is not None:
        check_integer("ratings", ratings, at_least=2)
    count = float(range[1]) - float(range[0]) + 1.0 if ratings is None else ratings
    if count != round(count) or count > MOST_RATINGS:
        raise ParameterError(
            f"ratings must say how many values the scale has, at most {MOST_RATINGS}, "
            f"for the range {range!r}; got {ratings!r}"
        )
    return int(count)


def declared_range(range: tuple[float, float], outside: Outside) -> DeclaredRange:
    """Return a range in which nothing has been seen yet."""
    low, high = check_interval("range", range)
    return DeclaredRange(np.zeros(3, np.int64), low, high, outside == "raise", outside == "clip")


def ranges_of(state: State) -> Iterator[DeclaredRange]:
    """Give every declared range in a state, nested states included."""
    if isinstance(state, DeclaredRange):
        yield state
    elif hasattr(state, "_fields"):
        for field in state:
            yield from ranges_of(field)


def refuse_outside(ranges: Iterable[DeclaredRange], reward: float, where: str) -> None:
    """Refuse a reward of a live study outside of a declared range, unless that was declared to clip."""
    for scale in ranges:
        if not scale.lenient and not scale.low <= reward <= scale.high:
            raise RewardError(f"the reward of {where} must lie in [{scale.low:g}, {scale.high:g}], got {reward:g}")


def clipped(state: State, reward: float) -> float:
    """Return a reward as a policy counts it: moved into the range it declares, if it does."""
    for scale in ranges_of(state):
        reward = min(max(reward, scale.low), scale.high)
    return reward


def rewards_outside(state: State) -> int:
    """Return how many rewards lay outside of a declared range, or refuse the first where that was asked."""
    ranges = list(ranges_of(state))
    for scale in ranges:
        count, t, arm = scale.outside.tolist()
        if scale.strict and count > 0:
            when = f" in round {t}" if t > 0 else ""
            raise RewardError(f"a reward of arm {arm}{when} lies outside of the range [{scale.low:g}, {scale.high:g}]")
    return sum(int(scale.outside[0]) for scale in ranges)


class ClippedMemory(NamedTuple):
    """An estimator's memory behind a declared range."""

    scale: DeclaredRange
    memory: State


@insert.register(ClippedMemory)
def insert_clipped(memory: ClippedMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    """Insert the clipped reward."""
    return insert(memory.memory, arm, clip(memory.scale, 0, arm, reward), rng)  # an estimator knows no rounds
