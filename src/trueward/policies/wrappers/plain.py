"""A policy in plain Python: any object with `choose(t)` and `update(arm, reward)`, one fresh copy per trial.

    class MyPolicy:
        def choose(self, t): ...              # t = 1, 2, …; returns an arm
        def update(self, arm, reward): ...
        def begin(self, n_arms, horizon, rng): ...   # optional: called on each copy before anything else

It plays in the same game as every other policy, through the interpreted loop.
"""

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
    """What a plain policy must have."""

    def choose(self, t: int) -> int:
        """Return the arm to play in round t."""
        ...

    def update(self, arm: int, reward: float) -> None:
        """Learn from a reward."""
        ...


class PlainState(NamedTuple):
    """The copy that plays the trial under way."""

    prototype: Any
    playing: list[Any]  # the copy, once it is needed
    n_arms: int
    horizon: int | None


@reset.register(PlainState)
def drop_copy(state: PlainState) -> None:
    """Take a fresh copy when one is needed."""
    state.playing.clear()


def copy_at_play(state: PlainState, rng: np.random.Generator) -> Any:
    """Return the copy that plays the trial under way; a fresh one begins now that its random numbers are at hand."""
    if not state.playing:
        policy = copy.deepcopy(state.prototype)
        if hasattr(policy, "begin"):
            policy.begin(state.n_arms, state.horizon, rng)
        state.playing.append(policy)
    return state.playing[0]


@choose.register(PlainState)
def ask_copy(state: PlainState, ask: Ask, rng: np.random.Generator) -> int:
    """Ask the copy."""
    policy = copy_at_play(state, rng)
    name = f"the arm that {type(policy).__name__} chose in round {ask.t}"
    return check_arm_index(name, policy.choose(ask.t), state.n_arms)


@update.register(PlainState)
def tell_copy(state: PlainState, seen: Observation, rng: np.random.Generator) -> None:
    """Tell the copy."""
    copy_at_play(state, rng).update(seen.arm, float(seen.reward))


@dataclass(frozen=True)
class Plain(Policy):
    """Wraps a plain Python object for the game."""

    prototype: Any

    interpreted_only = True

    def state(self, setting: Setting) -> PlainState:
        return PlainState(self.prototype, [], setting.n_arms, setting.horizon)

    def estimates(self, state: PlainState) -> Floats:
        """Return NaN: what it believes is its own affair."""
        return np.full(state.n_arms, np.nan)

    def probabilities(self, state: PlainState, ask: Ask) -> Floats:  # noqa: ARG002 - unknown
        """Return NaN: they are not known."""
        return np.full(state.n_arms, np.nan)
