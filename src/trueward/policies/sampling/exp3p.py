"""EXP3.P, the adversarial algorithm to which SAO and SAPO switch when the rewards do not look stochastic.

    p = (1 - gamma) softmax(eta G) + gamma / K,    G_a += (gain 1{a = A} + beta) / p_a for every a
    beta = sqrt(ln(K / delta) / (K T)),  eta = 0.95 sqrt(ln K / (K T)),  gamma = 1.05 sqrt(K ln K / T)

Reference: Bubeck & Cesa-Bianchi (2012), Regret analysis of stochastic and nonstochastic multi-armed bandit problems,
Theorem 3.2.
"""

import math
from typing import Annotated, NamedTuple

from trueward.engine.kernel import Floats, kernel
from trueward.engine.protocol import Observation
from trueward.engine.states import Setting, new, per_arm
from trueward.policies.sampling.sampling_policy import credit_unavailable_arms, exponential_weights


class Exp3pState(NamedTuple):
    """Biased importance-weighted sums of gains, and the three rates."""

    gains: Annotated[Floats, per_arm(0.0)]
    beta: float
    eta: float
    gamma: float


def exp3p_state(setting: Setting, delta: float) -> Exp3pState:
    """Return a fresh state with the rates for a regret bound that holds with probability 1 - delta."""
    n_arms, rounds = setting.n_arms, setting.rounds
    return new(
        Exp3pState,
        setting,
        beta=math.sqrt(math.log(n_arms / delta) / (n_arms * rounds)),
        eta=0.95 * math.sqrt(math.log(n_arms) / (n_arms * rounds)),
        gamma=min(1.0, 1.05 * math.sqrt(n_arms * math.log(n_arms) / rounds)),
    )


@kernel
def exp3p_probabilities(state: Exp3pState, p: Floats) -> None:
    exponential_weights(state.gains, state.eta, 1.0, state.gamma, p)


@kernel
def exp3p_update(state: Exp3pState, seen: Observation, gain: float) -> None:
    """Add the importance-weighted gain, and to every arm the bias that keeps its estimate optimistic."""
    credit_unavailable_arms(state.gains, seen, gain)
    state.gains[seen.arm] += gain / seen.p[seen.arm]
    for arm in range(seen.p.size):
        if seen.available[arm]:
            state.gains[arm] += state.beta / seen.p[arm]
