"""EXP3: exponential weights for rewards that an adversary may choose.

    w_a = exp(gamma G_a / K),   p_a = (1 - gamma) w_a / sum(w) + gamma / K,   G_A += gain / p_A

The default gamma = min(1, sqrt(K ln K / ((e - 1) T))) needs the horizon. Its guarantee is about the rewards *seen*, so
contamination turns it as it turns any other; it only turns more slowly.

Guarantee: against the best arm in the rewards seen, a regret of at most 2.63 sqrt(T K ln K), in widths of the range.

Reference: Auer, Cesa-Bianchi, Freund & Schapire (2002), Figure 1 and Corollary 3.2.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import above, at_most
from trueward.policies.declared_range import DeclaredRange, gain_of
from trueward.policies.sampling.sampling_policy import RangedPolicy, credit_sleepers, distribute, exponential_weights


class Exp3State(NamedTuple):
    """Importance-weighted gains."""

    gains: Annotated[Floats, per_arm(0.0)]
    rewards: Annotated[Ints, single(0)]  # how many were seen
    scale: DeclaredRange
    gamma: float


@distribute.register(Exp3State)
def weigh_gains(state: Exp3State, ask: Ask) -> None:
    """Weigh the gains exponentially, and mix in exploration."""
    exponential_weights(state.gains, state.gamma, ask.p.size, state.gamma, ask.p)


@update.register(Exp3State)
def add_gain(state: Exp3State, seen: Observation, rng: np.random.Generator) -> None:
    """Add the gain, weighted by the probability of its arm."""
    state.rewards[0] += 1
    gain = gain_of(state.scale, seen)
    state.gains[seen.arm] += gain / seen.p[seen.arm]
    credit_sleepers(state.gains, seen, gain)


@dataclass(frozen=True, kw_only=True)
class EXP3(RangedPolicy):
    """Exponential weights on importance-weighted gains; gamma by default from the horizon."""

    gamma: Annotated[float, above(0), at_most(1)] | None = None

    @property
    def needs_horizon(self) -> bool:
        """The default gamma depends on it."""
        return self.gamma is None

    def state(self, setting: Setting) -> Exp3State:
        n_arms = setting.n_arms
        gamma = self.gamma or min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * setting.rounds)))
        return new(Exp3State, setting, scale=self.declared, gamma=float(gamma))

    def estimates(self, state: Exp3State) -> Floats:
        """Return the importance-weighted mean of each arm, an unbiased estimate that may leave the range."""
        return np.asarray(state.scale.low + state.scale.width * state.gains / (state.rewards[0] or math.nan))
