"""SAO: play as if rewards were stochastic, test that they are, and switch for good to an adversarial policy if not.

    H_a = mean of the gains of a,    W_a = (1 / t) sum of gain / p over the rounds of a,    A the active arms
    e_t = sqrt(4 K b / t + 5 (K b / t)^2),    b = ln(10 K T^3 / delta)
    deactivate a at time tau = t, with q = p_a, when  W_a < max_A W - 6 e_t;   then p_a = q tau / (t + 1)
    the active arms share the rest equally
    switch when  |W_a - H_a| > sqrt(2 b / N_a) + sqrt(4 b (K s / t^2 + (t - s) / (q tau t)) + 5 (K b / s)^2),
                 s = min(tau, t),  or when max_A W - W_a of a deactivated arm leaves (2 e_tau, 10 e_(tau-1)]

After the switch it is EXP3.P (`exp3p`), begun anew.

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
Algorithm 1, Theorem 15).
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import Positive, above, below
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.exp3p import add_biased_gain, exp3p_rates
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute, exponential_weights

PRACTICAL_LOG_BETA = 0.5  # ours
DEACTIVATE, TOO_CLOSE, TOO_FAR = 6.0, 2.0, 10.0  # in units of e_t


class SaoState(NamedTuple):
    """What the stochastic part believes, and what the adversarial part has gained."""

    active: Annotated[Bools, per_arm(True)]
    pulls: Annotated[Ints, per_arm(0)]
    mean: Annotated[Floats, per_arm(0.0)]  # of gains
    weighted: Annotated[Floats, per_arm(0.0)]  # sums of importance-weighted gains
    tau: Annotated[Ints, per_arm(0)]  # when an arm was deactivated
    q: Annotated[Floats, per_arm(0.0)]  # its probability then
    gains: Annotated[Floats, per_arm(0.0)]  # of EXP3.P
    clock: Annotated[Ints, single(0, 2)]  # rewards seen, and after how many it switched, or 0
    scale: DeclaredRange
    log_beta: float
    beta: float  # of EXP3.P, as are the two below
    eta: float
    gamma: float


@kernel
def share_of_active(state: SaoState, t: int) -> float:
    """Return the probability of each active arm in round t: what the deactivated ones leave, in equal shares."""
    n_active = 0
    rest = 1.0
    for arm in range(state.pulls.size):
        if state.active[arm]:
            n_active += 1
        else:
            rest -= state.q[arm] * state.tau[arm] / t
    return rest / n_active if n_active > 0 else 0.0


@kernel
def share_out(state: SaoState, t: int, p: Floats) -> None:
    """Fill p with the probabilities of the stochastic part in round t."""
    share = share_of_active(state, t)
    total = 0.0
    for arm in range(p.size):
        p[arm] = share if state.active[arm] else state.q[arm] * state.tau[arm] / t
        total += p[arm]
    if share == 0.0:  # only deactivated arms are available
        for arm in range(p.size):
            p[arm] /= total


@distribute.register(SaoState)
def share_or_weigh(state: SaoState, ask: Ask) -> None:
    """Fill in the probabilities of the part that plays."""
    if state.clock[1] == 0:
        share_out(state, state.clock[0] + 1, ask.p)
    else:
        exponential_weights(state.gains, state.eta, 1.0, state.gamma, ask.p)


@kernel
def width(n_arms: int, log_beta: float, t: int) -> float:
    """Return e_t."""
    per_round = n_arms * log_beta / max(t, 1)
    return math.sqrt(4.0 * per_round + 5.0 * per_round * per_round)


@kernel
def best_active(state: SaoState) -> float:
    """Return the highest importance-weighted mean of the active arms."""
    best = -math.inf
    for arm in range(state.pulls.size):
        if state.active[arm]:
            best = max(best, state.weighted[arm] / state.clock[0])
    return best


@kernel
def means_disagree(state: SaoState, arm: int) -> bool:
    """Return whether the plain and the importance-weighted mean of an arm differ by more than chance allows."""
    n_arms, t, b = state.pulls.size, state.clock[0], state.log_beta
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
    gap = best - state.weighted[arm] / state.clock[0]
    n_arms, log_beta, tau = state.pulls.size, state.log_beta, state.tau[arm]
    return bool(gap <= TOO_CLOSE * width(n_arms, log_beta, tau) or gap > TOO_FAR * width(n_arms, log_beta, tau - 1))


@kernel
def weigh_gain(state: SaoState, seen: Observation, gain: float) -> None:
    """Add the importance-weighted gain; an arm not available gets what it would bring, so that its means agree."""
    state.weighted[seen.arm] += gain / seen.p[seen.arm]
    for arm in range(seen.p.size):
        if not seen.available[arm]:
            state.weighted[arm] += state.mean[arm] if state.pulls[arm] > 0 else gain


@kernel
def deactivate_and_test(state: SaoState) -> None:
    """Deactivate arms that are clearly worse, and switch if rewards do not look stochastic."""
    t = state.clock[0]
    best = best_active(state)
    bar = best - DEACTIVATE * width(state.pulls.size, state.log_beta, t)
    share = share_of_active(state, t)  # in a game, p of every active arm
    switch = False
    for arm in range(state.pulls.size):
        if state.active[arm] and state.weighted[arm] / t < bar:
            state.active[arm] = False
            state.tau[arm] = t
            state.q[arm] = share
        if means_disagree(state, arm) or (not state.active[arm] and gap_has_moved(state, arm, best)):
            switch = True
    if switch:
        state.clock[1] = t


@update.register(SaoState)
def let_part_learn(state: SaoState, seen: Observation, rng: np.random.Generator) -> None:
    """Take the gain into the arm's mean, and let the part that plays learn."""
    gain = gain_of(state.scale, seen)
    state.clock[0] += 1
    state.pulls[seen.arm] += 1
    state.mean[seen.arm] += (gain - state.mean[seen.arm]) / state.pulls[seen.arm]
    if state.clock[1] > 0:
        add_biased_gain(state.gains, state.beta, seen, gain)
    else:
        weigh_gain(state, seen, gain)
        deactivate_and_test(state)


@dataclass(frozen=True, kw_only=True)
class SAO(RangedPolicy):
    """Stochastic until a test says otherwise, then EXP3.P; b = ln beta as given, or by the preset."""

    preset: Preset = "paper"
    delta: Annotated[float, above(0), below(1)] = 0.1
    log_beta: Positive | None = None

    needs_horizon = True  # for EXP3.P, and for the paper's b

    def state(self, setting: Setting) -> SaoState:
        n_arms, rounds = setting.n_arms, setting.rounds
        paper = math.log(10.0 * n_arms / self.delta) + 3.0 * math.log(rounds)
        return new(
            SaoState,
            setting,
            scale=self.declared,
            log_beta=float(self.log_beta or (paper if self.preset == "paper" else PRACTICAL_LOG_BETA)),
            **exp3p_rates(n_arms, rounds, self.delta)._asdict(),
        )

    def estimates(self, state: SaoState) -> Floats:
        return reward_of(state.scale, np.where(state.pulls > 0, state.mean, np.nan))
