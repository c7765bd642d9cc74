"""EXP3: exponential weights for adversarial rewards."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import above, at_most
from trueward.policies.declared_range import DeclaredRange, gain_of
from trueward.policies.sampling.sampling_policy import (
    RangedPolicy,
    credit_unavailable_arms,
    distribute,
    exponential_weights,
)


class Exp3State(NamedTuple):
    """Importance-weighted sums of gains."""

    gains: Annotated[Floats, per_arm(0.0)]
    rewards: Annotated[Ints, single(0)]  # number of rewards seen
    scale: DeclaredRange
    gamma: float


@distribute.register(Exp3State)
def weigh_gains(state: Exp3State, ask: Ask) -> None:
    exponential_weights(state.gains, state.gamma, ask.p.size, state.gamma, ask.p)


@update.register(Exp3State)
def add_gain(state: Exp3State, seen: Observation, rng: np.random.Generator) -> None:
    state.rewards[0] += 1
    gain = gain_of(state.scale, seen)
    state.gains[seen.arm] += gain / seen.p[seen.arm]
    credit_unavailable_arms(state.gains, seen, gain)


@dataclass(frozen=True, kw_only=True)
class EXP3(RangedPolicy):
    """EXP3: exponential weights for adversarial rewards.

        w_a = exp(gamma G_a / K),    p_a = (1 - gamma) w_a / sum(w) + gamma / K,
        G_A += gain / p_A for the arm A played;    K arms;    gain is the reward scaled to [0, 1]

    The guarantee is about the rewards observed: contamination counts as reward and misleads EXP3 as it misleads any
    other policy, only more slowly. It does withstand rewards that change arbitrarily over time.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    gamma : float, optional
        Exploration rate in (0, 1]. Default: min(1, sqrt(K ln K / ((e - 1) T))), which needs the horizon.

    Notes
    -----
    Guarantee: the expected regret against the best arm in the observed rewards is at most 2.63 sqrt(T K ln K) times
    the width of the range.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = EXP3((0, 10), gamma=0.2)
    >>> state = policy.start(2)
    >>> state.gains[:] = 10.0, 0.0
    >>> policy.probabilities(state, make_ask(20, 2)).round(3).tolist()
    [0.685, 0.315]

    References
    ----------
    Auer, Cesa-Bianchi, Freund & Schapire (2002), Figure 1 and Corollary 3.2.
    """

    gamma: Annotated[float, above(0), at_most(1)] | None = None

    @property
    def needs_horizon(self) -> bool:
        """Whether gamma is left at its default, which depends on the horizon."""
        return self.gamma is None

    def state(self, setting: Setting) -> Exp3State:
        n_arms = setting.n_arms
        gamma = self.gamma or min(1.0, math.sqrt(n_arms * math.log(n_arms) / ((math.e - 1.0) * setting.rounds)))
        return new(Exp3State, setting, scale=self.declared_range, gamma=float(gamma))

    def estimates(self, state: Exp3State) -> Floats:
        """Return the importance-weighted mean of each arm: unbiased, and possibly outside the range."""
        return np.asarray(state.scale.low + state.scale.width * state.gains / (state.rewards[0] or math.nan))
