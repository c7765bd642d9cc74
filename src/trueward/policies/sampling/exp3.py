"""EXP3: exponential weights for rewards that an adversary may choose.

    w_a = exp(gamma G_a / K),   p_a = (1 - gamma) w_a / sum(w) + gamma / K,   G_A += gain / p_A

The default gamma = min(1, sqrt(K ln K / ((e - 1) T))) needs the horizon. Its guarantee is about the rewards *seen*, so
contamination turns it as it turns any other; it only turns more slowly.

Guarantee: against the best arm in the rewards seen, a regret of at most 2.63 sqrt(T K ln K), in widths of the range.

Reference: Auer, Cesa-Bianchi, Freund & Schapire (2002), Figure 1 and Corollary 3.2.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, exp, reset, update
from trueward.policies.base import SamplingPolicy, credit_sleepers, distribute
from trueward.policies.choosing import draw_from
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, declared_range, gain_of


class Exp3State(NamedTuple):
    """Importance-weighted gains."""

    gains: Floats  # (arms,)
    p: Floats  # (arms,)
    rewards: Ints  # (1,) how many were seen
    scale: DeclaredRange
    gamma: float


@reset.register(Exp3State)
def reset_exp3(state: Exp3State) -> None:
    """Forget all rewards."""
    state.gains[:] = 0.0
    state.rewards[0] = 0


@distribute.register(Exp3State)
def distribute_exp3(state: Exp3State, t: int) -> None:
    """Weigh the gains exponentially, relative to the highest, and mix in exploration."""
    n_arms = state.p.size
    top = state.gains[0]
    for arm in range(1, n_arms):
        top = max(top, state.gains[arm])
    total = 0.0
    for arm in range(n_arms):
        state.p[arm] = exp(state.gamma * (state.gains[arm] - top) / n_arms)
        total += state.p[arm]
    for arm in range(n_arms):
        state.p[arm] = (1.0 - state.gamma) * state.p[arm] / total + state.gamma / n_arms


@choose.register(Exp3State)
def choose_exp3(state: Exp3State, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(Exp3State)
def update_exp3(state: Exp3State, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Add the gain, weighted by the probability of its arm."""
    state.rewards[0] += 1
    gain = gain_of(state.scale, t, arm, reward)
    state.gains[arm] += gain / state.p[arm]
    credit_sleepers(state.gains, state.p, gain)


@dataclass(frozen=True)
class EXP3(SamplingPolicy):
    """Exponential weights on importance-weighted gains; gamma by default from the horizon."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    gamma: float | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        if self.gamma is not None:
            checks.number("gamma", self.gamma, above=0, at_most=1)

    @property
    def needs_horizon(self) -> bool:
        """The default gamma depends on it."""
        return self.gamma is None

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> Exp3State:  # noqa: ARG002 - keeps no rewards
        """Return a fresh state."""
        gamma = self.gamma
        if gamma is None:
            plays = self.known_horizon(horizon)
            gamma = min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * plays)))
        gains, p = np.zeros(n_arms), np.full(n_arms, 1.0 / n_arms)
        return Exp3State(gains, p, np.zeros(1, np.int64), declared_range(self.range, self.outside), float(gamma))

    def estimates(self, state: Exp3State) -> Floats:
        """Return the importance-weighted mean of each arm, an unbiased estimate that may leave the range."""
        if state.rewards[0] == 0:
            return np.full(state.gains.size, np.nan)
        width = state.scale.high - state.scale.low
        return np.asarray(state.scale.low + width * state.gains / state.rewards[0])
