"""What a policy around another one leaves to it."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from trueward.engine.kernel import Floats
from trueward.engine.stages import Ask
from trueward.estimators.base import Estimator
from trueward.policies.base import Policy


class Wrapper(Policy):
    """A policy around another one, whose state is the field `policy` of its own."""

    @property
    @abstractmethod
    def inner(self) -> Policy:
        """The policy inside."""

    def estimates(self, state: Any) -> Floats:
        return self.inner.estimates(state.policy)

    def probabilities(self, state: Any, ask: Ask) -> Floats:
        return self.inner.probabilities(state.policy, ask)

    def why_aside(self, state: Any, arm: int, ratings: Sequence[float]) -> list[str]:
        return self.inner.why_aside(state.policy, arm, ratings)

    def account(self, state: Any, arms: Sequence[str | int]) -> list[str]:
        return self.inner.account(state.policy, arms)

    @property
    def robust_mean(self) -> Estimator | None:
        return self.inner.robust_mean

    @property
    def samples(self) -> bool:
        return self.inner.samples

    @property
    def heeds_missing(self) -> bool:
        return self.inner.heeds_missing

    @property
    def needs_horizon(self) -> bool:
        return self.inner.needs_horizon

    @property
    def interpreted_only(self) -> bool:
        return self.inner.interpreted_only
