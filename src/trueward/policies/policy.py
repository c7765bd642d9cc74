"""The base class of all policies."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from trueward.engine.kernel import Floats, State
from trueward.engine.protocol import Ask, reset
from trueward.engine.states import Setting, check_declared
from trueward.errors import ParameterError, TruewardError
from trueward.estimators.estimator import Estimator
from trueward.parameters import Checked
from trueward.policies.signals import Signal, check_signals


class Policy(Checked, ABC):
    """A rule that chooses an arm in each round and learns from the rewards it observes.

    A policy is a frozen dataclass of parameters. What it learns is in a separate state, a `NamedTuple` of arrays, which
    `start` returns. The same policy can therefore play many games, and the same state plays interpreted and compiled.

    To write a policy, derive from `IndexPolicy`, `SamplingPolicy` or `Policy` and provide

    - `state(setting)`, which returns an empty state, `estimates(state)` and `probabilities(state, ask)` (an
      `IndexPolicy` and a `SamplingPolicy` have the last one already);
    - kernels for the class of that state: `update`, which learns from a reward, and one of `score` (the arm with the
      highest score is played), `distribute` (an arm is drawn from the probabilities it fills in), `sample_mean` (the
      arm with the highest posterior draw is played) or `choose` itself.

    `trueward new policy mine.py` writes such a file.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import choose, make_ask, make_observation, update
    >>> policy, rng = tw.UCB(sigma=1.0), np.random.default_rng(0)
    >>> state = policy.start(n_arms=2)
    >>> update(state, make_observation(0, 4.0, n_arms=2), rng)
    >>> policy.estimates(state).tolist()
    [4.0, nan]
    >>> choose(state, make_ask(2, 2), rng)  # in round 2, the arm without a reward
    1
    """

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
        """Return a new state, before the first round.

        Parameters
        ----------
        n_arms : int
            Number of arms.
        horizon : int, optional
            Number of rounds, if it is known.
        capacity : int
            Number of rewards of each arm that the state can store.
        scale : array, optional
            The values that rewards can take, if they are known: some estimators are faster with them.
        signals : tuple of str
            Names of the evidence that may come with a reward, in the order of `Observation.evidence`.
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
        """Return an empty state for a setting; users call `start`, which also checks and resets it."""

    @abstractmethod
    def estimates(self, state: State) -> Floats:
        """Return the estimated mean of each arm, in units of the reward; NaN for an arm without a reward."""

    @abstractmethod
    def probabilities(self, state: State, ask: Ask) -> Floats:
        """Return the probability that each arm is chosen; the state does not change."""

    def indices(self, state: State, ask: Ask) -> Floats:  # noqa: ARG002 - for policies that have one
        """Return the index of each arm; the arm with the highest index is played."""
        raise TruewardError(f"{type(self).__name__} has no index; use its probabilities instead")

    @property
    def robust_mean(self) -> Estimator | None:
        """The estimator that decides which rewards of an arm count, if there is one."""
        estimator = getattr(self, "estimator", None)
        return estimator if isinstance(estimator, Estimator) else None

    def why_down_weighted(self, state: State, arm: int, ratings: Sequence[float]) -> list[str]:  # noqa: ARG002 - as the estimator says
        """Return the reason why each of an arm's ratings does not count fully, in the order observed; "" if it does."""
        return self.robust_mean.why_down_weighted(ratings) if self.robust_mean else [""] * len(ratings)

    def explain_state(self, state: State, arms: Sequence[str | int]) -> list[str]:  # noqa: ARG002 - for policies that have more
        """Return sentences about what was learned beyond the estimates; `arms` are the names of the arms."""
        return []

    @property
    def signals(self) -> tuple[Signal, ...]:
        """The signals of a bad rating that this policy uses; none by default."""
        return ()

    @property
    def samples(self) -> bool:
        """Whether the arm is drawn from known probabilities, which an update needs again to weight the reward."""
        return False

    @property
    def learns_from_missing(self) -> bool:
        """Whether missing rewards are learned from: the state has a kernel for `update_missing`."""
        return False

    @property
    def needs_horizon(self) -> bool:
        """Whether the number of rounds must be known."""
        return False

    @property
    def interpreted_only(self) -> bool:
        """Whether the policy is plain Python and cannot be compiled."""
        return False
