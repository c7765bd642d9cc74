"""What every policy offers: a state to play with, and looks into it that change nothing."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import Ask, reset
from trueward.engine.states import Setting, check_declared
from trueward.errors import ParameterError, TruewardError
from trueward.estimators.estimator import Estimator
from trueward.parameters import Checked
from trueward.policies.signals import Signal, check_signals


class Policy(Checked, ABC):
    """A rule that chooses an arm in each round and learns from the reward it sees."""

    example: ClassVar[str] = "UCB(sigma=1)"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_signals(self.signals)

    def start(
        self,
        n_arms: int,
        *,
        horizon: int | None = None,
        capacity: int = 64,
        scale: Floats | None = None,
        signals: tuple[str, ...] = (),
    ) -> State:
        """Return a fresh state, for up to `capacity` rewards of each arm.

        `scale` are the values that rewards will take, and `signals` the names of what may come with them.
        """
        if horizon is None and self.needs_horizon:
            raise ParameterError(f"{type(self).__name__} needs a horizon, the number of rounds; got None")
        state = self.state(Setting(n_arms, horizon, capacity, scale, signals))
        if not self.interpreted_only:
            check_declared(state)
            reset(state)
        return state

    @abstractmethod
    def state(self, setting: Setting) -> State:
        """Return a state with room for a setting."""

    @abstractmethod
    def estimates(self, state: State) -> Floats:
        """Return the mean it believes of each arm, in units of the reward; NaN for an arm not yet pulled."""

    @abstractmethod
    def probabilities(self, state: State, ask: Ask) -> Floats:
        """Return the probability that it plays each arm."""

    def outlook(self, state: State, before: Any = None) -> Any:  # noqa: ARG002 - for policies whose probabilities take long
        """Return what its probabilities need of the state alone, which many asks share until the next reward.

        `before` is the outlook before some rewards, which may be used up.
        """
        return None

    def probabilities_by(self, outlook: Any, state: State, ask: Ask) -> Floats:  # noqa: ARG002 - as in `outlook`
        """Return the `probabilities`, where the outlook is known."""
        return self.probabilities(state, ask)

    def indices(self, state: State, ask: Ask) -> Floats:  # noqa: ARG002 - for policies that have one
        """Return the index of each arm; the highest is played."""
        raise TruewardError(f"{type(self).__name__} has no index; ask for its probabilities")

    @property
    def robust_mean(self) -> Estimator | None:
        """The estimator that decides which of an arm's ratings count, if there is one."""
        found = getattr(self, "estimator", None)
        return found if isinstance(found, Estimator) else None

    def why_down_weighted(self, state: State, arm: int, ratings: Sequence[float]) -> list[str]:  # noqa: ARG002 - as the estimator says
        """Return, for each of an arm's ratings in the order told, why it does not count, or an empty string."""
        reasons = self.robust_mean.why_trimmed(ratings) if self.robust_mean else [""] * len(ratings)
        return [reason and f"trimmed: {reason}" for reason in reasons]

    def explain_state(self, state: State, arms: Sequence[str | int]) -> list[str]:  # noqa: ARG002 - for policies that have more
        """Return what it believes beside the estimates, in sentences; `arms` are their names."""
        return []

    @property
    def signals(self) -> tuple[Signal, ...]:
        """What it makes of the evidence that comes with a rating; by default nothing."""
        return ()

    @property
    def samples(self) -> bool:
        """Whether it draws its arm from probabilities, with which it weighs the reward when that comes."""
        return False

    @property
    def learns_from_missing(self) -> bool:
        """Whether it learns something where no reward comes: it has a kernel for `miss`."""
        return False

    @property
    def needs_horizon(self) -> bool:
        """Whether it can be played only when the number of rounds is known."""
        return False

    @property
    def interpreted_only(self) -> bool:
        """Whether it is plain Python that cannot be compiled."""
        return False
