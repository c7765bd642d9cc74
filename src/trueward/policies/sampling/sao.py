"""SAO: play as if rewards were stochastic, test that they are, and switch for good to an adversarial policy if not.

    H_a = mean of the gains of a,    W_a = (1 / t) sum of gain / p over the rounds of a,    A the active arms
    e_t = sqrt(4 K b / t + 5 (K b / t)^2),    b = ln(10 K T^3 / delta)
    deactivate a at time tau = t, with q = p_a, when  W_a < max_A W - 6 e_t;   then p_a = q tau / (t + 1)
    the active arms share the rest equally
    switch when  |W_a - H_a| > sqrt(2 b / N_a) + sqrt(4 b (K s / t^2 + (t - s) / (q tau t)) + 5 (K b / s)^2),
                 s = min(tau, t),  or when max_A W - W_a of a deactivated arm leaves (2 e_tau, 10 e_(tau-1)]

After the switch it is EXP3.P, begun anew: p = (1 - gamma) softmax(eta G) + gamma / K, G_a += (gain 1{a = A} + beta) /
p_a for every a, with beta = sqrt(ln(K / delta) / (K T)), eta = 0.95 sqrt(ln K / (K T)), gamma = 1.05 sqrt(K ln K /
T).

The tests notice rewards that change with time; contamination that does not change, a constant fraction of all
rewards, looks stochastic and is followed. EXP3.P's guarantee is about the rewards *seen*.

`preset="paper"` has the constants of the source: with five arms, a thousand rounds and delta = 0.1 an arm would have
to be worse by 6 e_T = 4.8, more than the whole range; play is uniform. `preset="practical"` has b = 1/2, ours,
without a guarantee: with two arms, a gap of 0.8 is acted on after some 250 rounds. The tests still cost too much for
small gaps.

Time is counted in rewards seen, and these count with the probabilities of their own round: in a live study rewards
may come late. An arm that is not available is credited with its own mean, and after the switch with what the policy
got.

Guarantee: for rewards in [0, 1], a regret of order K ln K ln^2(T) / gap if they are stochastic, and of order sqrt(K T)
ln K ln^(3/2) T, against the best arm in the rewards seen, if they are not.

Reference: Bubeck & Slivkins (2012), The best of both worlds: stochastic and adversarial bandits, Appendix B (its
Algorithm 1, Theorem 15); Bubeck & Cesa-Bianchi (2012), Theorem 3.2, for EXP3.P, with the whole T.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, exp, kernel, reset, update
from trueward.policies.base import SamplingPolicy, credit_sleepers, distribute
from trueward.policies.choosing import draw_from
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, declared_range, gain_of, reward_of

PRACTICAL_LOG_BETA = 0.5  # ours
DEACTIVATE, TOO_CLOSE, TOO_FAR = 6.0, 2.0, 10.0  # in units of e_t


class SaoState(NamedTuple):
    """What the stochastic part believes, and what the adversarial part has gained."""

    active: NDArray[np.bool_]  # (arms,)
    pulls: Ints  # (arms,)
    mean: Floats  # (arms,) of gains
    weighted: Floats  # (arms,) sums of importance-weighted gains
    tau: Ints  # (arms,) when an arm was deactivated
    q: Floats  # (arms,) its probability then
    gains: Floats  # (arms,) of EXP3.P
    p: Floats  # (arms,)
    clock: Ints  # (1, 2) rewards seen, and after how many it switched, or 0
    scale: DeclaredRange
    log_beta: float
    beta: float  # of EXP3.P, as are the two below
    eta: float
    gamma: float


@reset.register(SaoState)
def reset_sao(state: SaoState) -> None:
    """Forget all rewards; all arms are active."""
    state.active[:] = True
    state.pulls[:] = 0
    state.mean[:] = 0.0
    state.weighted[:] = 0.0
    state.tau[:] = 0
    state.q[:] = 0.0
    state.gains[:] = 0.0
    state.clock[:] = 0


@kernel
def share_of_active(state: SaoState, t: int) -> float:
    """Return the probability of each active arm in round t: what the deactivated ones leave, in equal shares."""
    n_active = 0
    rest = 1.0
    for arm in range(state.p.size):
        if state.active[arm]:
            n_active += 1
        else:
            rest -= state.q[arm] * state.tau[arm] / t
    return rest / n_active if n_active > 0 else 0.0


@kernel
def share_out(state: SaoState, t: int) -> None:
    """Fill in the probabilities of the stochastic part in round t."""
    share = share_of_active(state, t)
    total = 0.0
    for arm in range(state.p.size):
        state.p[arm] = share if state.active[arm] else state.q[arm] * state.tau[arm] / t
        total += state.p[arm]
    if share == 0.0:  # only deactivated arms are available
        for arm in range(state.p.size):
            state.p[arm] /= total


@kernel
def weigh_exp3p(state: SaoState) -> None:
    """Weigh the gains of EXP3.P exponentially, and mix in exploration."""
    n_arms = state.p.size
    top = state.gains[0]
    for arm in range(1, n_arms):
        top = max(top, state.gains[arm])
    total = 0.0
    for arm in range(n_arms):
        state.p[arm] = exp(state.eta * (state.gains[arm] - top))
        total += state.p[arm]
    for arm in range(n_arms):
        state.p[arm] = (1.0 - state.gamma) * state.p[arm] / total + state.gamma / n_arms


@distribute.register(SaoState)
def distribute_sao(state: SaoState, t: int) -> None:
    """Fill in the probabilities of the part that plays."""
    if state.clock[0, 1] == 0:
        share_out(state, state.clock[0, 0] + 1)
    else:
        weigh_exp3p(state)


@choose.register(SaoState)
def choose_sao(state: SaoState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@kernel
def width(n_arms: int, log_beta: float, t: int) -> float:
    """Return e_t."""
    per_round = n_arms * log_beta / max(t, 1)
    return math.sqrt(4.0 * per_round + 5.0 * per_round * per_round)


@kernel
def best_active(state: SaoState) -> float:
    """Return the highest importance-weighted mean of the active arms."""
    best = -math.inf
    for arm in range(state.p.size):
        if state.active[arm]:
            best = max(best, state.weighted[arm] / state.clock[0, 0])
    return best


@kernel
def means_disagree(state: SaoState, arm: int) -> bool:
    """Return whether the plain and the importance-weighted mean of an arm differ by more than chance allows."""
    n_arms, t, b = state.p.size, state.clock[0, 0], state.log_beta
    if state.pulls[arm] == 0:
        return False
    since, variance = t, n_arms / t
    if not state.active[arm]:
        since = state.tau[arm]
        variance = n_arms * since / t / t + (t - since) / (state.q[arm] * since * t)
    drift = n_arms * b / since
    allowed = math.sqrt(2.0 * b / state.pulls[arm]) + math.sqrt(4.0 * b * variance + 5.0 * drift * drift)
    return bool(abs(state.weighted[arm] / t - state.mean[arm]) > allowed)


@kernel
def gap_has_moved(state: SaoState, arm: int, best: float) -> bool:
    """Return whether the gap of a deactivated arm has left what it was when it was deactivated."""
    gap = best - state.weighted[arm] / state.clock[0, 0]
    n_arms, log_beta, tau = state.p.size, state.log_beta, state.tau[arm]
    return bool(gap <= TOO_CLOSE * width(n_arms, log_beta, tau) or gap > TOO_FAR * width(n_arms, log_beta, tau - 1))


@kernel
def learn_stochastic(state: SaoState, arm: int, gain: float) -> None:
    """Take the gain into both means, deactivate arms, and test."""
    state.clock[0, 0] += 1
    state.pulls[arm] += 1
    state.mean[arm] += (gain - state.mean[arm]) / state.pulls[arm]
    state.weighted[arm] += gain / state.p[arm]
    for other in range(state.p.size):
        if state.p[other] == 0.0:  # not available: what it would bring, so that its two means agree
            state.weighted[other] += state.mean[other] if state.pulls[other] > 0 else gain
    t = state.clock[0, 0]
    best = best_active(state)
    bar = best - DEACTIVATE * width(state.p.size, state.log_beta, t)
    share = share_of_active(state, t)  # in a game, p of every active arm
    switch = False
    for other in range(state.p.size):
        if state.active[other] and state.weighted[other] / t < bar:
            state.active[other] = False
            state.tau[other] = t
            state.q[other] = share
        if means_disagree(state, other) or (not state.active[other] and gap_has_moved(state, other, best)):
            switch = True
    if switch:
        state.clock[0, 1] = t


@update.register(SaoState)
def update_sao(state: SaoState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Let the part that plays learn."""
    gain = gain_of(state.scale, t, arm, reward)
    if state.clock[0, 1] == 0:
        learn_stochastic(state, arm, gain)
        return
    state.clock[0, 0] += 1
    state.pulls[arm] += 1
    state.mean[arm] += (gain - state.mean[arm]) / state.pulls[arm]
    credit_sleepers(state.gains, state.p, gain)
    state.gains[arm] += gain / state.p[arm]
    for other in range(state.p.size):
        if state.p[other] > 0.0:
            state.gains[other] += state.beta / state.p[other]


@dataclass(frozen=True)
class SAO(SamplingPolicy):
    """Stochastic until a test says otherwise, then EXP3.P; b = ln beta as given, or by the preset."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    preset: Literal["paper", "practical"] = "paper"
    delta: float = 0.1
    log_beta: float | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        checks.one_of("preset", self.preset, ("paper", "practical"))
        checks.number("delta", self.delta, above=0, below=1)
        if self.log_beta is not None:
            checks.number("log_beta", self.log_beta, above=0)

    @property
    def needs_horizon(self) -> bool:
        """EXP3.P depends on it, and so does the paper's b."""
        return True

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> SaoState:  # noqa: ARG002 - keeps no rewards
        """Return a fresh state."""
        rounds = self.known_horizon(horizon)
        log_beta = self.log_beta
        if log_beta is None:
            paper = math.log(10.0 * n_arms / self.delta) + 3.0 * math.log(rounds)
            log_beta = paper if self.preset == "paper" else PRACTICAL_LOG_BETA
        mean, weighted, q, gains = np.zeros((4, n_arms))
        pulls, tau = np.zeros((2, n_arms), np.int64)
        return SaoState(
            np.ones(n_arms, np.bool_),
            pulls,
            mean,
            weighted,
            tau,
            q,
            gains,
            np.full(n_arms, 1.0 / n_arms),
            np.zeros((1, 2), np.int64),
            declared_range(self.range, self.outside),
            float(log_beta),
            math.sqrt(math.log(n_arms / self.delta) / (n_arms * rounds)),
            0.95 * math.sqrt(math.log(n_arms) / (n_arms * rounds)),
            min(1.0, 1.05 * math.sqrt(n_arms * math.log(n_arms) / rounds)),
        )

    def estimates(self, state: SaoState) -> Floats:
        """Return the plain means."""
        gains = np.where(state.pulls > 0, state.mean, np.nan)
        return reward_of(state.scale, gains)
