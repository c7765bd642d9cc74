"""What the guard does: test the rewards of an arm for a change in time, and let a policy learn one segment anew."""

import math
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, State, kernel, outlined
from trueward.engine.protocol import Ask, Observation, choose, reset, update
from trueward.engine.states import kept, per_arm
from trueward.policies.wrappers.segments import (
    Segments,
    change_in_time,
    join_like_segments,
    remember,
    size_of,
    split_off,
)
from trueward.statistics.rank_change import FIRST_TEST, next_test

MAJORITY, LATEST, RESTART = range(3)
REACTIONS = {"majority": MAJORITY, "latest": LATEST, "restart": RESTART}


class GuardedState(NamedTuple):
    """The wrapped policy's state, every reward, and when the guard fired."""

    policy: State
    segments: Segments
    learned: Annotated[Ints, per_arm(0)]  # rewards that the policy has learned from: those of the segment believed in
    due: Annotated[Ints, per_arm(FIRST_TEST)]  # how many of those there must be for the next test
    log: Annotated[Floats, per_arm(kept, "firings", 4)]  # arrival, change, statistic, whether the later are believed
    fired: Annotated[Ints, per_arm(0)]  # entries in the log
    low: float  # of the range that the policy declares
    high: float
    horizon: int  # at least this many rounds
    c: float
    reaction: int


@choose.register(GuardedState)
def let_choose(state: GuardedState, ask: Ask, rng: np.random.Generator) -> int:
    """Leave the choice to the wrapped policy."""
    return choose(state.policy, ask, rng)


@update.register(GuardedState)
def hand_on(state: GuardedState, seen: Observation, rng: np.random.Generator) -> None:
    """Remember the reward, hand it on, and test the arm when it is due."""
    remember(state.segments, seen.arm, seen.reward)
    state.learned[seen.arm] += 1
    update(state.policy, seen, rng)
    if state.learned[seen.arm] >= state.due[seen.arm]:
        examine(state, seen, rng)


@kernel
def bar(state: GuardedState, t: int) -> float:
    """Return what the statistic of a change must exceed."""
    return state.c * math.log(max(t, state.horizon))


@outlined
def examine(state: GuardedState, seen: Observation, rng: np.random.Generator) -> None:
    """Test the arm's rewards in the segment believed in, and react if they changed."""
    segments, arm = state.segments, seen.arm
    z2, since = change_in_time(segments, arm)
    if z2 > bar(state, seen.t):
        react(state, seen, since)
        entry = state.log[arm, state.fired[arm]]
        entry[0], entry[1], entry[2] = segments.arrived[0], since, z2
        entry[3] = segments.segment[arm, segments.sizes[arm] - 1] == segments.believed[0]
        state.fired[arm] += 1
        learn_anew(state, seen, rng)
    state.due[arm] = next_test(state.learned[arm])


@outlined
def react(state: GuardedState, seen: Observation, since: int) -> None:
    """Split the segment believed in at the change, join all that are like the new part to it, and believe in one."""
    segments, old = state.segments, state.segments.believed[0]
    segments.newest[0] += 1
    if state.reaction != RESTART:
        split_off(segments, since)
        join_like_segments(segments, seen.arm, bar(state, seen.t))
    if state.reaction != MAJORITY or size_of(segments, segments.newest[0]) >= size_of(segments, old):
        segments.believed[0] = segments.newest[0]


@outlined
def learn_anew(state: GuardedState, seen: Observation, rng: np.random.Generator) -> None:
    """Let the wrapped policy learn the rewards of the segment believed in alone, in the order in which they came.

    They are clipped before, so that none is counted twice as one outside of the policy's range.
    """
    segments = state.segments
    reset(state.policy)
    state.learned[:] = 0
    at = np.zeros_like(segments.sizes)  # the next reward of each arm
    while True:
        earliest, arm = segments.arrived[0] + 1, -1
        for a in range(at.size):
            while at[a] < segments.sizes[a] and segments.segment[a, at[a]] != segments.believed[0]:
                at[a] += 1
            if at[a] < segments.sizes[a] and segments.arrivals[a, at[a]] < earliest:
                earliest, arm = segments.arrivals[a, at[a]], a
        if arm < 0:
            break
        reward = min(max(segments.rewards[arm, at[arm]], state.low), state.high)
        update(state.policy, Observation(earliest, arm, reward, seen.p, seen.available, seen.evidence), rng)
        state.learned[arm] += 1
        at[arm] += 1
    for a in range(at.size):
        state.due[a] = next_test(state.learned[a])
