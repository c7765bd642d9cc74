"""An adversary that calls a Python function in each round."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import Any, NamedTuple

import numpy as np

from trueward.adversaries.adversary import AdaptiveAdversary
from trueward.arms.arms import Arms
from trueward.engine.protocol import UNTOUCHED, View, contaminate
from trueward.errors import ParameterError
from trueward.parameters import Share, check_reward

AttackFunction = Callable[[View, int, int, float, np.random.Generator], float | None]


def _read_only(value: Any) -> Any:
    """Return an array, or a state with its arrays, as views that cannot be written to."""
    if hasattr(value, "_fields"):
        return type(value)(*map(_read_only, value))
    if not isinstance(value, np.ndarray):
        return value
    view = value.view()
    view.flags.writeable = False
    return view


class FunctionAttack(NamedTuple):
    function: AttackFunction


@contaminate.register(FunctionAttack)
def call_function(
    state: FunctionAttack, view: View, t: int, arm: int, reward: float, rng: np.random.Generator
) -> float:
    """Call the function with read-only arrays whose past ends with the round before this one."""
    past = _read_only(view._replace(arms=view.arms[: t - 1], observed=view.observed[: t - 1]))
    value = state.function(past, t, arm, float(reward), rng)
    if value is None:
        return UNTOUCHED
    return check_reward(value, f"arm {arm} in round {t}, as the adversary contaminated it,")


@dataclass(frozen=True)
class FunctionAdversary(AdaptiveAdversary):
    """An adversary of your own: a Python function with the full knowledge that Niss & Tewari (2020) grant.

        def attack(view, t, arm, reward, rng):
            return 0.0 if arm == 0 else None        # None leaves the true reward

    It is called in each round t = 1, 2, … after the policy chose `arm`, with the arm's true `reward` and a NumPy
    generator of its own. `view` has read-only arrays:

        view.truth                 all true rewards, (rounds, arms), future ones included
        view.arms, view.observed   the arms played and the rewards shown before this round
        view.pulls, view.touched   rewards and contaminated rewards so far, by arm
        view.learner               the policy's state

    Games with it are interpreted, not compiled. `play` accepts the bare function, too.

    Parameters
    ----------
    function : callable
        Called as function(view, t, arm, reward, rng); returns the reward to show, or None to leave the true one.
    budget : float, optional
        Largest fraction in [0, 1] of each arm's rewards, at every moment, that the game lets it contaminate. Past it
        the true reward is shown and the attempt is counted in `Trace.refused`. Default: no limit.

    Examples
    --------
    >>> import trueward as tw
    >>> def attack(view, t, arm, reward, rng):
    ...     return 0.0 if arm == 0 else None
    >>> arms = tw.BinomialArms(n=10, p=[0.9, 0.8])
    >>> trace = tw.play(tw.UCB(sigma=1.3), arms, tw.FunctionAdversary(attack, budget=0.2), horizon=100)
    >>> trace.pulls[0, -1].tolist(), trace.touched[0].tolist(), trace.refused.tolist()
    ([20, 80], [4, 0], [16])

    References
    ----------
    The adversary's knowledge: Niss & Tewari (2020), section 2.1.
    """

    function: AttackFunction
    _: KW_ONLY
    budget: Share | None = None

    observes_learner = True
    interpreted_only = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.function):
            raise ParameterError(f"function must be a function (view, t, arm, reward, rng), got {self.function!r}")

    def start(self, arms: Arms, horizon: int) -> FunctionAttack:  # noqa: ARG002 - it gets everything in the view
        return FunctionAttack(self.function)
