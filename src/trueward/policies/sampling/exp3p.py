"""EXP3.P, to which policies switch that have seen rewards that are not stochastic.

    p = (1 - gamma) softmax(eta G) + gamma / K,    G_a += (gain 1{a = A} + beta) / p_a for every a
    beta = sqrt(ln(K / delta) / (K T)),  eta = 0.95 sqrt(ln K / (K T)),  gamma = 1.05 sqrt(K ln K / T)

Reference: Bubeck & Cesa-Bianchi (2012), Regret analysis of stochastic and nonstochastic multi-armed bandit problems,
Theorem 3.2.
"""

import math
from typing import NamedTuple

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import Observation
from trueward.policies.sampling.sampling_policy import credit_sleepers


class Exp3pRates(NamedTuple):
    """Its parameters."""

    beta: float
    eta: float
    gamma: float


def exp3p_rates(n_arms: int, rounds: int, delta: float) -> Exp3pRates:
    """Return the parameters for a regret that holds with probability 1 - delta."""
    return Exp3pRates(
        beta=math.sqrt(math.log(n_arms / delta) / (n_arms * rounds)),
        eta=0.95 * math.sqrt(math.log(n_arms) / (n_arms * rounds)),
        gamma=min(1.0, 1.05 * math.sqrt(n_arms * math.log(n_arms) / rounds)),
    )


@kernel
def add_biased_gain(gains: Floats, beta: float, seen: Observation, gain: float) -> None:
    """Add a gain, importance-weighted, and to every arm the bias that keeps its estimate high."""
    credit_sleepers(gains, seen, gain)
    gains[seen.arm] += gain / seen.p[seen.arm]
    for arm in range(seen.p.size):
        if seen.available[arm]:
            gains[arm] += beta / seen.p[arm]
