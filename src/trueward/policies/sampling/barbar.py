"""BARBAR and BARBAT: play in epochs, each arm about as often as its estimated gap asks for, and then forget.

    n_a = lambda_m / gap_a^2,   p_a = n_a / N_m for N_m rounds,   r_a = S_a / n_a,   gap_a = max(2^-m, r_* - r_a)
    BARBAR: lambda = 1024 ln((8 K / delta) log2 T),   N_m = sum of n_a,   r_* = max_a (r_a - gap_a / 16)
    BARBAT: lambda_m = 2^8 ln(4 K / delta_m),   N_m = K lambda_m 4^(m - 1), what is left of N_m goes to the leader,
            r_* = max_a (r_a - sqrt(4 ln(4 / delta_m) / n_a)),   1 / delta_m = K ln K (m + 4) 4^(m + 4)

S_a is the sum of the gains of one epoch. It is divided by the *planned* number n_a, not by the number of pulls: so
what an adversary adds is spread over the plan, and no arm is ever given up. Withstands any total contamination C, at
a cost that adds to the regret. A constant fraction of all rewards is a C that grows with T, and then so does the
regret.

`preset="paper"` has the constants of the source: at five arms the first epoch lasts 42,448 (BARBAR, delta = 0.1) or
17,437 rounds (BARBAT), and until it ends play is uniform. `preset="practical"` has constants of ours, without a
guarantee, under which a thousand rounds hold several epochs: `lam=3` for BARBAR, and for BARBAT `factor=0.3` instead
of 2^8, the 4 in the width shrunk in proportion. Dividing by the plan is so noisy that even then little is learned in
a thousand rounds if the gap is small.

An update weighs the gain by (n_a / N_m) / p_a, with p the probabilities with which its arm was chosen: 1 in a game.
In a live study a late reward of the epoch before counts for the epoch under way, and arms may be missing.

Guarantee: for rewards in [0, 1], BARBAR has with probability 1 - delta a regret of order K C + sum over arms of ln T
ln((K / delta) ln T) / gap; BARBAT C + sum over arms of ln^2 T / gap, in expectation.

Reference: Gupta, Koren & Talwar (2019), Better algorithms for stochastic bandits with adversarial corruptions,
Algorithm 1; Hu & Chen (2025), arXiv 2502.07514, for BARBAT, whose constants 4, 4 K and zeta_m are as we recall them.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, generic, kernel, reset, update
from trueward.policies.base import SamplingPolicy, distribute
from trueward.policies.choosing import draw_from
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, declared_range, gain_of, reward_of

PAPER_FACTOR = 1024.0  # BARBAR's lambda
SHIFT = 1.0 / 16.0  # of the gap, in BARBAR's r_*
PRACTICAL_LAM = 3.0  # ours
PAPER_BARBAT_FACTOR = 256.0  # BARBAT's lambda_m
PRACTICAL_BARBAT_FACTOR = 0.3  # ours
WIDTH = 4.0 / PAPER_BARBAT_FACTOR  # BARBAT's width is sqrt(WIDTH factor ln(4 / delta_m) / n)

Preset = Literal["paper", "practical"]


class EpochState(NamedTuple):
    """The plan of the epoch under way, and what it has brought."""

    gaps: Floats  # (arms,) estimated in the epoch before
    planned: Floats  # (arms,) n_a
    sums: Floats  # (arms,) S_a, of gains
    pulls: Ints  # (arms,) in this epoch
    estimate: Floats  # (arms,) r_a of the epoch before, a gain
    p: Floats  # (arms,)
    clock: Ints  # (1, 2) the epoch m, and its rounds played
    length: Floats  # (1,) N_m
    scale: DeclaredRange
    rule: State  # how epochs are planned and judged


class BarbarRule(NamedTuple):
    """The rule of BARBAR."""

    lam: float


class BarbatRule(NamedTuple):
    """The rule of BARBAT."""

    factor: float


@generic
def plan(rule: State, state: EpochState) -> None:
    """Fill the planned numbers and the length of epoch m."""


@generic
def lower_bound(rule: State, state: EpochState, arm: int) -> float:
    """Return what an arm counts at least, in the epoch that has ended."""
    raise NotImplementedError


@plan.register(BarbarRule)
def plan_barbar(rule: BarbarRule, state: EpochState) -> None:
    """Give each arm lambda / gap^2."""
    state.length[0] = 0.0
    for arm in range(state.gaps.size):
        state.planned[arm] = rule.lam / (state.gaps[arm] * state.gaps[arm])
        state.length[0] += state.planned[arm]


@lower_bound.register(BarbarRule)
def lower_bound_barbar(rule: BarbarRule, state: EpochState, arm: int) -> float:
    """Return r - gap / 16."""
    return float(state.estimate[arm] - SHIFT * state.gaps[arm])


@kernel
def doubt(n_arms: int, epoch: int) -> float:
    """Return ln(1 / delta_m)."""
    return math.log(n_arms * math.log(max(n_arms, 2)) * (epoch + 4)) + 2 * (epoch + 4) * math.log(2.0)


@kernel
def barbat_lambda(factor: float, n_arms: int, epoch: int) -> float:
    """Return lambda_m = factor ln(4 K / delta_m)."""
    return factor * (math.log(4.0 * n_arms) + doubt(n_arms, epoch))


@plan.register(BarbatRule)
def plan_barbat(rule: BarbatRule, state: EpochState) -> None:
    """Give each arm lambda_m / gap^2, and the leader of the epoch before what is left of the length."""
    n_arms, epoch = state.gaps.size, int(state.clock[0, 0])
    lam = barbat_lambda(rule.factor, n_arms, epoch)
    state.length[0] = n_arms * lam * math.ldexp(1.0, 2 * (epoch - 1))
    leader = 0
    left = state.length[0]
    for arm in range(n_arms):
        if state.estimate[arm] > state.estimate[leader]:
            leader = arm
        state.planned[arm] = lam / (state.gaps[arm] * state.gaps[arm])
        left -= state.planned[arm]
    state.planned[leader] += max(left, 0.0)


@lower_bound.register(BarbatRule)
def lower_bound_barbat(rule: BarbatRule, state: EpochState, arm: int) -> float:
    """Return r - sqrt(4 ln(4 / delta_m) / n), where r counts at most 1."""
    state.estimate[arm] = min(state.estimate[arm], 1.0)
    log_term = math.log(4.0) + doubt(state.gaps.size, state.clock[0, 0])
    return float(state.estimate[arm] - math.sqrt(WIDTH * rule.factor * log_term / state.planned[arm]))


@reset.register(EpochState)
def reset_epochs(state: EpochState) -> None:
    """Plan the first epoch."""
    state.gaps[:] = 1.0
    state.estimate[:] = 0.0
    begin_epoch(state, 1)


@kernel
def begin_epoch(state: EpochState, epoch: int) -> None:
    """Forget the rewards of the epoch before, and plan."""
    state.clock[0, 0] = epoch
    state.clock[0, 1] = 0
    state.sums[:] = 0.0
    state.pulls[:] = 0
    plan(state.rule, state)


@kernel
def end_epoch(state: EpochState) -> None:
    """Estimate the gaps anew."""
    epoch = int(state.clock[0, 0])
    best = -math.inf
    for arm in range(state.gaps.size):
        state.estimate[arm] = state.sums[arm] / state.planned[arm]
        best = max(best, lower_bound(state.rule, state, arm))
    for arm in range(state.gaps.size):
        state.gaps[arm] = max(math.ldexp(1.0, -epoch), best - state.estimate[arm])


@distribute.register(EpochState)
def distribute_epochs(state: EpochState, t: int) -> None:
    """Give each arm its share of the plan."""
    total = 0.0
    for arm in range(state.p.size):
        total += state.planned[arm]
    for arm in range(state.p.size):
        state.p[arm] = state.planned[arm] / total


@choose.register(EpochState)
def choose_epochs(state: EpochState, t: int, rng: np.random.Generator) -> int:
    """Draw an arm."""
    distribute(state, t)
    return draw_from(state.p, rng)


@update.register(EpochState)
def update_epochs(state: EpochState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Add the gain to the epoch's sum; at the end of the epoch, plan the next."""
    gain = gain_of(state.scale, t, arm, reward)
    total = 0.0
    for other in range(state.p.size):
        total += state.planned[other]
    for other in range(state.p.size):
        if state.p[other] == 0.0:  # not available: as if it had followed the policy
            state.sums[other] += gain * state.planned[other] / total
    state.sums[arm] += gain * (state.planned[arm] / total / state.p[arm])
    state.pulls[arm] += 1
    state.clock[0, 1] += 1
    if state.clock[0, 1] >= state.length[0]:
        end_epoch(state)
        begin_epoch(state, state.clock[0, 0] + 1)


def epoch_state(n_arms: int, scale: DeclaredRange, rule: State) -> EpochState:
    """Return the state before the first round."""
    gaps, planned, sums, estimate, p = np.zeros((5, n_arms))
    pulls, clock = np.zeros(n_arms, np.int64), np.zeros((1, 2), np.int64)
    state = EpochState(gaps, planned, sums, pulls, estimate, p, clock, np.zeros(1), scale, rule)
    reset(state)
    distribute(state, 1)
    return state


class EpochPolicy(SamplingPolicy):
    """A policy that plans its pulls by epochs."""

    def estimates(self, state: EpochState) -> Floats:
        """Return the estimates of the last finished epoch; in the first epoch, the plain means so far."""
        gains = state.estimate
        if state.clock[0, 0] == 1:
            gains = np.where(state.pulls > 0, state.sums / np.maximum(state.pulls, 1), np.nan)
        return reward_of(state.scale, gains)


@dataclass(frozen=True)
class BARBAR(EpochPolicy):
    """Epochs of lambda / gap^2 pulls; lambda as given, or by the preset: the paper's, from delta and the horizon."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    preset: Preset = "paper"
    delta: float = 0.1
    lam: float | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        checks.one_of("preset", self.preset, ("paper", "practical"))
        checks.number("delta", self.delta, above=0, below=1)
        if self.lam is not None:
            checks.number("lam", self.lam, above=0)

    @property
    def needs_horizon(self) -> bool:
        """The paper's lambda depends on it."""
        return self.lam is None and self.preset == "paper"

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> EpochState:  # noqa: ARG002 - keeps no rewards
        """Return a fresh state."""
        lam = self.lam
        if lam is None:
            lam = PRACTICAL_LAM if self.preset == "practical" else self._paper_lam(n_arms, self.known_horizon(horizon))
        return epoch_state(n_arms, declared_range(self.range, self.outside), BarbarRule(float(lam)))

    def _paper_lam(self, n_arms: int, horizon: int) -> float:
        return PAPER_FACTOR * math.log(8.0 * n_arms / self.delta * math.log2(max(horizon, 2)))


@dataclass(frozen=True)
class BARBAT(EpochPolicy):
    """Epochs whose lengths do not depend on the data; the leader is played in what they leave over."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    preset: Preset = "paper"
    factor: float | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        checks.one_of("preset", self.preset, ("paper", "practical"))
        if self.factor is not None:
            checks.number("factor", self.factor, above=0)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> EpochState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        factor = self.factor
        if factor is None:
            factor = PAPER_BARBAT_FACTOR if self.preset == "paper" else PRACTICAL_BARBAT_FACTOR
        return epoch_state(n_arms, declared_range(self.range, self.outside), BarbatRule(float(factor)))
