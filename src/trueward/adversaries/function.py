"""A user's own adversary: a plain Python function with the full knowledge that the paper grants.

    def attack(view, t, arm, reward, rng):
        return 0.0 if arm == 0 else None        # None leaves the true reward

`view.truth` is the whole table of true rewards, future ones included; `view.arms` and `view.observed` are the past;
`view.pulls` and `view.touched` count per arm; `view.learner` is the policy's state. Every array is read-only. With a
`budget`, the game delivers the truth past it, and counts the attempt.
"""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary
from trueward.arms.arms import Arms
from trueward.engine.protocol import UNTOUCHED, View, contaminate
from trueward.errors import ParameterError
from trueward.parameters import Share, check_reward

Attack = Callable[[View, int, int, float, np.random.Generator], float | None]


def _read_only(field: Any) -> Any:
    """Return a look at an array, or at all arrays of a state, that cannot change them."""
    if hasattr(field, "_fields"):
        return type(field)(*map(_read_only, field))
    if not isinstance(field, np.ndarray):
        return field
    look = field.view()
    look.flags.writeable = False
    return look


class FunctionAttack(NamedTuple):
    """The function."""

    function: Attack


@contaminate.register(FunctionAttack)
def contaminate_function(
    state: FunctionAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Ask the function, with arrays that it cannot change; the past ends with the round before this one."""
    look = _read_only(view._replace(arms=view.arms[: t - 1], observed=view.observed[: t - 1]))
    value = state.function(look, t, arm, float(reward), rng)
    if value is None:
        return UNTOUCHED
    return check_reward(value, f"arm {arm} in round {t}, as the adversary contaminated it,")


@dataclass(frozen=True)
class FunctionAdversary(AdaptiveAdversary):
    """Contaminates as a Python function says, within a budget if one is declared."""

    function: Attack
    _: KW_ONLY
    budget: Share | None = None

    observes_learner = True
    interpreted_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise ParameterError(f"function must be a function (view, t, arm, reward, rng), got {self.function!r}")

    def start(self, arms: Arms, horizon: int) -> FunctionAttack:  # noqa: ARG002 - it sees the view
        return FunctionAttack(self.function)
