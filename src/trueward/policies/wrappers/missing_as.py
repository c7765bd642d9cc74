"""What a missing answer means, around any policy: from nothing at all to the lowest rating (ours).

    mean of arm a  =  (1 - m_a) y_a  +  m_a [ (1 - s) y_a + s low ]  =  low + (1 - s m_a) (y_a - low)

m_a is the share of the arm's answers that are missing, y_a the mean of those that came, and s the severity: with 0,
answers are missing at random and say nothing; with 1, everybody who is missing would have given the lowest rating; in
between, their mean lies that far from y_a towards it. Between arms only the factors 1 - s m_a matter, and of them only
by how much they differ: what all arms lose alike decides nothing. So of the missing answers of an arm as many are told
to the policy as the lowest rating, one at a time and never more than there are, that the mean of all that it was told
is lowered by

    f_a  =  (1 - s m_a) / (1 - s min_b m_b):        lowest ratings told  =  (ratings given)  (1 / f_a - 1)

and none where arms lose alike. Whether they do is for the data to say: each m_a is the arm's own share, drawn towards
that of all arms to a part of 1 / (1 + n_a tau^2), where tau^2 is DerSimonian & Laird's variance between arms, in units
of the binomial variance of one answer: chance alone is no difference. Without this, with `pooled=False`, an
arm's missing answers are told with weight s whatever the others lose; where people stay away at random that costs
several times the regret, since a rating of 0 among eights and nines is so much noise.

Nothing is drawn at random, and nothing depends on a clock: what is learned is a function of the ratings and of the
missing answers in the order in which they came, or were given up.

Withstands drop-out that depends on the rating, alike on all arms or not, as far as the severity says what the missing
would have given. Does not withstand a wrong severity: if people stay away from one arm for reasons of their own, that
arm is punished for it. Withstands otherwise what the wrapped policy does; a robust one may take many lowest ratings of
one arm for contamination, as it would take given ones.

>>> import numpy as np
>>> from trueward.engine.protocol import UNTOUCHED, miss, make_observation, update
>>> from trueward.policies.posterior.beta_thompson import BetaThompson
>>> policy = MissingAs(BetaThompson((0, 10)), severity=1.0)
>>> state, rng = policy.start(2, capacity=100), np.random.default_rng(0)
>>> for t in range(1, 201):                     # arm 0 loses half of its answers, arm 1 none; else they are alike
...     lost = t % 4 == 0
...     seen = make_observation(t % 2, UNTOUCHED if lost else 8.0, n_arms=2, t=t)
...     miss(state, seen, rng) if lost else update(state, seen, rng)
>>> state.missed.tolist(), state.lowest.tolist(), policy.estimates(state).round(1).tolist()
([50, 0], [48, 0], [4.1, 8.0])

Guarantee: none; with 1, if every missing answer would have been the lowest and the arms' shares are known, the means
are the true ones.

Reference: Rubin (1976), Inference and missing data; Little (1993), Pattern-mixture models for multivariate incomplete
data, for s; Manski (1989), Anatomy of the selection problem, for s = 1; DerSimonian & Laird (1986), Meta-analysis in
clinical trials, for tau^2. The policy is ours.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import ROUNDING_TOLERANCE, Floats, Ints, State, kernel
from trueward.engine.protocol import NOT_GIVEN, Ask, Observation, choose, update, update_missing
from trueward.engine.states import REWARDS, Setting, given, kept, new, per_arm, single
from trueward.errors import ParameterError
from trueward.parameters import Share
from trueward.policies.declared_range import ranges_of
from trueward.policies.policy import Policy
from trueward.policies.signals import Signal
from trueward.policies.wrappers.wrapper import Wrapper


class MissingAsState(NamedTuple):
    """The wrapped policy's state, and how many answers came and did not."""

    policy: State
    answered: Annotated[Ints, per_arm(0)]
    missed: Annotated[Ints, per_arm(0)]
    lowest: Annotated[Ints, per_arm(0)]  # missing answers that were told as the lowest rating
    was_missing: Annotated[Ints, per_arm(kept, REWARDS)]  # 1 for these, among all that was told of an arm, in order
    no_evidence: Annotated[Floats, single(given)]  # (signals,) that comes with them
    low: float
    severity: float
    pooled: bool


@choose.register(MissingAsState)
def leave_choice(state: MissingAsState, ask: Ask, rng: np.random.Generator) -> int:
    """Leave the choice to the wrapped policy."""
    return choose(state.policy, ask, rng)


@update.register(MissingAsState)
def count_answer(state: MissingAsState, seen: Observation, rng: np.random.Generator) -> None:
    """Count an answer, and hand it on."""
    state.was_missing[seen.arm, state.answered[seen.arm] + state.lowest[seen.arm]] = 0
    state.answered[seen.arm] += 1
    update(state.policy, seen, rng)


@update_missing.register(MissingAsState)
def count_missing(state: MissingAsState, seen: Observation, rng: np.random.Generator) -> None:
    """Count a missing answer, and tell it as the lowest rating if one more is due."""
    arm = seen.arm
    state.missed[arm] += 1
    given_up = max(1, state.answered[arm]) * (1.0 / discount(state, arm) - 1.0)
    if state.lowest[arm] + 1 <= given_up + ROUNDING_TOLERANCE:
        state.was_missing[arm, state.answered[arm] + state.lowest[arm]] = 1
        state.lowest[arm] += 1
        update(state.policy, Observation(seen.t, arm, state.low, seen.p, seen.available, state.no_evidence), rng)


@kernel
def discount(state: MissingAsState, arm: int) -> float:
    """Return f: by how much an arm earns less than is seen of it, beside the arm that loses least."""
    least, overall, ratio = 0.0, 0.0, np.inf
    if state.pooled:
        overall, ratio = differences(state.answered, state.missed)
        least = 1.0
        for other in range(state.missed.size):
            least = min(least, share_of(state, other, overall, ratio))
    share = share_of(state, arm, overall, ratio)
    return max(1.0 - state.severity * share, ROUNDING_TOLERANCE) / max(1.0 - state.severity * least, ROUNDING_TOLERANCE)


@kernel
def share_of(state: MissingAsState, arm: int, overall: float, ratio: float) -> float:
    """Return the share of an arm that is missing, drawn towards the overall one."""
    asked = state.answered[arm] + state.missed[arm]
    if asked == 0:
        return overall
    own: float = state.missed[arm] / asked
    return own if ratio == np.inf else overall + ratio * asked / (ratio * asked + 1.0) * (own - overall)


@kernel
def differences(answered: Ints, missed: Ints) -> tuple[float, float]:
    """Return the overall share that is missing, and tau^2 over its binomial variance: how much more arms differ."""
    total, squares, lost, arms = 0.0, 0.0, 0.0, 0
    for arm in range(missed.size):
        asked = float(answered[arm] + missed[arm])
        total += asked
        squares += asked * asked
        lost += missed[arm]
        arms += asked > 0.0
    overall = lost / max(total, 1.0)
    variance, free = overall * (1.0 - overall), total - squares / max(total, 1.0)
    if arms < 2 or variance <= 0.0:
        return overall, 0.0
    q = 0.0
    for arm in range(missed.size):
        asked = float(answered[arm] + missed[arm])
        if asked > 0.0:
            away = missed[arm] / asked - overall
            q += asked * away * away / variance
    return overall, max(0.0, (q - (arms - 1)) / free)


@dataclass(frozen=True)
class MissingAs(Wrapper):
    """Plays a policy that counts missing answers against an arm, from 0 (not at all) to 1 (as the lowest rating).

    `low` is the lowest rating; it may be left out where the policy declares a range.
    """

    policy: Policy
    _: KW_ONLY
    severity: Share = 0.5
    low: float | None = None
    pooled: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.policy.learns_from_missing:
            raise ParameterError(f"policy must not count missing answers itself, got {self.policy!r}")

    @property
    def inner(self) -> Policy:
        """The policy that chooses."""
        return self.policy

    @property
    def signals(self) -> tuple[Signal, ...]:
        return self.policy.signals

    @property
    def learns_from_missing(self) -> bool:
        """Whether missing answers say anything."""
        return self.severity > 0

    def state(self, setting: Setting) -> MissingAsState:
        inner = self.policy.state(setting)
        low = self._lowest(inner)
        if setting.scale is not None and low not in setting.scale:
            inner = self.policy.state(replace(setting, scale=None))  # not all that it is told lies on the scale
        return new(
            MissingAsState,
            setting,
            policy=inner,
            no_evidence=np.full(len(setting.signals), NOT_GIVEN),
            low=low,
            severity=float(self.severity),
            pooled=self.pooled,
        )

    def _lowest(self, inner: State) -> float:
        ranges = list(ranges_of(inner))
        low = max((scale.low for scale in ranges), default=None) if self.low is None else self.low
        if low is None:
            raise ParameterError(f"low must be the lowest rating: {type(self.policy).__name__} knows none; got None")
        if any(not scale.low <= low <= scale.high for scale in ranges):
            raise ParameterError(f"low must lie in the range of {self.policy!r}, got {low!r}")
        return float(low)

    def estimates(self, state: MissingAsState) -> Floats:
        """Return the means with missing answers counted, also those that all arms lose alike."""
        seen = self.policy.estimates(state.policy)
        overall, ratio = differences(state.answered, state.missed) if self.pooled else (0.0, 0.0)
        shares = [share_of(state, arm, overall, ratio) for arm in range(seen.size)] if self.pooled else [0.0]
        return np.asarray(state.low + (1.0 - self.severity * min(shares)) * (seen - state.low))

    def indices(self, state: MissingAsState, ask: Ask) -> Floats:
        return self.policy.indices(state.policy, ask)

    def why_down_weighted(self, state: MissingAsState, arm: int, ratings: Sequence[float]) -> list[str]:
        """Return why the wrapped policy leaves a rating out; missing answers are no ratings."""
        came = iter(ratings)
        missing = state.was_missing[arm, : len(ratings) + state.lowest[arm]].tolist()
        told = [state.low if gone else next(came) for gone in missing]
        reasons = self.policy.why_down_weighted(state.policy, arm, told)
        return [reason for reason, gone in zip(reasons, missing, strict=True) if not gone]

    def explain_state(self, state: MissingAsState, arms: Sequence[str | int]) -> list[str]:
        """Return how many answers are missing, how many of them count, and what the wrapped policy says."""
        asked = (state.answered + state.missed).tolist()
        counts = zip(arms, asked, state.missed.tolist(), state.lowest.tolist(), strict=True)
        lost = [
            f"{arm}: {missed} of {of} answers are missing; {lowest} count as {state.low:g}"
            for arm, of, missed, lowest in counts
            if missed > 0
        ]
        return [*lost, *self.policy.explain_state(state.policy, arms)]
