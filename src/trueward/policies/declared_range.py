"""The declared range of rewards, for policies that need one; rewards outside it are clipped or raise an error.

    gain = clip((x - low) / (high - low), 0, 1);    loss = 1 - gain

The user declares the range. It is never estimated, because contaminated rewards must not influence it.
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
"""Handling of a reward outside the range; None clips it in a game and raises an error in a live study."""

MAX_LEVELS = 201  # of a rating scale with a likelihood for each level


class DeclaredRange(NamedTuple):
    """The range, and the number of rewards outside it so far."""

    outside: Annotated[Ints, single(kept, 3)]  # number of rewards, then round and arm of the first
    low: float
    high: float
    raises: bool  # raise an error in a game, too
    clips: bool  # clip in a live study, too

    @property
    def width(self) -> float:
        """high - low."""
        return self.high - self.low


@kernel
def clip(scale: DeclaredRange, t: int, arm: int, reward: float) -> float:
    """Return the reward, clipped to the range; record it if it lies outside."""
    if scale.low <= reward <= scale.high:
        return reward
    if scale.outside[0] == 0:
        scale.outside[1] = t
        scale.outside[2] = arm
    scale.outside[0] += 1
    return scale.low if reward < scale.low else scale.high


@kernel
def gain_of(scale: DeclaredRange, seen: Observation) -> float:
    """Return the clipped reward, rescaled to [0, 1]."""
    return (clip(scale, seen.t, seen.arm, seen.reward) - scale.low) / (scale.high - scale.low)


@kernel
def nearest_level(scale: DeclaredRange, seen: Observation, levels: int) -> int:
    """Return the number, from 0, of the equally spaced level nearest to the clipped reward."""
    return math.floor(gain_of(scale, seen) * (levels - 1) + 0.5)


def reward_of(scale: DeclaredRange, gain: Floats) -> Floats:
    """Return gains in [0, 1] as rewards."""
    return np.asarray(scale.low + scale.width * gain)


def count_levels(range: tuple[float, float], levels: int | None, *, name: str = "levels") -> int:
    """Return the number of levels of the rating scale: as the parameter `name` declares, or the integers in range."""
    if levels is not None:
        check_integer(name, levels, at_least=2)
    count = float(range[1]) - float(range[0]) + 1.0 if levels is None else levels
    if count != round(count) or count > MAX_LEVELS:
        raise ParameterError(
            f"{name} must be the number of levels of the scale, at most {MAX_LEVELS}, "
            f"for the range {range!r}; got {levels!r}"
        )
    return int(count)


def declared_range(range: tuple[float, float], outside: Outside) -> DeclaredRange:
    """Return a declared range with no reward outside it so far."""
    low, high = check_interval("range", range)
    return DeclaredRange(np.zeros(3, np.int64), low, high, outside == "raise", outside == "clip")


def declared_ranges(state: State) -> Iterator[DeclaredRange]:
    """Yield every declared range in a state, nested states included."""
    if isinstance(state, DeclaredRange):
        yield state
    elif hasattr(state, "_fields"):
        for field in state:
            yield from declared_ranges(field)


def check_in_ranges(ranges: Iterable[DeclaredRange], reward: float, where: str) -> None:
    """Raise an error for a reward of a live study outside a declared range, unless the range clips."""
    for scale in ranges:
        if not scale.clips and not scale.low <= reward <= scale.high:
            raise RewardError(f"the reward of {where} must lie in [{scale.low:g}, {scale.high:g}], got {reward:g}")


def clip_to_ranges(state: State, reward: float) -> float:
    """Return a reward as the policy counts it: clipped to every range that its state declares."""
    for scale in declared_ranges(state):
        reward = min(max(reward, scale.low), scale.high)
    return reward


def count_outside(state: State) -> int:
    """Return the number of rewards outside a declared range; raise an error about the first if the range raises."""
    ranges = list(declared_ranges(state))
    for scale in ranges:
        count, t, arm = scale.outside.tolist()
        if scale.raises and count > 0:
            when = f" in round {t}" if t > 0 else ""
            raise RewardError(f"a reward of arm {arm}{when} lies outside the range [{scale.low:g}, {scale.high:g}]")
    return sum(int(scale.outside[0]) for scale in ranges)


class ClippedMemory(NamedTuple):
    """An estimator's memory that inserts clipped rewards."""

    scale: DeclaredRange
    memory: State


@insert.register(ClippedMemory)
def insert_clipped(memory: ClippedMemory, arm: int, reward: float, rng: np.random.Generator) -> float:
    return insert(memory.memory, arm, clip(memory.scale, 0, arm, reward), rng)  # an estimator does not know the round
