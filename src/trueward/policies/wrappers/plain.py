"""A policy in plain Python: any object with `choose(t)` and `update(arm, reward)`, one fresh copy per trial.

    class MyPolicy:
        def choose(self, t): ...              # t = 1, 2, …; returns an arm
        def update(self, arm, reward): ...
        def begin(self, n_arms, horizon, rng): ...   # optional: called on each copy before its first round

It plays in the same game as every other policy, through the interpreted loop.
"""

import copy
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, choose, reset, update
from trueward.policies.base import Policy


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
    playing: dict[str, Any]
    n_arms: int
    horizon: int | None


@reset.register(PlainState)
def reset_plain(state: PlainState) -> None:
    """Take a fresh copy; it begins when its random numbers are at hand, in the first round."""
    state.playing["policy"] = copy.deepcopy(state.prototype)


@choose.register(PlainState)
def choose_plain(state: PlainState, t: int, rng: np.random.Generator) -> int:
    """Ask the copy."""
    policy = state.playing["policy"]
    if t == 1 and hasattr(policy, "begin"):
        policy.begin(state.n_arms, state.horizon, rng)
    return checks.arm_index(f"the arm that {type(policy).__name__} chose in round {t}", policy.choose(t), state.n_arms)


@update.register(PlainState)
def update_plain(state: PlainState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Tell the copy."""
    state.playing["policy"].update(arm, float(reward))


@dataclass(frozen=True)
class Plain(Policy):
    """Wraps a plain Python object for the game."""

    prototype: Any

    @property
    def interpreted_only(self) -> bool:
        """It is plain Python."""
        return True

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> PlainState:  # noqa: ARG002 - its own affair
        """Return a state without a copy yet."""
        return PlainState(self.prototype, {}, n_arms, horizon)

    def estimates(self, state: PlainState) -> Floats:
        """Return NaN: what it believes is its own affair."""
        return np.full(state.n_arms, np.nan)

    def probabilities(self, state: PlainState, t: int) -> Floats:  # noqa: ARG002 - unknown
        """Return NaN: they are not known."""
        return np.full(state.n_arms, np.nan)
