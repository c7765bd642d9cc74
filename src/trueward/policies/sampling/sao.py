"""SAO: assume stochastic rewards, test the assumption, and switch to EXP3.P for good when a test fails."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import Positive, above, below
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.exp3p import Exp3pState, exp3p_probabilities, exp3p_state, exp3p_update
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute

PRACTICAL_LOG_BETA = 0.5  # not published
DEACTIVATE, TOO_CLOSE, TOO_FAR = 6.0, 2.0, 10.0  # in units of e_t


class SaoState(NamedTuple):
    """The estimates of the stochastic part, the deactivated arms, and EXP3.P for the time after the switch."""

    active: Annotated[Bools, per_arm(True)]
    pulls: Annotated[Ints, per_arm(0)]
    mean: Annotated[Floats, per_arm(0.0)]  # of gains
    weighted: Annotated[Floats, per_arm(0.0)]  # sums of importance-weighted gains
    tau: Annotated[Ints, per_arm(0)]  # time of deactivation
    q: Annotated[Floats, per_arm(0.0)]  # probability at that time
    rewards: Annotated[Ints, single(0)]  # t: number of rewards seen
    switched_at: Annotated[Ints, single(0)]  # number of rewards at the switch to EXP3.P; 0 before it
    exp3p: Exp3pState
    scale: DeclaredRange
    log_beta: float  # b


@kernel
def active_probability(state: SaoState, t: int) -> float:
    """Return the probability of each active arm in round t: an equal share of what the deactivated arms leave."""
    n_active = 0
    rest = 1.0
    for arm in range(state.pulls.size):
        if state.active[arm]:
            n_active += 1
        else:
            rest -= state.q[arm] * state.tau[arm] / t
    return rest / n_active if n_active > 0 else 0.0


@kernel
def stochastic_probabilities(state: SaoState, t: int, p: Floats) -> None:
    active_p = active_probability(state, t)
    total = 0.0
    for arm in range(p.size):
        p[arm] = active_p if state.active[arm] else state.q[arm] * state.tau[arm] / t
        total += p[arm]
    if active_p == 0.0:  # only deactivated arms are available
        for arm in range(p.size):
            p[arm] /= total


@distribute.register(SaoState)
def sao_probabilities(state: SaoState, ask: Ask) -> None:
    if state.switched_at[0] == 0:
        stochastic_probabilities(state, state.rewards[0] + 1, ask.p)
    else:
        exp3p_probabilities(state.exp3p, ask.p)


@kernel
def confidence_width(n_arms: int, log_beta: float, t: int) -> float:
    """Return e_t."""
    per_round = n_arms * log_beta / max(t, 1)
    return math.sqrt(4.0 * per_round + 5.0 * per_round * per_round)


@kernel
def best_weighted_mean(state: SaoState) -> float:
    """Return the highest importance-weighted mean of an active arm."""
    best = -math.inf
    for arm in range(state.pulls.size):
        if state.active[arm]:
            best = max(best, state.weighted[arm] / state.rewards[0])
    return best


@kernel
def means_disagree(state: SaoState, arm: int) -> bool:
    """Return whether the sample mean and the importance-weighted mean of an arm differ significantly."""
    n_arms, t, b = state.pulls.size, state.rewards[0], state.log_beta
    if state.pulls[arm] == 0:
        return False
    tau, variance = t, n_arms / t
    if not state.active[arm]:
        tau = state.tau[arm]
        variance = n_arms * tau / t / t + (t - tau) / (state.q[arm] * tau * t)
    per_round = n_arms * b / tau
    allowed = math.sqrt(2.0 * b / state.pulls[arm]) + math.sqrt(4.0 * b * variance + 5.0 * per_round * per_round)
    return bool(abs(state.weighted[arm] / t - state.mean[arm]) > allowed)


@kernel
def gap_has_changed(state: SaoState, arm: int, best: float) -> bool:
    """Return whether the gap of a deactivated arm no longer agrees with its gap at the time of deactivation."""
    gap = best - state.weighted[arm] / state.rewards[0]
    n_arms, log_beta, tau = state.pulls.size, state.log_beta, state.tau[arm]
    return bool(
        gap <= TOO_CLOSE * confidence_width(n_arms, log_beta, tau)
        or gap > TOO_FAR * confidence_width(n_arms, log_beta, tau - 1)
    )


@kernel
def add_weighted_gain(state: SaoState, seen: Observation, gain: float) -> None:
    """Add the importance-weighted gain; an unavailable arm is credited with its own mean, so that its means agree."""
    state.weighted[seen.arm] += gain / seen.p[seen.arm]
    for arm in range(seen.p.size):
        if not seen.available[arm]:
            state.weighted[arm] += state.mean[arm] if state.pulls[arm] > 0 else gain


@kernel
def deactivate_and_test(state: SaoState) -> None:
    """Deactivate clearly worse arms, and switch to EXP3.P if the rewards do not look stochastic."""
    t = state.rewards[0]
    best = best_weighted_mean(state)
    threshold = best - DEACTIVATE * confidence_width(state.pulls.size, state.log_beta, t)
    active_p = active_probability(state, t)  # in a game, the p of every active arm
    switch = False
    for arm in range(state.pulls.size):
        if state.active[arm] and state.weighted[arm] / t < threshold:
            state.active[arm] = False
            state.tau[arm] = t
            state.q[arm] = active_p
        if means_disagree(state, arm) or (not state.active[arm] and gap_has_changed(state, arm, best)):
            switch = True
    if switch:
        state.switched_at[0] = t


@update.register(SaoState)
def sao_update(state: SaoState, seen: Observation, rng: np.random.Generator) -> None:
    gain = gain_of(state.scale, seen)
    state.rewards[0] += 1
    state.pulls[seen.arm] += 1
    state.mean[seen.arm] += (gain - state.mean[seen.arm]) / state.pulls[seen.arm]
    if state.switched_at[0] > 0:
        exp3p_update(state.exp3p, seen, gain)
    else:
        add_weighted_gain(state, seen, gain)
        deactivate_and_test(state)


@dataclass(frozen=True, kw_only=True)
class SAO(RangedPolicy):
    """SAO: assume stochastic rewards, test the assumption, and switch to EXP3.P for good when a test fails.

        H_a = mean of the gains of a,    W_a = (1 / t) sum of gain / p over the rounds of a,    A the active arms
        e_t = sqrt(4 K b / t + 5 (K b / t)^2),    b = ln(10 K T^3 / delta)
        deactivate a at time tau = t, with q = p_a, when  W_a < max_A W - 6 e_t;   then p_a = q tau / (t + 1)
        the active arms share the remaining probability equally
        switch when  |W_a - H_a| > sqrt(2 b / N_a) + sqrt(4 b (K s / t^2 + (t - s) / (q tau t)) + 5 (K b / s)^2),
                     s = min(tau, t),  or when max_A W - W_a of a deactivated arm leaves (2 e_tau, 10 e_(tau-1)]

    The tests detect rewards that change over time. They do not detect contamination that does not change over time: a
    constant fraction of contaminated rewards looks stochastic, and SAO follows it. The guarantee of EXP3.P, which
    starts afresh after the switch, is about the observed rewards.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    preset : {"paper", "practical"}
        The published b, or b = 1/2, our own, without a guarantee. With the published b, five arms, a thousand rounds
        and delta = 0.1 an arm would have to be worse by 6 e_T = 4.8, more than the whole range: play is uniform. With
        ours and two arms, a gap of 0.8 is acted on after some 250 rounds; small gaps remain too expensive.
    delta : float
        Probability in (0, 1) with which the guarantee may fail; used by the published b and by EXP3.P.
    log_beta : float, optional
        b = ln beta, above 0, in place of the one of the preset.

    Notes
    -----
    Guarantee: for rewards in [0, 1], the regret is of order K ln K ln^2(T) / gap if they are stochastic. Otherwise the
    regret against the best arm in the observed rewards is of order sqrt(K T) ln K ln^(3/2) T.

    Time is counted in rewards, and each is weighted with the probabilities of its own round, so rewards may arrive
    late in a live study. An unavailable arm is credited with its own mean, and after the switch with the gain of the
    policy.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = SAO((0, 10), log_beta=0.1)
    >>> state = policy.start(3, horizon=2000)
    >>> state.rewards[0], state.active[2], state.tau[2], state.q[2] = 1999, False, 1000, 1 / 3
    >>> policy.probabilities(state, make_ask(2000, 3)).round(3).tolist()  # the last arm: 1/3 * 1000 / 2000
    [0.417, 0.417, 0.167]

    References
    ----------
    Bubeck & Slivkins (2012), The best of both worlds: stochastic and adversarial bandits, Appendix B (its Algorithm 1,
    Theorem 15).
    """

    preset: Preset = "paper"
    delta: Annotated[float, above(0), below(1)] = 0.1
    log_beta: Positive | None = None

    needs_horizon = True  # for EXP3.P and for the published b

    def state(self, setting: Setting) -> SaoState:
        paper = math.log(10.0 * setting.n_arms / self.delta) + 3.0 * math.log(setting.rounds)
        return new(
            SaoState,
            setting,
            exp3p=exp3p_state(setting, self.delta),
            scale=self.declared_range,
            log_beta=float(self.log_beta or (paper if self.preset == "paper" else PRACTICAL_LOG_BETA)),
        )

    def estimates(self, state: SaoState) -> Floats:
        return reward_of(state.scale, np.where(state.pulls > 0, state.mean, np.nan))
