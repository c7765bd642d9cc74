"""A guard against bursts, around any policy: are each arm's rewards exchangeable in time? (ours)

    after every 5th pull of an arm, from its 10th on:    fire when  max_k z_k^2 > c ln T    (z: see rank_guard)

Whatever made a policy wrong, if it came in a burst, the ranks of some arm's rewards change in time. When the guard
fires, it splits the whole game at the change into segments, joins the new one with every earlier one if the arm's
rewards in both pass the same test, and lets the policy learn anew, in order, from the rewards of one segment alone:

    reaction="majority"    the one with the most rewards: contamination is the smaller part. A burst in mid-game is
                           cut out; one at the beginning is believed until it is outlasted
    reaction="latest"      the one under way: quicker after a front cluster, but fooled by every burst while it lasts
    reaction="restart"     none: forget everything, the plain answer

Withstands bursts: a front cluster, bad days. Costs next to nothing under clean rewards or contamination that does not
change in time, which stay exchangeable. Does not withstand a burst that goes by pulls, so that an arm is never pulled
again once it looks bad: there is no later reward to compare. Policies that sample from probabilities cannot learn anew
from rewards sampled with others: around them the only reaction, and the default, is a restart; else it is "majority".

>>> import numpy as np
>>> from trueward.engine.protocol import make_observation, update
>>> from trueward.policies.index.ucb import UCB
>>> policy = Guarded(UCB(sigma=1.0), reaction="latest")
>>> state = policy.start(1, horizon=100)
>>> for t in range(1, 41):
...     reward = float(t % 2) if t <= 20 else 8.0 - t % 2
...     update(state, make_observation(0, reward, n_arms=1, t=t), np.random.default_rng(0))
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
from typing import Literal, NamedTuple

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask
from trueward.engine.states import Setting, new
from trueward.errors import ParameterError
from trueward.parameters import Positive
from trueward.policies.declared_range import ranges_of
from trueward.policies.policy import Policy
from trueward.policies.wrappers.guarding import REACTIONS, RESTART, GuardedState
from trueward.policies.wrappers.segments import Segments
from trueward.policies.wrappers.wrapper import Wrapper
from trueward.statistics.rank_change import BAR, BETWEEN, SHORTEST

Reaction = Literal["majority", "latest", "restart"]


class Restart(NamedTuple):
    """One time that the guard fired; counted in rewards, which are rounds where every reward comes at once."""

    when: int
    arm: int
    since: int  # the arm's first reward after the change
    statistic: float
    believed: str  # the "later" or the "earlier" rewards, or "none"


@dataclass(frozen=True)
class Guarded(Wrapper):
    """Plays a policy, and makes it unlearn what came in a burst, whenever an arm's rewards change in time."""

    policy: Policy
    _: KW_ONLY
    c: Positive = BAR
    reaction: Reaction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.policy.learns_from_missing:
            raise ParameterError(
                f"policy must not count missing answers: write MissingAs(Guarded(…)); got {self.policy!r}"
            )
        if self.policy.samples and self.reaction not in (None, "restart"):
            raise ParameterError(
                f"reaction must be 'restart' around {type(self.policy).__name__}, which samples from probabilities, "
                f"got {self.reaction!r}"
            )

    def state(self, setting: Setting) -> GuardedState:
        inner = self.policy.state(replace(setting, signals=()))  # evidence is not kept, so it cannot be learned anew
        ranges = list(ranges_of(inner))
        return new(
            GuardedState,
            setting,
            axes={"firings": setting.capacity // BETWEEN + 1},
            policy=inner,
            segments=new(Segments, setting),
            low=max((scale.low for scale in ranges), default=-math.inf),
            high=min((scale.high for scale in ranges), default=math.inf),
            horizon=setting.horizon or SHORTEST,
            c=float(self.c),
            reaction=REACTIONS[self.reaction or ("restart" if self.policy.samples else "majority")],
        )

    @property
    def inner(self) -> Policy:
        """The policy that is guarded."""
        return self.policy

    def indices(self, state: GuardedState, ask: Ask) -> Floats:
        return self.policy.indices(state.policy, ask)

    def restarts(self, state: GuardedState) -> list[Restart]:
        """Return when the guard fired, and why, oldest first."""
        entries = []
        for arm, fired in enumerate(state.fired.tolist()):
            for when, since, statistic, later in state.log[arm, :fired].tolist():
                believed = "none" if state.reaction == RESTART else "later" if later else "earlier"
                entries.append(Restart(int(when), arm, int(since), statistic, believed))
        return sorted(entries)

    def why_down_weighted(self, state: GuardedState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return which ratings lie outside of the segment believed in, and which others the policy leaves out."""
        believed = state.segments.segment[arm, : len(ratings)] == state.segments.believed[0]
        counted = [rating for rating, good in zip(ratings, believed, strict=True) if good]
        reasons = iter(self.policy.why_down_weighted(state.policy, arm, counted) if counted else [])
        return [next(reasons) if good else "excluded: outside of the segment of time believed in" for good in believed]

    def explain_state(self, state: GuardedState, arms: Sequence[str | int]) -> list[str]:
        """Return when the guard fired, and what the wrapped policy says."""
        fired = [
            f"The guard found at rating {restart.when} that {arms[restart.arm]} changed at rating {restart.since} "
            f"(z² = {restart.statistic:.1f}); ratings believed: {restart.believed}"
            for restart in self.restarts(state)
        ]
        return [*fired, *self.policy.explain_state(state.policy, arms)]
