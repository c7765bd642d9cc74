"""Every reward of a game, in the order in which it came, and the segments of time that a guard puts them into."""

from typing import Annotated, NamedTuple

from trueward.engine.kernel import Floats, Ints, kernel, outlined
from trueward.engine.states import REWARDS, kept, per_arm, scratch, single
from trueward.statistics.rank_change import MARGIN, change_point


class Segments(NamedTuple):
    """The rewards of each arm, each in a segment, and room to test some of them."""

    rewards: Annotated[Floats, per_arm(kept, REWARDS)]
    arrivals: Annotated[Ints, per_arm(kept, REWARDS)]  # 1 for the first reward of all
    segment: Annotated[Ints, per_arm(kept, REWARDS)]  # of a reward
    sizes: Annotated[Ints, per_arm(0)]  # how many rewards of each arm
    arrived: Annotated[Ints, single(0)]  # and of all arms
    newest: Annotated[Ints, single(0)]  # the segment that was split off last
    believed: Annotated[Ints, single(0)]  # the segment that the policy learns from
    tested: Annotated[Floats, single(scratch, REWARDS)]  # room for the rewards under test,
    places: Annotated[Ints, single(scratch, REWARDS)]  # where they stand,
    ranks: Annotated[Floats, single(scratch, REWARDS)]  # and their ranks


@kernel
def remember(segments: Segments, arm: int, reward: float) -> None:
    """Add a reward to the segment believed in."""
    n = segments.sizes[arm]
    segments.arrived[0] += 1
    segments.rewards[arm, n] = reward
    segments.arrivals[arm, n] = segments.arrived[0]
    segments.segment[arm, n] = segments.believed[0]
    segments.sizes[arm] += 1


@outlined
def gather(segments: Segments, arm: int, segment: int, n: int) -> int:
    """Lay the arm's rewards of a segment behind the n that are under test, and return how many there are now."""
    for i in range(segments.sizes[arm]):
        if segments.segment[arm, i] == segment:
            segments.tested[n] = segments.rewards[arm, i]
            segments.places[n] = i
            n += 1
    return n


@outlined
def change_in_time(segments: Segments, arm: int) -> tuple[float, int]:
    """Return the statistic of the arm's rewards in the segment believed in, and when the change came."""
    n = gather(segments, arm, segments.believed[0], 0)
    z2, before = change_point(segments.tested[:n], segments.ranks[:n])
    return z2, segments.arrivals[arm, segments.places[before]]


@outlined
def exchangeable(segments: Segments, arm: int, one: int, other: int, bar: float) -> bool:
    """Return whether the arm's rewards of two segments, one behind the other, pass the test."""
    first = gather(segments, arm, one, 0)
    n = gather(segments, arm, other, first)
    return first >= MARGIN and n - first >= MARGIN and change_point(segments.tested[:n], segments.ranks[:n])[0] <= bar


@outlined
def split_off(segments: Segments, since: int) -> None:
    """Put the rewards of the segment believed in that came since a time into the newest one."""
    for arm in range(segments.sizes.size):
        for i in range(segments.sizes[arm]):
            if segments.arrivals[arm, i] >= since and segments.segment[arm, i] == segments.believed[0]:
                segments.segment[arm, i] = segments.newest[0]


@outlined
def join_like_segments(segments: Segments, arm: int, bar: float) -> None:
    """Put into the newest segment all others, but the one believed in, that the arm cannot tell from it."""
    for segment in range(segments.newest[0]):
        if segment != segments.believed[0] and exchangeable(segments, arm, segment, segments.newest[0], bar):
            for a in range(segments.sizes.size):
                for i in range(segments.sizes[a]):
                    if segments.segment[a, i] == segment:
                        segments.segment[a, i] = segments.newest[0]


@outlined
def size_of(segments: Segments, segment: int) -> int:
    """Return how many rewards a segment has."""
    n = 0
    for arm in range(segments.sizes.size):
        for i in range(segments.sizes[arm]):
            n += segments.segment[arm, i] == segment
    return n
