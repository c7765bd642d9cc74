"""What a bandit believes, and which ratings it set aside: in numbers, and in words."""

import math
from dataclasses import dataclass

import numpy as np

from trueward.engine.kernel import State
from trueward.errors import UnknownArmError
from trueward.estimators.mean import Mean
from trueward.live.evidence import unused
from trueward.live.log import Log
from trueward.policies.declared_range import clip_to_ranges
from trueward.policies.policy import Policy


@dataclass(frozen=True)
class TrimmedRating:
    """A rating that does not count, and why."""

    ticket: int
    reward: float
    reason: str


@dataclass(frozen=True)
class ArmExplanation:
    """What is believed of one arm."""

    arm: str | int
    ratings: int
    estimate: float  # what the policy believes; NaN before the first rating
    mean: float  # the plain mean of all ratings, beside it
    trimmed: tuple[TrimmedRating, ...]

    def __str__(self) -> str:
        if self.ratings == 0:
            return f"{self.arm}: no ratings yet"
        ratings = "1 rating" if self.ratings == 1 else f"{self.ratings} ratings"
        head = f"{self.arm}: {ratings}, estimate {self.estimate:.4g}, plain mean {self.mean:.4g}"
        return "\n".join([head, *(f"  {r.reward:g} (ticket {r.ticket}) {r.reason}" for r in self.trimmed)])


@dataclass(frozen=True)
class Explanation:
    """What is believed of every arm, and what the policy adds to it."""

    arms: tuple[ArmExplanation, ...]
    remarks: tuple[str, ...] = ()

    def __getitem__(self, arm: str | int) -> ArmExplanation:
        """Return the explanation of one arm."""
        for explanation in self.arms:
            if explanation.arm == arm:
                return explanation
        raise UnknownArmError(f"there is no arm {arm!r}; the arms are {', '.join(repr(e.arm) for e in self.arms)}")

    def __str__(self) -> str:
        return "\n".join([*map(str, self.arms), *self.remarks])


def explain(policy: Policy, state: State, log: Log) -> Explanation:
    """Return what a policy believes after the ratings of a log that count."""
    estimates = policy.estimates(state).tolist()
    arms = tuple(_explain_arm(policy, state, log, arm, estimate) for arm, estimate in enumerate(estimates))
    signals = [signal.name for signal in policy.signals]
    return Explanation(
        arms, (*policy.explain_state(state, log.arms), *unused(log.evidence.values(), signals, type(policy).__name__))
    )


def _explain_arm(policy: Policy, state: State, log: Log, arm: int, estimate: float) -> ArmExplanation:
    counted = log.counted()
    mine = (counted.arms == arm) & ~np.isnan(counted.rewards)
    ratings = dict(zip(counted.numbers[mine].tolist(), counted.rewards[mine].tolist(), strict=True))
    seen = [clip_to_ranges(state, reward) for reward in ratings.values()]
    reasons = policy.why_down_weighted(state, arm, seen) if seen else []
    told = zip(ratings.items(), reasons, strict=True)
    aside = tuple(TrimmedRating(number, reward, reason) for (number, reward), reason in told if reason)
    return ArmExplanation(log.arms[arm], len(seen), estimate, float(Mean()(seen)) if seen else math.nan, aside)
