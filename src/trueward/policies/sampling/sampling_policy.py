"""The family of policies that draw an arm from known probabilities."""

from dataclasses import KW_ONLY, dataclass
from typing import Literal

import numpy as np

from trueward.engine.kernel import Floats, State, exp, generic, kernel
from trueward.engine.protocol import Ask, Observation, choose
from trueward.parameters import Range
from trueward.policies.declared_range import DeclaredRange, Outside, declared_range
from trueward.policies.policy import Policy
from trueward.policies.selection import sample_categorical

Preset = Literal["paper", "practical"]
"""The constants of the publication, or our own constants, which learn within a thousand rounds."""


@generic
def distribute(state: State, ask: Ask) -> None:
    """Fill `ask.p` with the probability of each arm."""


@kernel
def draw_arm(state: State, ask: Ask, rng: np.random.Generator) -> int:
    distribute(state, ask)
    return sample_categorical(ask.p, rng)


choose.derive(lambda state_class: draw_arm if distribute.kernel_of(state_class) else None)


@kernel
def credit_unavailable_arms(sums: Floats, seen: Observation, amount: float) -> None:
    """Credit every arm that was not available with the amount that the policy itself received.

    Importance-weighted sums run over all rounds. Without this credit an arm would gain or lose merely by being absent.
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
    """A policy that draws its arm from probabilities that it can compute.

    A state class that registers a kernel for `distribute` needs none for `choose`: the arm is drawn from `ask.p`. The
    same probabilities come back in the observation, however late the reward arrives, and weight it. Pending asks
    do not change the probabilities, because random draws already spread over the arms. Only policies that play every
    arm once first count pending asks (`forced_exploration_score`).
    """

    samples = True

    def probabilities(self, state: State, ask: Ask) -> Floats:
        filled = ask._replace(p=np.empty_like(ask.p))
        distribute(state, filled)
        return filled.p


@dataclass(frozen=True)
class RangedPolicy(SamplingPolicy):
    """A sampling policy for rewards in a declared range.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    """

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = None

    @property
    def declared_range(self) -> DeclaredRange:
        """The declared range as a fresh state, with no reward outside it so far."""
        return declared_range(self.range, self.outside)
