"""A guard against bursts, around any policy: are each arm's rewards exchangeable in time? (ours)

    after every 5th pull of an arm, from its 10th on:    fire when  max_k z_k^2 > c ln T    (z: see rank_guard)

Whatever made a policy wrong, if it came in a burst, the ranks of some arm's rewards change in time. When the guard
fires, it splits the whole game at the change into epochs, joins the new epoch with every earlier one if the arm's
rewards in both pass the same test, and lets the policy learn anew, in order, from the rewards of one epoch alone:

    reaction="majority"    the epoch with the most rewards: contamination is the smaller part. A burst in mid-game is
                           cut out; one at the beginning is believed until it is outlasted
    reaction="latest"      the epoch under way: quicker after a front cluster, but fooled by every burst while it lasts
    reaction="restart"     none: forget everything, the plain answer

Withstands bursts: a front cluster, bad days. Costs next to nothing under clean rewards or contamination that does not
change in time, which stay exchangeable. Does not withstand a burst that goes by pulls, so that an arm is never pulled
again once it looks bad: there is no later reward to compare. Policies that sample from probabilities cannot learn anew
from rewards sampled with others: around them every reaction is a restart.

>>> from trueward.policies.index.ucb import UCB
>>> policy = Guarded(UCB(sigma=1.0), reaction="latest")
>>> state = policy.start(1, horizon=100, capacity=40)
>>> for t in range(1, 41):
...     update(state, t, 0, float(t % 2) if t <= 20 else 8.0 - t % 2, np.random.default_rng(0))
>>> [(fired.when, fired.since, fired.believed) for fired in policy.restarts(state)]
[(25, 21, 'later')]
>>> policy.estimates(state).tolist()
[7.5]

A test ranks the arm's rewards, O(n log n); past 100 rewards an arm is tested when it has 5 % more, so that a reward
costs O(log n) on average. When the guard fires, the rewards believed are learned anew, and that costs what they cost.

Guarantee: none proved. For rewards whose law stays the same, contaminated or not, the law of the ranks depends on their
ties alone; with c = 2.5 and T = 1000 a false alarm came in at most 3 % of 300 runs of 1000 rewards, from untied ones to
coins that fall 1 % to 90 % heads. Without a horizon, T is the current round, at least 1000.

Reference: ours.
"""

import math
from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Literal, NamedTuple, Self

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, outlined, reset, update
from trueward.engine.rank_guard import BAR, BETWEEN, FIRST_TEST, MARGIN, SHORTEST, change_point, next_test
from trueward.errors import ParameterError
from trueward.policies.base import Policy
from trueward.policies.declared_range import ranges_of

Reaction = Literal["majority", "latest", "restart"]
RESTART, LATEST, MAJORITY = range(3)
REACTIONS = {"majority": MAJORITY, "latest": LATEST, "restart": RESTART}


class GuardedState(NamedTuple):
    """The wrapped policy's state, and every reward in the order in which it came."""

    policy: State
    rewards: Floats  # (arms, capacity)
    arrivals: Ints  # (arms, capacity) 1 for the first reward of all
    epochs: Ints  # (arms, capacity) the epoch that a reward was put into
    sizes: Ints  # (arms,) rewards remembered
    believed: Ints  # (arms,) of these, the ones of the epoch believed in
    due: Ints  # (arms,) how many of those there must be for the next test
    log: Floats  # (arms, capacity / 5 + 1, 4) arrival, change, statistic, whether the later rewards are believed
    fired: Ints  # (arms,) entries in the log
    counters: Ints  # (1, 3) rewards so far, epochs so far, the epoch believed in
    kept: Floats  # (1, capacity) room for the rewards under test
    places: Ints  # (1, capacity) where they stand
    ranks: Floats  # (1, capacity) and for their ranks
    outside: Ints  # (1, 3) the wrapped policy's record of rewards outside of its range, if it has one
    horizon: int  # at least this many rounds
    c: float
    reaction: int

    @property
    def p(self) -> Floats:
        """The wrapped policy's probabilities, if it has them."""
        return self.policy.p  # type: ignore[no-any-return] # an array


ARRIVED, EPOCHS, BELIEVED = range(3)  # the counters


@reset.register(GuardedState)
def reset_guarded(state: GuardedState) -> None:
    """Forget everything."""
    reset(state.policy)
    state.sizes[:] = 0
    state.believed[:] = 0
    state.due[:] = FIRST_TEST
    state.fired[:] = 0
    state.counters[:] = 0


@choose.register(GuardedState)
def choose_guarded(state: GuardedState, t: int, rng: np.random.Generator) -> int:
    """Leave the choice to the wrapped policy."""
    return choose(state.policy, t, rng)


@update.register(GuardedState)
def update_guarded(state: GuardedState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Remember the reward, hand it on, and test the arm when it is due."""
    n = state.sizes[arm]
    state.counters[0, ARRIVED] += 1
    state.rewards[arm, n] = reward
    state.arrivals[arm, n] = state.counters[0, ARRIVED]
    state.epochs[arm, n] = state.counters[0, BELIEVED]
    state.sizes[arm] += 1
    state.believed[arm] += 1
    update(state.policy, t, arm, reward, rng)
    if state.believed[arm] >= state.due[arm]:
        examine(state, t, arm, rng)


@outlined
def examine(state: GuardedState, t: int, arm: int, rng: np.random.Generator) -> None:
    """Test the arm's rewards of the epoch believed in, and react if they changed."""
    n = gather(state, arm, state.counters[0, BELIEVED], state.counters[0, BELIEVED])
    z2, before = change_point(state.kept[0, :n], state.ranks[0, :n])
    if z2 > state.c * math.log(max(t, state.horizon)):
        change = state.arrivals[arm, state.places[0, before]]
        state.log[arm, state.fired[arm], 0] = state.counters[0, ARRIVED]
        state.log[arm, state.fired[arm], 1] = change
        state.log[arm, state.fired[arm], 2] = z2
        react(state, t, arm, change)
        state.log[arm, state.fired[arm], 3] = state.epochs[arm, state.sizes[arm] - 1] == state.counters[0, BELIEVED]
        state.fired[arm] += 1
        replay(state, rng)
    state.due[arm] = next_test(state.believed[arm])


@outlined
def gather(state: GuardedState, arm: int, one: int, other: int) -> int:
    """Copy the arm's rewards of one epoch, then those of another, and return how many there are."""
    n = 0
    for i in range(state.sizes[arm]):
        if state.epochs[arm, i] == one:
            state.kept[0, n] = state.rewards[arm, i]
            state.places[0, n] = i
            n += 1
    if other != one:
        for i in range(state.sizes[arm]):
            if state.epochs[arm, i] == other:
                state.kept[0, n] = state.rewards[arm, i]
                n += 1
    return n


@outlined
def react(state: GuardedState, t: int, arm: int, change: int) -> None:
    """Split the epoch believed in at the change, join all epochs like the new part to it, and believe in one."""
    old = state.counters[0, BELIEVED]
    state.counters[0, EPOCHS] += 1
    new = state.counters[0, EPOCHS]
    state.counters[0, BELIEVED] = new
    if state.reaction == RESTART:
        return
    for a in range(state.sizes.size):
        i = state.sizes[a] - 1
        while i >= 0 and state.arrivals[a, i] >= change:
            if state.epochs[a, i] == old:
                state.epochs[a, i] = new
            i -= 1
    for epoch in range(new):
        if epoch != old and alike(state, t, arm, epoch, new):
            rename(state, epoch, new)
    if state.reaction == MAJORITY and count(state, new) < count(state, old):
        state.counters[0, BELIEVED] = old


@outlined
def count(state: GuardedState, epoch: int) -> int:
    """Return how many rewards an epoch has."""
    n = 0
    for a in range(state.sizes.size):
        for i in range(state.sizes[a]):
            n += state.epochs[a, i] == epoch
    return n


@outlined
def rename(state: GuardedState, epoch: int, name: int) -> None:
    """Join an epoch to another."""
    for a in range(state.sizes.size):
        for i in range(state.sizes[a]):
            if state.epochs[a, i] == epoch:
                state.epochs[a, i] = name


@outlined
def alike(state: GuardedState, t: int, arm: int, one: int, other: int) -> bool:
    """Return whether the arm's rewards of two epochs, one behind the other, pass the test."""
    first = gather(state, arm, one, one)
    n = gather(state, arm, one, other)
    if first < MARGIN or n - first < MARGIN:
        return False
    z2, _ = change_point(state.kept[0, :n], state.ranks[0, :n])
    return z2 <= state.c * math.log(max(t, state.horizon))


@outlined
def replay(state: GuardedState, rng: np.random.Generator) -> None:
    """Let the wrapped policy learn anew from the rewards of the epoch believed in, in the order in which they came."""
    seen_outside = state.outside[0, 0]
    reset(state.policy)
    believed = state.counters[0, BELIEVED]
    state.believed[:] = 0
    at = np.zeros_like(state.sizes)  # the next reward of each arm
    while True:
        earliest, arm = state.counters[0, ARRIVED] + 1, -1
        for a in range(at.size):
            while at[a] < state.sizes[a] and state.epochs[a, at[a]] != believed:
                at[a] += 1
            if at[a] < state.sizes[a] and state.arrivals[a, at[a]] < earliest:
                earliest, arm = state.arrivals[a, at[a]], a
        if arm < 0:
            break
        update(state.policy, earliest, arm, state.rewards[arm, at[arm]], rng)
        state.believed[arm] += 1
        at[arm] += 1
    state.outside[0, 0] = seen_outside
    for a in range(at.size):
        state.due[a] = next_test(state.believed[a])


class Restart(NamedTuple):
    """One time that the guard fired; counted in rewards, which are rounds where every reward comes at once."""

    when: int
    arm: int
    since: int  # the arm's first reward after the change
    statistic: float
    believed: str  # the "later" or the "earlier" rewards, or "none"


@dataclass(frozen=True)
class Guarded(Policy):
    """Plays a policy, and makes it unlearn what came in a burst, whenever an arm's rewards change in time."""

    policy: Policy
    _: KW_ONLY
    c: float = BAR
    reaction: Reaction = "majority"

    def __post_init__(self) -> None:
        if not isinstance(self.policy, Policy):
            raise ParameterError(f"policy must be a Policy such as UCB(sigma=1), got {self.policy!r}")
        checks.number("c", self.c, above=0)
        checks.one_of("reaction", self.reaction, tuple(REACTIONS))

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> GuardedState:
        """Return a fresh state."""
        inner = self.policy.start(n_arms, horizon=horizon, capacity=capacity)
        scale = next(ranges_of(inner), None)
        arrivals, epochs = np.zeros((2, n_arms, capacity), np.int64)
        sizes, believed, fired = np.zeros((3, n_arms), np.int64)
        return GuardedState(
            policy=inner,
            rewards=np.zeros((n_arms, capacity)),
            arrivals=arrivals,
            epochs=epochs,
            sizes=sizes,
            believed=believed,
            due=np.full(n_arms, FIRST_TEST, np.int64),
            log=np.zeros((n_arms, capacity // BETWEEN + 1, 4)),
            fired=fired,
            counters=np.zeros((1, 3), np.int64),
            kept=np.zeros((1, capacity)),
            places=np.zeros((1, capacity), np.int64),
            ranks=np.zeros((1, capacity)),
            outside=np.zeros((1, 3), np.int64) if scale is None else scale.outside,
            horizon=SHORTEST if horizon is None else horizon,
            c=float(self.c),
            reaction=RESTART if hasattr(inner, "p") else REACTIONS[self.reaction],
        )

    def estimates(self, state: GuardedState) -> Floats:
        """Return the wrapped policy's estimates: of the rewards believed."""
        return self.policy.estimates(state.policy)

    def probabilities(self, state: GuardedState, t: int) -> Floats:
        """Return the wrapped policy's probabilities."""
        return self.policy.probabilities(state.policy, t)

    def indices(self, state: GuardedState, t: int) -> Floats:
        """Return the wrapped policy's indices."""
        return self.policy.indices(state.policy, t)

    def restarts(self, state: GuardedState) -> list[Restart]:
        """Return when the guard fired, and why, oldest first."""
        entries = []
        for arm, fired in enumerate(state.fired.tolist()):
            for when, since, statistic, later in state.log[arm, :fired].tolist():
                believed = "none" if state.reaction == RESTART else "later" if later else "earlier"
                entries.append(Restart(int(when), arm, int(since), statistic, believed))
        return sorted(entries)

    def why_aside(self, state: GuardedState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return which ratings lie outside of the epoch believed in, and which of the others the policy sets aside."""
        n = len(ratings)
        believed = state.epochs[arm, :n] == state.counters[0, BELIEVED]
        kept = [rating for rating, good in zip(ratings, believed, strict=True) if good]
        reasons = iter(self.policy.why_aside(state.policy, arm, kept) if kept else [])
        return [next(reasons) if good else "outside of the stretch of time believed in" for good in believed]

    def account(self, state: GuardedState, arms: Sequence[str | int]) -> list[str]:
        """Return when the guard fired, and what the wrapped policy says."""
        fired = [
            f"guard: {arms[restart.arm]} changed at rating number {restart.since} of all "
            f"(z² = {restart.statistic:.1f}), found at number {restart.when}; believed: {restart.believed} ratings"
            for restart in self.restarts(state)
        ]
        return [*fired, *self.policy.account(state.policy, arms)]

    def on_scale(self, scale: Floats) -> Self:
        """Return the same guard around the policy that knows the scale."""
        return replace(self, policy=self.policy.on_scale(scale))

    @property
    def needs_horizon(self) -> bool:
        """Whether the wrapped policy does."""
        return self.policy.needs_horizon

    @property
    def interpreted_only(self) -> bool:
        """Whether the wrapped policy is plain Python."""
        return self.policy.interpreted_only
