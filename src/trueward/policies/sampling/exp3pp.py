"""EXP3++: exponential weights that explore clearly worse arms less."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, scratch
from trueward.policies.declared_range import DeclaredRange, gain_of
from trueward.policies.sampling.sampling_policy import RangedPolicy, credit_unavailable_arms, distribute
from trueward.policies.selection import forced_exploration_score

ALPHA = 3.0  # of the confidence intervals, Seldin & Lugosi (2017)
BETA = 256.0  # of the exploration, Seldin & Lugosi (2017)


class Exp3ppState(NamedTuple):
    """Sums of losses, importance-weighted and plain."""

    weighted: Annotated[Floats, per_arm(0.0)]  # importance-weighted losses
    losses: Annotated[Floats, per_arm(0.0)]
    pulls: Annotated[Ints, per_arm(0)]
    xi: Annotated[Floats, per_arm(scratch)]  # exploration probability, by the estimated gaps
    scale: DeclaredRange


@kernel
def loss_radius(n_arms: int, pulls: int, t: int) -> float:
    """Return the half-width of the confidence interval of a mean loss."""
    log_term = ALPHA * math.log(t) + math.log(n_arms)  # alpha ln(t K^(1/alpha))
    return math.sqrt(log_term / (2.0 * pulls))


@kernel
def exploration_by_gaps(state: Exp3ppState, t: int) -> None:
    """Fill xi from the gaps between confidence intervals; infinite where the intervals overlap."""
    n_arms = state.xi.size
    lowest_upper = 1.0
    for arm in range(n_arms):
        mean = state.losses[arm] / state.pulls[arm]
        lowest_upper = min(lowest_upper, mean + loss_radius(n_arms, state.pulls[arm], t))
    for arm in range(n_arms):
        mean = state.losses[arm] / state.pulls[arm]
        gap = max(0.0, mean - loss_radius(n_arms, state.pulls[arm], t)) - lowest_upper
        state.xi[arm] = BETA * math.log(t) / (t * gap * gap) if gap > 0.0 else math.inf


@kernel
def weigh_losses(state: Exp3ppState, t: int, p: Floats) -> None:
    """Fill p with exponential weights of the losses, mixed with the exploration of each arm."""
    n_arms = p.size
    exploration_by_gaps(state, t)
    beta = 0.5 * math.sqrt(math.log(n_arms) / (t * n_arms))
    lowest = state.weighted.min()
    total = 0.0
    exploration = 0.0
    for arm in range(n_arms):
        p[arm] = exp(-beta * (state.weighted[arm] - lowest))
        total += p[arm]
        state.xi[arm] = min(0.5 / n_arms, beta, state.xi[arm])
        exploration += state.xi[arm]
    for arm in range(n_arms):
        p[arm] = (1.0 - exploration) * p[arm] / total + state.xi[arm]


@distribute.register(Exp3ppState)
def exp3pp_probabilities(state: Exp3ppState, ask: Ask) -> None:
    """Play arms without a pull first; then weigh the losses."""
    n_unpulled, n_forced = 0, 0
    for arm in range(ask.p.size):
        ask.p[arm] = 1.0 if state.pulls[arm] == 0 and forced_exploration_score(ask, arm) > 0.0 else 0.0
        n_unpulled += state.pulls[arm] == 0
        n_forced += ask.p[arm] > 0.0
    if n_unpulled == 0:
        weigh_losses(state, ask.t, ask.p)
        return
    for arm in range(ask.p.size):
        ask.p[arm] = ask.p[arm] / n_forced if n_forced > 0 else 1.0 / ask.p.size


@update.register(Exp3ppState)
def add_loss(state: Exp3ppState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the loss to both sums. The first loss of an arm has weight 1."""
    arm = seen.arm
    loss = 1.0 - gain_of(state.scale, seen)
    if state.pulls[arm] > 0:
        state.weighted[arm] += loss / seen.p[arm]
        credit_unavailable_arms(state.weighted, seen, loss)
    else:
        state.weighted[arm] += loss
    state.losses[arm] += loss
    state.pulls[arm] += 1


@dataclass(frozen=True)
class EXP3PP(RangedPolicy):
    """EXP3++: exponential weights that explore clearly worse arms less.

        beta_t = sqrt(ln K / (t K)) / 2,   epsilon_t(a) = min(1 / (2K), beta_t, xi_t(a))
        rho_t(a) proportional to exp(-beta_t Lw_a),   p_a = (1 - sum epsilon) rho_a + epsilon_a
        xi_t(a) = 256 ln t / (t gap_a^2),   gap_a = max(0, LCB_a - min_b UCB_b)     of the mean losses
        UCB, LCB = mean loss ± sqrt(3 ln(t K^(1/3)) / (2 N_a)), kept in [0, 1]

    It is a best-of-both-worlds algorithm for the observed rewards: contamination counts as reward and misleads it, as
    it misleads EXP3. With K = 5 and a gap of 0.1, a positive gap estimate needs thousands of pulls of each arm, so
    within a thousand rounds xi is never the minimum.

    Each arm is played once first, with weight 1. While such a first reward is still pending, and the arm does not have
    to be asked again yet (`forced_exploration_score`), every arm has the same probability.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.

    Notes
    -----
    Guarantee: the regret for the observed rewards is of order sqrt(T K ln K) if they are adversarial, and of order
    (ln T)^2 / gap per arm if they are stochastic.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = EXP3PP((0, 10))
    >>> state = policy.start(2)
    >>> state.pulls[:], state.losses[:], state.weighted[:] = 50, (5.0, 25.0), (10.0, 50.0)
    >>> policy.probabilities(state, make_ask(101, 2)).round(3).tolist()
    [0.748, 0.252]

    References
    ----------
    Seldin & Lugosi (2017), An improved parametrization and analysis of the EXP3++ algorithm, whose parameters are used
    here; Seldin & Slivkins (2014).
    """

    def state(self, setting: Setting) -> Exp3ppState:
        return new(Exp3ppState, setting, scale=self.declared_range)

    def estimates(self, state: Exp3ppState) -> Floats:
        loss = state.losses / np.maximum(state.pulls, 1)
        return np.where(state.pulls > 0, state.scale.high - state.scale.width * loss, np.nan)
