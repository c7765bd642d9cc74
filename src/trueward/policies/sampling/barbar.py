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
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, kernel
from trueward.engine.protocol import Ask, Observation, reset, update
from trueward.engine.states import Setting, clear, new, per_arm, single
from trueward.parameters import Positive, above, below
from trueward.policies.declared_range import DeclaredRange, gain_of, reward_of
from trueward.policies.sampling.sampling_policy import Preset, RangedPolicy, distribute

PAPER_FACTOR = 1024.0  # BARBAR's lambda
SHIFT = 1.0 / 16.0  # of the gap, in BARBAR's r_*
PRACTICAL_LAM = 3.0  # ours
PAPER_BARBAT_FACTOR = 256.0  # BARBAT's lambda_m
PRACTICAL_BARBAT_FACTOR = 0.3  # ours
WIDTH = 4.0 / PAPER_BARBAT_FACTOR  # BARBAT's width is sqrt(WIDTH factor ln(4 / delta_m) / n)


class EpochState(NamedTuple):
    """The plan of the epoch under way, and what it has brought."""

    gaps: Annotated[Floats, per_arm(1.0)]  # estimated in the epoch before
    planned: Annotated[Floats, per_arm(0.0)]  # n_a
    sums: Annotated[Floats, per_arm(0.0)]  # S_a, of gains
    pulls: Annotated[Ints, per_arm(0)]  # in this epoch
    estimate: Annotated[Floats, per_arm(0.0)]  # r_a of the epoch before, a gain
    clock: Annotated[Ints, single(0, 2)]  # the epoch m, and its rounds played
    length: Annotated[Floats, single(0.0)]  # N_m
    scale: DeclaredRange
    factor: float  # BARBAR's lambda; BARBAT's, before it is multiplied by ln(4 K / delta_m)
    barbat: bool


@kernel
def doubt(n_arms: int, epoch: int) -> float:
    """Return ln(1 / delta_m)."""
    return math.log(n_arms * math.log(max(n_arms, 2)) * (epoch + 4)) + 2 * (epoch + 4) * math.log(2.0)


@kernel
def barbat_lambda(factor: float, n_arms: int, epoch: int) -> float:
    """Return lambda_m = factor ln(4 K / delta_m)."""
    return factor * (math.log(4.0 * n_arms) + doubt(n_arms, epoch))


@kernel
def plan(state: EpochState) -> None:
    """Give each arm lambda / gap^2, and of BARBAT the leader of the epoch before what is left of the length."""
    n_arms, epoch = state.gaps.size, int(state.clock[0])
    lam = barbat_lambda(state.factor, n_arms, epoch) if state.barbat else state.factor
    leader, total, length = 0, 0.0, n_arms * lam * math.ldexp(1.0, 2 * (epoch - 1))
    left = length
    for arm in range(n_arms):
        leader = arm if state.estimate[arm] > state.estimate[leader] else leader
        state.planned[arm] = lam / (state.gaps[arm] * state.gaps[arm])
        left -= state.planned[arm]
        total += state.planned[arm]
    state.length[0] = length if state.barbat else total
    state.planned[leader] += max(left, 0.0) if state.barbat else 0.0


@kernel
def lower_bound(state: EpochState, arm: int) -> float:
    """Return what an arm counts at least: r - gap / 16, or of BARBAT, whose r is at most 1, r - its width."""
    if not state.barbat:
        return float(state.estimate[arm] - SHIFT * state.gaps[arm])
    state.estimate[arm] = min(state.estimate[arm], 1.0)
    log_term = math.log(4.0) + doubt(state.gaps.size, state.clock[0])
    return float(state.estimate[arm] - math.sqrt(WIDTH * state.factor * log_term / state.planned[arm]))


@reset.register(EpochState)
def plan_first_epoch(state: EpochState) -> None:
    """Forget everything, and plan the first epoch."""
    clear(state)
    begin_epoch(state, 1)


@kernel
def begin_epoch(state: EpochState, epoch: int) -> None:
    """Forget the rewards of the epoch before, and plan."""
    state.clock[0] = epoch
    state.clock[1] = 0
    state.sums[:] = 0.0
    state.pulls[:] = 0
    plan(state)


@kernel
def end_epoch(state: EpochState) -> None:
    """Estimate the gaps anew."""
    epoch = int(state.clock[0])
    best = -math.inf
    for arm in range(state.gaps.size):
        state.estimate[arm] = state.sums[arm] / state.planned[arm]
        best = max(best, lower_bound(state, arm))
    for arm in range(state.gaps.size):
        state.gaps[arm] = max(math.ldexp(1.0, -epoch), best - state.estimate[arm])


@kernel
def all_planned(state: EpochState) -> float:
    """Return the sum of the planned numbers."""
    total = 0.0
    for arm in range(state.planned.size):
        total += state.planned[arm]
    return total


@distribute.register(EpochState)
def follow_plan(state: EpochState, ask: Ask) -> None:
    """Give each arm its share of the plan."""
    total = all_planned(state)
    for arm in range(ask.p.size):
        ask.p[arm] = state.planned[arm] / total


@update.register(EpochState)
def add_to_epoch(state: EpochState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the gain to the epoch's sum; at the end of the epoch, plan the next."""
    gain = gain_of(state.scale, seen)
    total = all_planned(state)
    for arm in range(seen.p.size):
        if not seen.available[arm]:  # as if it had followed the policy
            state.sums[arm] += gain * state.planned[arm] / total
    state.sums[seen.arm] += gain * (state.planned[seen.arm] / total / seen.p[seen.arm])
    state.pulls[seen.arm] += 1
    state.clock[1] += 1
    if state.clock[1] >= state.length[0]:
        end_epoch(state)
        begin_epoch(state, state.clock[0] + 1)


@dataclass(frozen=True, kw_only=True)
class EpochPolicy(RangedPolicy):
    """A policy that plans its pulls by epochs."""

    preset: Preset = "paper"

    def estimates(self, state: EpochState) -> Floats:
        """Return the estimates of the last finished epoch; in the first epoch, the plain means so far."""
        gains = state.estimate
        if state.clock[0] == 1:
            gains = np.where(state.pulls > 0, state.sums / np.maximum(state.pulls, 1), np.nan)
        return reward_of(state.scale, gains)


@dataclass(frozen=True, kw_only=True)
class BARBAR(EpochPolicy):
    """Epochs of lambda / gap^2 pulls; lambda as given, or by the preset: the paper's, from delta and the horizon."""

    delta: Annotated[float, above(0), below(1)] = 0.1
    lam: Positive | None = None

    @property
    def needs_horizon(self) -> bool:
        """The paper's lambda depends on it."""
        return self.lam is None and self.preset == "paper"

    def state(self, setting: Setting) -> EpochState:
        lam = PRACTICAL_LAM if self.lam is None else self.lam
        if self.needs_horizon:
            lam = PAPER_FACTOR * math.log(8.0 * setting.n_arms / self.delta * math.log2(max(setting.rounds, 2)))
        return new(EpochState, setting, scale=self.declared, factor=float(lam), barbat=False)


@dataclass(frozen=True, kw_only=True)
class BARBAT(EpochPolicy):
    """Epochs whose lengths do not depend on the data; the leader is played in what they leave over."""

    factor: Positive | None = None

    def state(self, setting: Setting) -> EpochState:
        factor = self.factor or (PAPER_BARBAT_FACTOR if self.preset == "paper" else PRACTICAL_BARBAT_FACTOR)
        return new(EpochState, setting, scale=self.declared, factor=float(factor), barbat=True)
