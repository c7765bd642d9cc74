"""The base class of policies that wrap another policy."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask
from trueward.estimators.estimator import Estimator
from trueward.policies.policy import Policy


class Wrapper(Policy):
    """A policy that wraps another one. The wrapped policy's state is the field `policy` of its own state."""

    @property
    @abstractmethod
    def inner(self) -> Policy:
        """The wrapped policy."""

    def estimates(self, state: Any) -> Floats:
        return self.inner.estimates(state.policy)

    def probabilities(self, state: Any, ask: Ask) -> Floats:
        return self.inner.probabilities(state.policy, ask)

    def why_down_weighted(self, state: Any, arm: int, ratings: Sequence[float]) -> list[str]:
        return self.inner.why_down_weighted(state.policy, arm, ratings)

    def explain_state(self, state: Any, arms: Sequence[str | int]) -> list[str]:
        return self.inner.explain_state(state.policy, arms)

    @property
    def robust_mean(self) -> Estimator | None:
        return self.inner.robust_mean

    @property
    def samples(self) -> bool:
        return self.inner.samples

    @property
    def learns_from_missing(self) -> bool:
        return self.inner.learns_from_missing

    @property
    def needs_horizon(self) -> bool:
        return self.inner.needs_horizon

    @property
    def interpreted_only(self) -> bool:
        return self.inner.interpreted_only
