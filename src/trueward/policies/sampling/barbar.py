"""BARBAR and BARBAT: play in epochs, each arm in proportion to 1 / gap^2, and forget earlier epochs."""

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

BARBAR_FACTOR = 1024.0  # of lambda, as published
BARBAR_SHIFT = 1.0 / 16.0  # of the gap, in r_*
BARBAR_PRACTICAL_LAMBDA = 3.0  # not published
BARBAT_FACTOR = 256.0  # of lambda_m, as published
BARBAT_PRACTICAL_FACTOR = 0.3  # not published
BARBAT_WIDTH = 4.0 / BARBAT_FACTOR  # the confidence width is sqrt(BARBAT_WIDTH factor ln(4 / delta_m) / n)


class EpochState(NamedTuple):
    """The plan of the current epoch, and its rewards so far."""

    gaps: Annotated[Floats, per_arm(1.0)]  # estimated in the previous epoch
    planned: Annotated[Floats, per_arm(0.0)]  # n_a
    sums: Annotated[Floats, per_arm(0.0)]  # S_a, of gains
    pulls: Annotated[Ints, per_arm(0)]  # in this epoch
    estimate: Annotated[Floats, per_arm(0.0)]  # r_a of the previous epoch, a gain
    epoch: Annotated[Ints, single(0)]  # m
    epoch_rounds: Annotated[Ints, single(0)]  # rounds of this epoch so far
    length: Annotated[Floats, single(0.0)]  # N_m
    scale: DeclaredRange
    factor: float  # BARBAR: lambda; BARBAT: lambda_m / ln(4 K / delta_m)
    barbat: bool


@kernel
def log_inverse_delta(n_arms: int, epoch: int) -> float:
    """Return BARBAT's ln(1 / delta_m)."""
    return math.log(n_arms * math.log(max(n_arms, 2)) * (epoch + 4)) + 2 * (epoch + 4) * math.log(2.0)


@kernel
def barbat_lambda(factor: float, n_arms: int, epoch: int) -> float:
    """Return lambda_m = factor ln(4 K / delta_m)."""
    return factor * (math.log(4.0 * n_arms) + log_inverse_delta(n_arms, epoch))


@kernel
def plan_epoch(state: EpochState) -> None:
    """Plan lambda / gap^2 pulls of each arm; BARBAT gives the rest of its fixed length to the previous leader."""
    n_arms, epoch = state.gaps.size, int(state.epoch[0])
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
    """Return the lower bound in r_*: r - gap / 16; for BARBAT, which limits r to 1, r - its confidence width."""
    if not state.barbat:
        return float(state.estimate[arm] - BARBAR_SHIFT * state.gaps[arm])
    state.estimate[arm] = min(state.estimate[arm], 1.0)
    log_term = math.log(4.0) + log_inverse_delta(state.gaps.size, state.epoch[0])
    return float(state.estimate[arm] - math.sqrt(BARBAT_WIDTH * state.factor * log_term / state.planned[arm]))


@reset.register(EpochState)
def plan_first_epoch(state: EpochState) -> None:
    clear(state)
    begin_epoch(state, 1)


@kernel
def begin_epoch(state: EpochState, epoch: int) -> None:
    """Forget the rewards of the previous epoch, and plan the next one."""
    state.epoch[0] = epoch
    state.epoch_rounds[0] = 0
    state.sums[:] = 0.0
    state.pulls[:] = 0
    plan_epoch(state)


@kernel
def end_epoch(state: EpochState) -> None:
    """Estimate the gaps from the rewards of this epoch alone."""
    epoch = int(state.epoch[0])
    best = -math.inf
    for arm in range(state.gaps.size):
        state.estimate[arm] = state.sums[arm] / state.planned[arm]
        best = max(best, lower_bound(state, arm))
    for arm in range(state.gaps.size):
        state.gaps[arm] = max(math.ldexp(1.0, -epoch), best - state.estimate[arm])


@kernel
def total_planned(state: EpochState) -> float:
    total = 0.0
    for arm in range(state.planned.size):
        total += state.planned[arm]
    return total


@distribute.register(EpochState)
def planned_probabilities(state: EpochState, ask: Ask) -> None:
    total = total_planned(state)
    for arm in range(ask.p.size):
        ask.p[arm] = state.planned[arm] / total


@update.register(EpochState)
def add_gain(state: EpochState, seen: Observation, rng: np.random.Generator) -> None:
    """Add the gain to the arm's sum; after the last round of the epoch, plan the next one."""
    gain = gain_of(state.scale, seen)
    total = total_planned(state)
    for arm in range(seen.p.size):
        if not seen.available[arm]:  # credited as if it had followed the policy
            state.sums[arm] += gain * state.planned[arm] / total
    state.sums[seen.arm] += gain * (state.planned[seen.arm] / total / seen.p[seen.arm])
    state.pulls[seen.arm] += 1
    state.epoch_rounds[0] += 1
    if state.epoch_rounds[0] >= state.length[0]:
        end_epoch(state)
        begin_epoch(state, state.epoch[0] + 1)


@dataclass(frozen=True, kw_only=True)
class EpochPolicy(RangedPolicy):
    """A policy that plans the number of pulls of each arm epoch by epoch."""

    preset: Preset = "paper"

    def estimates(self, state: EpochState) -> Floats:
        """Return the estimates of the last completed epoch; in the first epoch, the sample means so far."""
        gains = state.estimate
        if state.epoch[0] == 1:
            gains = np.where(state.pulls > 0, state.sums / np.maximum(state.pulls, 1), np.nan)
        return reward_of(state.scale, gains)


@dataclass(frozen=True, kw_only=True)
class BARBAR(EpochPolicy):
    """BARBAR: play in epochs, each arm about lambda / gap^2 times, and forget earlier epochs.

        n_a = lambda / gap_a^2,   p_a = n_a / N_m for N_m = sum of n_a rounds,   r_a = S_a / n_a
        gap_a = max(2^-m, r_* - r_a),   r_* = max_a (r_a - gap_a / 16),   lambda = 1024 ln((8 K / delta) log2 T)

    S_a is the sum of the gains in one epoch. It is divided by the planned number of pulls n_a, not by the actual one.
    So what an adversary adds is spread over the plan, and no arm is ever given up. BARBAR withstands any total
    contamination C, at a cost that is added to the regret. A constant fraction of contaminated rewards is a C that
    grows with T, and then the regret grows with T, too.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    preset : {"paper", "practical"}
        The published constants, with which the first epoch lasts 42,448 rounds for five arms and delta = 0.1 (until
        then play is uniform), or lambda = 3, our own, without a guarantee: several epochs in a thousand rounds.
    delta : float
        Probability in (0, 1) with which the guarantee may fail; used by the published lambda.
    lam : float, optional
        lambda, above 0, in place of the one of the preset. The published lambda needs the horizon.

    Notes
    -----
    Guarantee: for rewards in [0, 1], with probability 1 - delta, the regret is of order K C + sum over arms of
    ln T ln((K / delta) ln T) / gap.

    Dividing by the planned number is so noisy that even the practical constants learn little in a thousand rounds
    if the gap is small. A gain is weighted by (n_a / N_m) / p_a, where p_a is the probability with which its arm was
    drawn: the weight is 1 in a game. In a live study a reward that arrives after the end of its epoch counts for the
    current epoch, and arms may be unavailable.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask, make_observation
    >>> policy = BARBAR((0, 10), lam=1.0)
    >>> state = policy.start(2)
    >>> for arm, reward in [(0, 10.0), (1, 5.0), *4 * [(0, 10.0)], *4 * [(1, 0.0)]]:  # two epochs
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> state.gaps.tolist(), policy.probabilities(state, make_ask(11, 2)).round(3).tolist()
    ([0.25, 0.96875], [0.938, 0.062])

    References
    ----------
    Gupta, Koren & Talwar (2019), Better algorithms for stochastic bandits with adversarial corruptions, Algorithm 1.
    """

    delta: Annotated[float, above(0), below(1)] = 0.1
    lam: Positive | None = None

    @property
    def needs_horizon(self) -> bool:
        """Whether lambda is the published one, which depends on the horizon."""
        return self.lam is None and self.preset == "paper"

    def state(self, setting: Setting) -> EpochState:
        lam = BARBAR_PRACTICAL_LAMBDA if self.lam is None else self.lam
        if self.needs_horizon:
            lam = BARBAR_FACTOR * math.log(8.0 * setting.n_arms / self.delta * math.log2(max(setting.rounds, 2)))
        return new(EpochState, setting, scale=self.declared_range, factor=float(lam), barbat=False)


@dataclass(frozen=True, kw_only=True)
class BARBAT(EpochPolicy):
    """BARBAT: BARBAR with epochs of fixed length, whose remaining rounds go to the leading arm.

        n_a = lambda_m / gap_a^2,   p_a = n_a / N_m for N_m = K lambda_m 4^(m - 1) rounds,   r_a = min(1, S_a / n_a)
        gap_a = max(2^-m, r_* - r_a),   r_* = max_a (r_a - sqrt(4 ln(4 / delta_m) / n_a))
        lambda_m = 2^8 ln(4 K / delta_m),   1 / delta_m = K ln K (m + 4) 4^(m + 4)

    The arm with the highest estimate in the previous epoch is played in the rounds that the others leave. BARBAT
    withstands any total contamination C, at a cost that is added to the regret, and does not withstand a constant
    fraction of contaminated rewards, as BARBAR.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest reward.
    outside : {"clip", "raise"}, optional
        What happens to a reward outside `range`. Default: it is clipped in games and raises an error in a live study.
    preset : {"paper", "practical"}
        The published constants, with which the first epoch lasts 17,437 rounds for five arms (until then play is
        uniform), or a factor of 0.3 in place of 2^8, with the 4 in r_* reduced in proportion, our own, without a
        guarantee: several epochs in a thousand rounds.
    factor : float, optional
        Factor of lambda_m, above 0, in place of the one of the preset.

    Notes
    -----
    Guarantee: for rewards in [0, 1], the expected regret is of order C + sum over arms of ln^2 T / gap.

    Examples
    --------
    >>> from trueward.engine.protocol import make_ask, make_observation
    >>> policy = BARBAT((0, 10), factor=0.1)
    >>> state = policy.start(2)
    >>> for arm, reward in [(1, 10.0), (0, 0.0), (1, 10.0)]:  # one epoch
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> policy.probabilities(state, make_ask(4, 2)).round(3).tolist()
    [0.162, 0.838]

    References
    ----------
    Hu & Chen (2025), arXiv 2502.07514; the constants 4, 4 K and those of delta_m are as we recall them.
    """

    factor: Positive | None = None

    def state(self, setting: Setting) -> EpochState:
        factor = self.factor or (BARBAT_FACTOR if self.preset == "paper" else BARBAT_PRACTICAL_FACTOR)
        return new(EpochState, setting, scale=self.declared_range, factor=float(factor), barbat=True)
