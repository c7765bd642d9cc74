"""The family of policies that draw their arm from probabilities, which they know.

A state that has a kernel for `distribute` needs none for `choose`: the arm is drawn from what it fills in. The same
probabilities come back with the reward, in the observation, whenever that comes.

Rewards may be late: asks under way change no probability, with which rewards are weighed; draws spread the asks over
the arms by themselves. Only policies that try every arm first count them as looks (`first_look`).
"""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from trueward.engine.kernel import Floats, State, exp, generic, kernel
from trueward.engine.protocol import Ask, Observation, choose
from trueward.parameters import Range
from trueward.policies.declared_range import DeclaredRange, Outside, declared_range
from trueward.policies.policy import Policy
from trueward.policies.selection import sample_categorical

Preset = Literal["paper", "practical"]  # the constants of the source, or some that learn within a thousand rounds


@generic
def distribute(state: State, ask: Ask) -> None:
    """Fill `ask.p` with the probabilities of the arms."""


@kernel
def draw_arm(state: State, ask: Ask, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, ask)
    return sample_categorical(ask.p, rng)


choose.derive(lambda state_class: draw_arm if distribute.kernel_of(state_class) else None)


@kernel
def credit_sleepers(sums: Floats, seen: Observation, amount: float) -> None:
    """Give arms that were not available what the policy itself got, as if they had followed it.

    Importance-weighted sums run over all rounds; without this, an arm would gain or lose by its absence alone.
    Reference: Freund, Schapire, Singer & Warmuth (1997), Using and combining predictors that specialize.
    """
    for arm in range(sums.size):
        if not seen.available[arm]:
            sums[arm] += amount


@kernel
def exponential_weights(gains: Floats, rate: float, per: float, exploration: float, p: Floats) -> None:
    """Fill p with (1 - exploration) exp(rate G / per) / sum + exploration / K, relative to the highest gain."""
    n_arms = p.size
    top = gains.max()
    total = 0.0
    for arm in range(n_arms):
        p[arm] = exp(rate * (gains[arm] - top) / per)
        total += p[arm]
    for arm in range(n_arms):
        p[arm] = (1.0 - exploration) * p[arm] / total + exploration / n_arms


class SamplingPolicy(Policy):
    """A policy that draws its arm from probabilities, which it knows."""

    samples = True

    def probabilities(self, state: State, ask: Ask) -> Floats:
        filled = ask._replace(p=np.empty_like(ask.p))
        distribute(state, filled)
        return filled.p


@dataclass(frozen=True)
class RangedPolicy(SamplingPolicy):
    """A policy that draws its arm, for rewards in a declared range; what lies outside is clipped, or refused."""

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = None

    @property
    def declared(self) -> DeclaredRange:
        """The range, in which nothing has been seen yet."""
        return declared_range(self.range, self.outside)
