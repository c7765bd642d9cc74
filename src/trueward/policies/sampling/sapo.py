"""SAPO: eliminate arms as if rewards were stochastic, look at the eliminated ones in phases, switch if one gets better.

    loss = 1 - gain;  m_a its mean over the n_a rounds of a;  W_a = (1 / t) sum of loss / p over the rounds of a
    r_a = min(1, sqrt(2 b / n_a)),    R = sqrt(2 K b / t),    b = ln T
    U = the lowest m_a + r_a of any arm, or W_a + R of an active one, so far
    eliminate a when  m_a - 9 r_a > U;   then  level = m_a,  gap = 8 r_a,  p_a = 1 / (2K) + n_a / (2T)
    the active arms share the rest equally

An eliminated arm is looked at in phases of N = 1280 / (p_a gap^2) rounds. One that ends in peace is followed by one of
2N with p_a / 2. One in which  N' level - sum of loss / p  reaches  gap N / 4  after N' rounds is an error: the next has
N / 2 and 2 p_a, but never less, or more, than the first. It switches for good to EXP3.P (`exp3p`, delta = 1 / T)

    - when an arm has had 3 log2 T errors,
    - when W_a of an active arm is more than R outside of all its earlier intervals W_a ± R,
    - when the losses exceed t U by more than 272 sqrt(K T b),
    - when no active arm is left.

Like those of SAO, its tests notice rewards that change with time; contamination that does not change, a constant
fraction of all rewards, looks stochastic and is followed. What it guarantees is about the rewards *seen*.

`preset="paper"` has these constants: an arm is eliminated after some 240 ln T / gap^2 pulls, and each of its phases
takes 2,400 / gap^2 more; in a thousand rounds play is uniform. `preset="practical"` has constants of ours, without a
guarantee: b = 0.02, 3 radii in the place of 9, phases of 1 / (p_a gap^2), log2 T errors, an R 14 times as wide, and 14
sqrt(K T b); `scripts/sapo_constants.py` shows what each of them does. Small gaps stay expensive: an eliminated arm
keeps half of its share until its first phase ends.

Where the constants are from: the version of 2025, of which the first author of 2016 is one; without delays, it is SAPO
with another first p_a, which brings the adversarial regret from K sqrt(T) to sqrt(K T). The text of 2016 could not be
compared. Logarithms count phases to the base 2, and are natural elsewhere: what its Lemma C.4 and its intervals need.
Ours are EXP3.P in the place of "an adversarial algorithm" and its delta, the switch when no arm is left, and an R that
may be more than 1: cut off there, as printed, a first reward of weight K alone makes it switch.

Time is counted in rewards seen, and these count with the probabilities of their own round: in a live study rewards may
come late. An arm's averages leave out the rounds in which it was not available, the last test those in which any was
not.

Guarantee: for rewards in [0, 1], a regret of order sum over arms of ln(T) / gap if they are stochastic, and of order
sqrt(K T ln T), against the best arm in the rewards seen, if they are fixed beforehand.

Reference: Auer & Chiang (2016), An algorithm with nearly optimal pseudo-regret for both stochastic and adversarial
bandits; Schlisselberg, Lancewicki, Auer & Mansour (2025), Improved best-of-both-worlds regret for bandits with delayed
feedback, Algorithm 5 and Procedures 6 and 7.
"""

import math
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm, single
from trueward.parameters import Positive
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.exp3p import add_biased_gain, exp3p_rates
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute, exponential_weights


class Constants(NamedTuple):
    """What the tests are measured with."""

    margin: float  # radii between an arm and the best, to be eliminated; the gap is one less
    doubt: float  # how wide R is, in sqrt(2 K b / t)
    phase: float  # how many rounds a phase has, in 1 / (p gap^2)
    errors: float  # phases that may go wrong, in log2 T
    regret: float  # what may be lost, in sqrt(K T b)


PRINTED = Constants(margin=9.0, doubt=1.0, phase=1280.0, errors=3.0, regret=272.0)
PRACTICAL = Constants(margin=3.0, doubt=14.0, phase=1.0, errors=1.0, regret=14.0)  # ours
PRACTICAL_LOG_TERM = 0.02  # ours
PHASE_ERROR = 0.25  # in gap N


class SapoState(NamedTuple):
    """What the stochastic part believes, the phases of eliminated arms, and what the adversarial part has gained."""

    active: Annotated[Bools, per_arm(True)]
    pulls: Annotated[Ints, per_arm(0)]
    mean: Annotated[Floats, per_arm(0.0)]  # of losses
    rounds: Annotated[Ints, per_arm(0)]  # rewards seen, of any arm, while this one was available
    weighted: Annotated[Floats, per_arm(0.0)]  # sums of importance-weighted losses
    floor: Annotated[Floats, per_arm(-math.inf)]  # the highest W - R so far
    ceiling: Annotated[Floats, per_arm(math.inf)]  # the lowest W + R so far
    upper: Annotated[Floats, per_arm(math.inf)]  # the lowest upper bound of any kind so far
    level: Annotated[Floats, per_arm(0.0)]  # of an eliminated arm, as are those below
    gap: Annotated[Floats, per_arm(0.0)]
    first_p: Annotated[Floats, per_arm(0.0)]  # its probability in the first phase
    p: Annotated[Floats, per_arm(0.0)]  # and in this one
    elapsed: Annotated[Ints, per_arm(0)]  # rounds of the phase
    better: Annotated[Floats, per_arm(0.0)]  # by how much it did better than its level in the phase
    errors: Annotated[Ints, per_arm(0)]
    gains: Annotated[Floats, per_arm(0.0)]  # of EXP3.P
    lost: Annotated[Floats, single(0.0)]  # while every arm was available
    clock: Annotated[Ints, single(0, 2)]  # such rounds, and after how many rewards it switched, or 0
    scale: DeclaredRange
    log_term: float
    horizon: int
    most_lost: float
    most_errors: float
    margin: float
    doubt: float
    phase: float
    beta: float  # of EXP3.P, as are the two below
    eta: float
    gamma: float


@kernel
def share_out_actives(state: SapoState, p: Floats) -> None:
    """Fill p: eliminated arms as their phases have it, active ones with the rest in equal shares."""
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
def share_or_weigh(state: SapoState, ask: Ask) -> None:
    """Fill in the probabilities of the part that plays."""
    if state.clock[1] == 0:
        share_out_actives(state, ask.p)
    else:
        exponential_weights(state.gains, state.eta, 1.0, state.gamma, ask.p)


@kernel
def radius(log_term: float, rounds: int) -> float:
    """Return min(1, sqrt(2 b / n)), the radius of a plain mean."""
    return min(1.0, math.sqrt(2.0 * log_term / rounds)) if rounds > 0 else 1.0


@kernel
def take_loss(state: SapoState, seen: Observation, loss: float) -> None:
    """Add a loss to the plain mean, the weighted sums and what was lost."""
    everywhere = True
    for arm in range(seen.p.size):
        state.rounds[arm] += seen.available[arm]
        everywhere = everywhere and seen.available[arm]
    state.pulls[seen.arm] += 1
    state.mean[seen.arm] += (loss - state.mean[seen.arm]) / state.pulls[seen.arm]
    state.weighted[seen.arm] += loss / seen.p[seen.arm]
    if everywhere:
        state.lost[0] += loss
        state.clock[0] += 1


@kernel
def mean_has_moved(state: SapoState, arm: int) -> bool:
    """Narrow the interval of an active arm's weighted mean, and return whether that mean has left it by far."""
    rounds = max(state.rounds[arm], 1)
    weighted = state.weighted[arm] / rounds
    wide = state.doubt * math.sqrt(2.0 * state.pulls.size * state.log_term / rounds)
    state.floor[arm] = max(state.floor[arm], weighted - wide)
    state.ceiling[arm] = min(state.ceiling[arm], weighted + wide)
    state.upper[arm] = min(state.upper[arm], weighted + wide)
    return bool(weighted < state.floor[arm] - wide or weighted > state.ceiling[arm] + wide)


@kernel
def begin_phase(state: SapoState, arm: int, p: float) -> None:
    """Begin a phase of an eliminated arm."""
    state.p[arm] = p
    state.elapsed[arm] = 0
    state.better[arm] = 0.0


@kernel
def phases_go_wrong(state: SapoState, seen: Observation, arm: int, loss: float) -> bool:
    """Add a round to the phase of an eliminated arm, end it if it is over; return whether it was the last error."""
    length = state.phase / (state.p[arm] * state.gap[arm] * state.gap[arm])
    state.elapsed[arm] += 1
    state.better[arm] += state.level[arm] - (loss / seen.p[arm] if arm == seen.arm else 0.0)
    if state.better[arm] >= PHASE_ERROR * state.gap[arm] * length:
        state.errors[arm] += 1
        begin_phase(state, arm, min(state.first_p[arm], 2.0 * state.p[arm]))
    elif state.elapsed[arm] >= math.floor(length):
        begin_phase(state, arm, 0.5 * state.p[arm])
    return bool(state.errors[arm] >= state.most_errors)


@kernel
def nobody_is_left(state: SapoState, best: float) -> bool:
    """Eliminate active arms that are clearly worse than the best, begin their first phase; return if all are."""
    n_arms = state.pulls.size
    left = 0
    for arm in range(n_arms):
        narrow = radius(state.log_term, state.pulls[arm])
        if state.active[arm] and state.mean[arm] - state.margin * narrow > best:
            state.active[arm] = False
            state.level[arm] = state.mean[arm]
            state.gap[arm] = (state.margin - 1.0) * narrow
            state.first_p[arm] = 0.5 / n_arms + 0.5 * min(1.0, state.pulls[arm] / state.horizon)
            begin_phase(state, arm, state.first_p[arm])
        left += state.active[arm]
    return bool(left == 0)


@kernel
def test_and_eliminate(state: SapoState, seen: Observation, loss: float) -> bool:
    """Look at every arm, eliminate those clearly worse; return whether rewards do not look stochastic."""
    unusual = False
    best = math.inf
    for arm in range(state.pulls.size):
        state.upper[arm] = min(state.upper[arm], state.mean[arm] + radius(state.log_term, state.pulls[arm]))
        if state.active[arm]:
            unusual = mean_has_moved(state, arm) or unusual
        elif seen.available[arm]:
            unusual = phases_go_wrong(state, seen, arm, loss) or unusual
        best = min(best, state.upper[arm])
    unusual = nobody_is_left(state, best) or unusual
    return bool(unusual or state.lost[0] - state.clock[0] * best > state.most_lost)


@update.register(SapoState)
def let_part_learn(state: SapoState, seen: Observation, rng: np.random.Generator) -> None:
    """Let the part that plays learn."""
    gain = gain_of(state.scale, seen)
    take_loss(state, seen, 1.0 - gain)
    if state.clock[1] > 0:
        add_biased_gain(state.gains, state.beta, seen, gain)
    elif test_and_eliminate(state, seen, 1.0 - gain):
        state.clock[1] = state.pulls.sum()


@dataclass(frozen=True, kw_only=True)
class SAPO(RangedPolicy):
    """Successive elimination until a test says otherwise, then EXP3.P; b = ln T as given, or by the preset."""

    preset: Preset = "paper"
    log_term: Positive | None = None

    needs_horizon = True

    def state(self, setting: Setting) -> SapoState:
        n_arms, rounds = setting.n_arms, setting.rounds
        paper = self.preset == "paper"
        constants = PRINTED if paper else PRACTICAL
        log_term = float(self.log_term or (math.log(max(2, rounds)) if paper else PRACTICAL_LOG_TERM))
        return new(
            SapoState,
            setting,
            scale=self.declared,
            log_term=log_term,
            horizon=rounds,
            most_lost=constants.regret * math.sqrt(n_arms * rounds * log_term),
            most_errors=constants.errors * math.log2(max(2, rounds)),
            margin=constants.margin,
            doubt=constants.doubt,
            phase=constants.phase,
            **exp3p_rates(n_arms, rounds, 1.0 / max(2, rounds))._asdict(),
        )

    def estimates(self, state: SapoState) -> Floats:
        return reward_of(state.scale, np.where(state.pulls > 0, 1.0 - state.mean, np.nan))
