"""SAPO: eliminate arms as if rewards were stochastic, keep testing, and switch to EXP3.P when a test fails."""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import Positive
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.exp3p import Exp3pState, exp3p_probabilities, exp3p_state, exp3p_update
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute


class SapoConstants(NamedTuple):
    """The constants of the elimination, of the phases and of the tests."""

    margin: float  # radii by which an arm must be worse to be eliminated; the gap is one radius less
    width: float  # factor of R = sqrt(2 K b / t), b = log_term
    phase: float  # length of a phase, in units of 1 / (p gap^2)
    errors: float  # errors before the switch, in units of log2 T
    regret: float  # regret before the switch, in units of sqrt(K T b)


PAPER = SapoConstants(margin=9.0, width=1.0, phase=1280.0, errors=3.0, regret=272.0)
PRACTICAL = SapoConstants(margin=3.0, width=14.0, phase=1.0, errors=1.0, regret=14.0)  # not published
PRACTICAL_LOG_TERM = 0.02  # not published
PHASE_ERROR = 0.25  # a phase ends in an error when the improvement reaches this times gap times N, its length


class SapoState(NamedTuple):
    """The estimates of the stochastic part, the phases of eliminated arms, and EXP3.P for the time after the switch."""

    active: Annotated[Bools, per_arm(True)]
    pulls: Annotated[Ints, per_arm(0)]
    mean: Annotated[Floats, per_arm(0.0)]  # of losses
    rounds: Annotated[Ints, per_arm(0)]  # rewards of any arm while this one was available
    weighted: Annotated[Floats, per_arm(0.0)]  # sums of importance-weighted losses
    highest_lower: Annotated[Floats, per_arm(-math.inf)]  # the highest W - R so far
    lowest_upper: Annotated[Floats, per_arm(math.inf)]  # the lowest W + R so far
    upper: Annotated[Floats, per_arm(math.inf)]  # the lowest upper bound of either kind so far
    eliminated_mean: Annotated[Floats, per_arm(0.0)]  # mean loss of an eliminated arm at the time of its elimination
    gap: Annotated[Floats, per_arm(0.0)]  # of an eliminated arm, like the five below
    first_p: Annotated[Floats, per_arm(0.0)]  # probability in its first phase
    p: Annotated[Floats, per_arm(0.0)]  # probability in its current phase
    phase_rounds: Annotated[Ints, per_arm(0)]  # rounds of the current phase so far
    improvement: Annotated[Floats, per_arm(0.0)]  # sum of eliminated_mean - loss / p in the current phase
    errors: Annotated[Ints, per_arm(0)]  # phases that ended in an error
    total_loss: Annotated[Floats, single(0.0)]  # in the rounds in which every arm was available
    full_rounds: Annotated[Ints, single(0)]  # the number of those rounds
    switched_at: Annotated[Ints, single(0)]  # number of rewards at the switch to EXP3.P; 0 before it
    exp3p: Exp3pState
    scale: DeclaredRange
    log_term: float  # b
    horizon: int
    max_regret: float
    max_errors: float
    margin: float
    width: float
    phase: float


@kernel
def stochastic_probabilities(state: SapoState, p: Floats) -> None:
    """Fill p: each eliminated arm has the probability of its phase, and the active arms share the rest equally."""
    n_active = 0
    eliminated = 0.0
    for arm in range(p.size):
        if state.active[arm]:
            n_active += 1
        else:
            p[arm] = state.p[arm]
            eliminated += p[arm]
    for arm in range(p.size):
        if state.active[arm]:
            p[arm] = (1.0 - eliminated) / n_active
        elif n_active == 0:  # only eliminated arms are available
            p[arm] /= eliminated


@distribute.register(SapoState)
def sapo_probabilities(state: SapoState, ask: Ask) -> None:
    if state.switched_at[0] == 0:
        stochastic_probabilities(state, ask.p)
    else:
        exp3p_probabilities(state.exp3p, ask.p)


@kernel
def radius(log_term: float, rounds: int) -> float:
    """Return min(1, sqrt(2 b / n)), the confidence radius of a sample mean."""
    return min(1.0, math.sqrt(2.0 * log_term / rounds)) if rounds > 0 else 1.0


@kernel
def add_loss(state: SapoState, seen: Observation, loss: float) -> None:
    """Add a loss to the sample mean, the weighted sum and the total loss."""
    all_available = True
    for arm in range(seen.p.size):
        state.rounds[arm] += seen.available[arm]
        all_available = all_available and seen.available[arm]
    state.pulls[seen.arm] += 1
    state.mean[seen.arm] += (loss - state.mean[seen.arm]) / state.pulls[seen.arm]
    state.weighted[seen.arm] += loss / seen.p[seen.arm]
    if all_available:
        state.total_loss[0] += loss
        state.full_rounds[0] += 1


@kernel
def weighted_mean_has_moved(state: SapoState, arm: int) -> bool:
    """Update the bounds of an active arm's weighted mean; return whether it is more than R outside the earlier ones."""
    rounds = max(state.rounds[arm], 1)
    weighted = state.weighted[arm] / rounds
    r = state.width * math.sqrt(2.0 * state.pulls.size * state.log_term / rounds)
    state.highest_lower[arm] = max(state.highest_lower[arm], weighted - r)
    state.lowest_upper[arm] = min(state.lowest_upper[arm], weighted + r)
    state.upper[arm] = min(state.upper[arm], weighted + r)
    return bool(weighted < state.highest_lower[arm] - r or weighted > state.lowest_upper[arm] + r)


@kernel
def begin_phase(state: SapoState, arm: int, p: float) -> None:
    state.p[arm] = p
    state.phase_rounds[arm] = 0
    state.improvement[arm] = 0.0


@kernel
def advance_phase(state: SapoState, seen: Observation, arm: int, loss: float) -> bool:
    """Add a round to the phase of an eliminated arm; return whether the arm has had too many errors."""
    length = state.phase / (state.p[arm] * state.gap[arm] * state.gap[arm])
    state.phase_rounds[arm] += 1
    state.improvement[arm] += state.eliminated_mean[arm] - (loss / seen.p[arm] if arm == seen.arm else 0.0)
    if state.improvement[arm] >= PHASE_ERROR * state.gap[arm] * length:
        state.errors[arm] += 1
        begin_phase(state, arm, min(state.first_p[arm], 2.0 * state.p[arm]))
    elif state.phase_rounds[arm] >= math.floor(length):
        begin_phase(state, arm, 0.5 * state.p[arm])
    return bool(state.errors[arm] >= state.max_errors)


@kernel
def eliminate(state: SapoState, best: float) -> bool:
    """Eliminate arms clearly worse than the best, and begin their first phase; return whether no arm stays active."""
    n_arms = state.pulls.size
    n_active = 0
    for arm in range(n_arms):
        r = radius(state.log_term, state.pulls[arm])
        if state.active[arm] and state.mean[arm] - state.margin * r > best:
            state.active[arm] = False
            state.eliminated_mean[arm] = state.mean[arm]
            state.gap[arm] = (state.margin - 1.0) * r
            state.first_p[arm] = 0.5 / n_arms + 0.5 * min(1.0, state.pulls[arm] / state.horizon)
            begin_phase(state, arm, state.first_p[arm])
        n_active += state.active[arm]
    return bool(n_active == 0)


@kernel
def eliminate_and_test(state: SapoState, seen: Observation, loss: float) -> bool:
    """Advance all phases, eliminate clearly worse arms, and return whether a test for stochastic rewards fails."""
    failed = False
    best = math.inf
    for arm in range(state.pulls.size):
        state.upper[arm] = min(state.upper[arm], state.mean[arm] + radius(state.log_term, state.pulls[arm]))
        if state.active[arm]:
            failed = weighted_mean_has_moved(state, arm) or failed
        elif seen.available[arm]:
            failed = advance_phase(state, seen, arm, loss) or failed
        best = min(best, state.upper[arm])
    failed = eliminate(state, best) or failed
    return bool(failed or state.total_loss[0] - state.full_rounds[0] * best > state.max_regret)


@update.register(SapoState)
def sapo_update(state: SapoState, seen: Observation, rng: np.random.Generator) -> None:
    gain = gain_of(state.scale, seen)
    add_loss(state, seen, 1.0 - gain)
    if state.switched_at[0] > 0:
        exp3p_update(state.exp3p, seen, gain)
    elif eliminate_and_test(state, seen, 1.0 - gain):
        state.switched_at[0] = state.pulls.sum()


@dataclass(frozen=True, kw_only=True)
class SAPO(RangedPolicy):
    """SAPO: eliminate arms as if rewards were stochastic, keep testing, and switch to EXP3.P when a test fails.

        loss = 1 - gain;  m_a its mean over the n_a rounds of a;  W_a = (1 / t) sum of loss / p over the rounds of a
        K arms, horizon T, t rewards so far, p the probability of the arm played
        r_a = min(1, sqrt(2 b / n_a)),    R = sqrt(2 K b / t),    b = ln T
        U = the lowest m_a + r_a of any arm, or W_a + R of an active one, so far
        eliminate a when  m_a - 9 r_a > U;   then  mu_a = m_a,  gap_a = 8 r_a,  p_a = 1 / (2K) + n_a / (2T)
        the active arms share the remaining probability equally

    An eliminated arm is still played, in phases of N = 1280 / (p_a gap_a^2) rounds. After a phase without an error the
    next one has 2N rounds and p_a / 2. A phase ends in an error when  N' mu_a - sum of loss / p  reaches  gap_a N / 4
    after N' rounds; the next one then has N / 2 rounds and 2 p_a, but never fewer rounds or a higher probability than
    the first. SAPO switches to EXP3.P (delta = 1 / T) for good

    - when an arm has had 3 log2 T errors,
    - when W_a of an active arm is more than R outside any of its earlier intervals W_a ± R,
    - when the losses exceed t U by more than 272 sqrt(K T b),
    - when no active arm is left.

    Like SAO, it detects rewards that change over time. It does not detect contamination that does not change over
    time: a constant fraction of contaminated rewards looks stochastic, and SAPO follows it. The guarantee is about the
    observed rewards.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    preset : {"paper", "practical"}
        The published constants, or our own constants, without a guarantee: b = 0.02, 3 radii in place of 9, phases of
        1 / (p_a gap_a^2) rounds, log2 T errors, an R 14 times as wide, and 14 sqrt(K T b).
    log_term : float, optional
        b, above 0, in place of the one of the preset.

    Notes
    -----
    Guarantee: for rewards in [0, 1], the regret is of order sum over arms of ln(T) / gap if they are stochastic. If
    they are fixed in advance, the regret against the best arm in the observed rewards is of order sqrt(K T ln T).

    With the published constants an arm is eliminated after some 240 ln T / gap^2 pulls, and each of its phases takes
    2,400 / gap^2 more: in a thousand rounds play is uniform. `scripts/sapo_constants.py` shows the effect of each
    practical constant. Small gaps remain expensive: an eliminated arm keeps half of its share until its first phase
    ends.

    The constants are those of the 2025 paper, which shares an author with that of 2016; without delays its algorithm is
    SAPO with a different initial p_a, which improves the adversarial regret from K sqrt(T) to sqrt(K T). The text of
    2016 was not available for comparison. Logarithms that count phases have base 2 and all others are natural, as its
    Lemma C.4 and its intervals require. Our additions: EXP3.P in place of "an adversarial algorithm", its delta, the
    switch when no arm is left, and an R that may exceed 1. With R limited to 1, as printed, a single first reward of
    weight K triggers the switch.

    Time is counted in rewards, and each is weighted with the probabilities of its own round, so rewards may arrive
    late in a live study. An arm's averages leave out the rounds in which it was not available; the test of the total
    loss leaves out the rounds in which any arm was not available.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask
    >>> policy = SAPO((0, 10))
    >>> state = policy.start(3, horizon=1000)
    >>> state.active[2], state.p[2] = False, 0.2
    >>> policy.probabilities(state, make_ask(100, 3)).round(3).tolist()
    [0.4, 0.4, 0.2]

    References
    ----------
    Auer & Chiang (2016), An algorithm with nearly optimal pseudo-regret for both stochastic and adversarial bandits;
    Schlisselberg, Lancewicki, Auer & Mansour (2025), Improved best-of-both-worlds regret for bandits with delayed
    feedback, Algorithm 5 and Procedures 6 and 7.
    """

    preset: Preset = "paper"
    log_term: Positive | None = None

    needs_horizon = True

    def state(self, setting: Setting) -> SapoState:
        n_arms, rounds = setting.n_arms, setting.rounds
        paper = self.preset == "paper"
        constants = PAPER if paper else PRACTICAL
        log_term = float(self.log_term or (math.log(max(2, rounds)) if paper else PRACTICAL_LOG_TERM))
        return new(
            SapoState,
            setting,
            exp3p=exp3p_state(setting, 1.0 / max(2, rounds)),
            scale=self.declared_range,
            log_term=log_term,
            horizon=rounds,
            max_regret=constants.regret * math.sqrt(n_arms * rounds * log_term),
            max_errors=constants.errors * math.log2(max(2, rounds)),
            margin=constants.margin,
            width=constants.width,
            phase=constants.phase,
        )

    def estimates(self, state: SapoState) -> Floats:
        return reward_of(state.scale, np.where(state.pulls > 0, 1.0 - state.mean, np.nan))
