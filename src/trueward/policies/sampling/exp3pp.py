"""EXP3++: exponential weights that explore less the arms that look clearly worse.

    beta_t = sqrt(ln K / (t K)) / 2,   epsilon_t(a) = min(1 / (2K), beta_t, xi_t(a))
    rho_t(a) proportional to exp(-beta_t Lw_a),   p_a = (1 - sum epsilon) rho_a + epsilon_a
    xi_t(a) = 256 ln t / (t gap_a^2),   gap_a = max(0, LCB_a - min_b UCB_b)     of the mean *losses*
    UCB, LCB = mean loss ± sqrt(3 ln(t K^(1/3)) / (2 N_a)), kept in [0, 1]

Best of both worlds for the rewards *seen*; contamination turns it slowly, as it does EXP3. At K = 5 and a gap of 0.1 a
positive gap needs thousands of pulls of each arm: at a thousand rounds xi never binds.

Each arm is played once first, with weight 1.

Guarantee: in the rewards seen, a regret of order sqrt(T K ln K) if they are adversarial, and of order (ln T)^2 / gap
per arm if they are stochastic.

Reference: Seldin & Lugosi (2017), An improved parametrization and analysis of the EXP3++ algorithm, after Seldin &
Slivkins (2014).
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, choose, exp, kernel, reset, update
from trueward.policies.base import SamplingPolicy, credit_sleepers, distribute
from trueward.policies.choosing import draw_from
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, declared_range, gain_of

CONFIDENCE = 3.0  # alpha of Seldin & Lugosi (2017)
EXPLORATION = 256.0  # beta of Seldin & Lugosi (2017)


class Exp3ppState(NamedTuple):
    """Losses, weighted and plain."""

    weighted: Floats  # (arms,) importance-weighted losses
    losses: Floats  # (arms,) plain losses
    pulls: Ints  # (arms,)
    xi: Floats  # (arms,) exploration that the gaps ask for
    p: Floats  # (arms,)
    scale: DeclaredRange


@reset.register(Exp3ppState)
def reset_exp3pp(state: Exp3ppState) -> None:
    """Forget all rewards."""
    state.weighted[:] = 0.0
    state.losses[:] = 0.0
    state.pulls[:] = 0


@kernel
def loss_radius(n_arms: int, pulls: int, t: int) -> float:
    """Return the half-width of the confidence interval of a mean loss."""
    log_term = CONFIDENCE * math.log(t) + math.log(n_arms)  # alpha ln(t K^(1/alpha))
    return math.sqrt(log_term / (2.0 * pulls))


@kernel
def explore_by_gaps(state: Exp3ppState, t: int) -> None:
    """Fill xi from the gaps between confidence intervals; infinite where no gap shows."""
    n_arms = state.p.size
    lowest_upper = 1.0
    for arm in range(n_arms):
        mean = state.losses[arm] / state.pulls[arm]
        lowest_upper = min(lowest_upper, mean + loss_radius(n_arms, state.pulls[arm], t))
    for arm in range(n_arms):
        mean = state.losses[arm] / state.pulls[arm]
        gap = max(0.0, mean - loss_radius(n_arms, state.pulls[arm], t)) - lowest_upper
        state.xi[arm] = EXPLORATION * math.log(t) / (t * gap * gap) if gap > 0.0 else math.inf


@distribute.register(Exp3ppState)
def distribute_exp3pp(state: Exp3ppState, t: int) -> None:
    """Play arms not yet pulled first; then weigh the losses exponentially and mix in the exploration."""
    n_arms = state.p.size
    unpulled = 0
    for arm in range(n_arms):
        unpulled += state.pulls[arm] == 0
    if unpulled > 0:
        for arm in range(n_arms):
            state.p[arm] = 1.0 / unpulled if state.pulls[arm] == 0 else 0.0
        return
    explore_by_gaps(state, t)
    beta = 0.5 * math.sqrt(math.log(n_arms) / (t * n_arms))
    lowest = state.weighted[0]
    for arm in range(1, n_arms):
        lowest = min(lowest, state.weighted[arm])
    total = 0.0
    exploration = 0.0
    for arm in range(n_arms):
        state.p[arm] = exp(-beta * (state.weighted[arm] - lowest))
        total += state.p[arm]
        state.xi[arm] = min(0.5 / n_arms, beta, state.xi[arm])
        exploration += state.xi[arm]
    for arm in range(n_arms):
        state.p[arm] = (1.0 - exploration) * state.p[arm] / total + state.xi[arm]


@choose.register(Exp3ppState)
def choose_exp3pp(state: Exp3ppState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(Exp3ppState)
def update_exp3pp(state: Exp3ppState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Add the loss, plain and weighted; an arm's first loss has weight 1."""
    loss = 1.0 - gain_of(state.scale, t, arm, reward)
    if state.pulls[arm] > 0:
        state.weighted[arm] += loss / state.p[arm]
        credit_sleepers(state.weighted, state.p, loss)
    else:
        state.weighted[arm] += loss
    state.losses[arm] += loss
    state.pulls[arm] += 1


@dataclass(frozen=True)
class EXP3PP(SamplingPolicy):
    """EXP3++ with the parameters of Seldin & Lugosi (2017)."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> Exp3ppState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        weighted, losses, xi = np.zeros((3, n_arms))
        pulls, p = np.zeros(n_arms, np.int64), np.full(n_arms, 1.0 / n_arms)
        return Exp3ppState(weighted, losses, pulls, xi, p, declared_range(self.range, self.outside))

    def estimates(self, state: Exp3ppState) -> Floats:
        """Return the plain mean of each arm."""
        loss = state.losses / np.maximum(state.pulls, 1)
        return np.where(state.pulls > 0, state.scale.high - (state.scale.high - state.scale.low) * loss, np.nan)
