"""The base class of policies that wrap another policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask
from trueward.estimators.estimator import Estimator
from trueward.policies.policy import Policy


@dataclass(frozen=True)
class Wrapper(Policy):
    """A policy that wraps another one. The wrapped policy's state is the field `policy` of its own state.

    Parameters
    ----------
    policy : Policy
        The wrapped policy.
    """

    policy: Policy

    def estimates(self, state: Any) -> Floats:
        return self.policy.estimates(state.policy)

    def probabilities(self, state: Any, ask: Ask) -> Floats:
        return self.policy.probabilities(state.policy, ask)

    def why_down_weighted(self, state: Any, arm: int, ratings: Sequence[float]) -> list[str]:
        return self.policy.why_down_weighted(state.policy, arm, ratings)

    def explain_state(self, state: Any, arms: Sequence[str | int]) -> list[str]:
        return self.policy.explain_state(state.policy, arms)

    @property
    def robust_mean(self) -> Estimator | None:
        return self.policy.robust_mean

    @property
    def samples(self) -> bool:
        return self.policy.samples

    @property
    def learns_from_missing(self) -> bool:
        return self.policy.learns_from_missing

    @property
    def needs_horizon(self) -> bool:
        return self.policy.needs_horizon

    @property
    def interpreted_only(self) -> bool:
        return self.policy.interpreted_only
