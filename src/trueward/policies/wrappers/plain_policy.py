"""The adapter that lets a policy in plain Python play in the same games as every other policy."""

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from trueward.engine.kernel import Floats
from trueward.engine.protocol import Ask, Observation, choose, reset, update
from trueward.engine.states import Setting
from trueward.parameters import check_arm_index
from trueward.policies.policy import Policy


@runtime_checkable
class PlainPolicy(Protocol):
    """A policy in plain Python: any object with `choose(t)` and `update(arm, reward)`.

    It needs neither Numba nor any class of this package. `play` makes one deep copy per trial, so an object need not
    reset itself. It plays through the interpreted loop, and its choices are checked: an arm that does not exist is an
    error that names the policy and the round.

    A method `begin(n_arms, horizon, rng)` is optional. It is called once on each copy, before everything else;
    `horizon` is None if it is not known, and `rng` is the random generator of the trial. A policy that draws random
    numbers should use it, so that the game is reproducible.

    Examples
    --------
    >>> import trueward as tw
    >>> class FollowTheLeader:
    ...     def begin(self, n_arms, horizon, rng):
    ...         self.sums, self.pulls = [0.0] * n_arms, [0] * n_arms
    ...     def choose(self, t):
    ...         untried = [arm for arm, n in enumerate(self.pulls) if n == 0]
    ...         means = [s / max(n, 1) for s, n in zip(self.sums, self.pulls)]
    ...         return untried[0] if untried else means.index(max(means))
    ...     def update(self, arm, reward):
    ...         self.sums[arm] += reward
    ...         self.pulls[arm] += 1
    >>> trace = tw.play(FollowTheLeader(), tw.BernoulliArms([0.2, 1.0]), horizon=20, trials=2)
    >>> trace.pulls[:, -1].tolist()
    [[1, 19], [1, 19]]
    """

    def choose(self, t: int) -> int:
        """Return the arm to play in round t = 1, 2, …: an integer from 0 to the number of arms - 1."""
        ...

    def update(self, arm: int, reward: float) -> None:
        """Learn from the observed reward of an arm."""
        ...


class PlainPolicyState(NamedTuple):
    """The copy that plays the current trial."""

    prototype: Any
    player: list[Any]  # empty until the first call in a trial, then one copy of the prototype
    n_arms: int
    horizon: int | None


@reset.register(PlainPolicyState)
def discard_copy(state: PlainPolicyState) -> None:
    state.player.clear()


def current_copy(state: PlainPolicyState, rng: np.random.Generator) -> Any:
    """Return the copy that plays this trial; make it first if there is none, now that its generator is known."""
    if not state.player:
        policy = copy.deepcopy(state.prototype)
        if hasattr(policy, "begin"):
            policy.begin(state.n_arms, state.horizon, rng)
        state.player.append(policy)
    return state.player[0]


@choose.register(PlainPolicyState)
def choose_by_copy(state: PlainPolicyState, ask: Ask, rng: np.random.Generator) -> int:
    policy = current_copy(state, rng)
    name = f"the arm that {type(policy).__name__} chose in round {ask.t}"
    return check_arm_index(name, policy.choose(ask.t), state.n_arms)


@update.register(PlainPolicyState)
def update_copy(state: PlainPolicyState, seen: Observation, rng: np.random.Generator) -> None:
    current_copy(state, rng).update(seen.arm, float(seen.reward))


@dataclass(frozen=True)
class PlainPolicyAdapter(Policy):
    """Adapts a `PlainPolicy` to the game; `play` applies it by itself.

    Parameters
    ----------
    prototype : PlainPolicy
        The object of which every trial gets a fresh copy.
    """

    prototype: Any

    interpreted_only = True

    def state(self, setting: Setting) -> PlainPolicyState:
        return PlainPolicyState(self.prototype, [], setting.n_arms, setting.horizon)

    def estimates(self, state: PlainPolicyState) -> Floats:
        """Return NaN: a plain policy does not report its estimates."""
        return np.full(state.n_arms, np.nan)

    def probabilities(self, state: PlainPolicyState, ask: Ask) -> Floats:  # noqa: ARG002 - unknown
        """Return NaN: a plain policy does not report its probabilities."""
        return np.full(state.n_arms, np.nan)
