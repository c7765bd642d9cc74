"""CRIMED: an index based on the divergence between contaminated distributions."""

import functools
import math
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, State, kernel
from trueward.engine.protocol import Ask, update
from trueward.engine.states import Setting, given, new, per_arm, scratch, single
from trueward.estimators.estimator import Estimator
from trueward.estimators.median import Median
from trueward.parameters import BelowHalf, Positive, at_least
from trueward.policies.index.index_policy import IndexPolicy, prepare, score, update_estimate
from trueward.policies.selection import forced_exploration_score

TABLE_SIZE = 241  # gaps for which d is tabulated
LARGEST_GAP = 12.0  # standard deviations; d is at its limit from there on: (1 - 2 epsilon) ln((1 - epsilon) / epsilon)
GAP_CAP = 1e100  # in standard deviations, so that the square of a gap remains finite

NORMAL = NormalDist()


def dead_zone(epsilon: float) -> float:
    """Return z, the largest gap in standard deviations that contamination alone can explain."""
    return 2.0 * NORMAL.inv_cdf(1.0 / (2.0 * (1.0 - epsilon)))


def corrupted_divergence(delta: float, epsilon: float) -> float:
    """Return d(delta), the smallest divergence between epsilon-contaminated normals whose means differ by delta.

    It is attained by the least favourable pair: the normal likelihood ratio, clipped to [e^(-delta b), e^(delta b)].
    """
    if epsilon == 0.0:
        return 0.5 * delta * delta
    if delta <= dead_zone(epsilon):
        return 0.0
    b = clipping_point(delta, epsilon)
    low, high, log_ratio = 0.5 * delta - b, 0.5 * delta + b, delta * b
    below = NORMAL.cdf(low)
    inside = delta * (NORMAL.pdf(low) - NORMAL.pdf(high)) - 0.5 * delta * delta * (NORMAL.cdf(high) - below)
    return max(0.0, -(1.0 - epsilon) * (inside - log_ratio * below * (1.0 - math.exp(-log_ratio))))


def clipping_point(delta: float, epsilon: float) -> float:
    """Return the b for which the clipped density has mass 1: (1 - eps) (Phi(D/2 + b) + Phi(D/2 - b) e^(-D b)) = 1."""

    def excess(b: float) -> float:  # decreasing in b
        mass = NORMAL.cdf(0.5 * delta + b) + NORMAL.cdf(0.5 * delta - b) * math.exp(-delta * b)
        return (1.0 - epsilon) * mass - 1.0

    low, high = 0.0, 1.0
    while excess(high) > 0.0:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)


@functools.cache
def tabulate_divergences(epsilon: float) -> tuple[float, ...]:
    """Return d(z + gap) for gaps from 0, where it is exactly 0, to LARGEST_GAP; it is smooth in between."""
    gaps = np.linspace(0.0, LARGEST_GAP, TABLE_SIZE).tolist()
    return tuple(corrupted_divergence(dead_zone(epsilon) + gap, epsilon) for gap in gaps)


class CRIMEDState(NamedTuple):
    """The median of each arm, and the table of divergences."""

    memory: State
    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    highest: Annotated[Floats, single(scratch)]  # median of any arm
    divergences: Annotated[Floats, single(given)]  # (TABLE_SIZE,)
    epsilon: float
    sigma: float
    n0: int


@kernel
def interpolate_divergence(divergences: Floats, epsilon: float, gap: float) -> float:
    """Return d(z + gap) by linear interpolation; without contamination it is exact."""
    if epsilon == 0.0:
        return 0.5 * gap * gap
    position = gap * ((divergences.size - 1) / LARGEST_GAP)
    if position >= divergences.size - 1:
        return float(divergences[divergences.size - 1])
    i = int(position)
    return float(divergences[i] + (position - i) * (divergences[i + 1] - divergences[i]))


@prepare.register(CRIMEDState)
def find_highest_median(state: CRIMEDState, ask: Ask) -> None:
    """Find the highest median of the arms that have a reward."""
    highest = -math.inf
    for arm in range(state.pulls.size):
        if state.pulls[arm] > 0:
            highest = max(highest, float(state.estimate[arm]))
    state.highest[0] = highest


@score.register(CRIMEDState)
def negative_imed_index(state: CRIMEDState, ask: Ask, arm: int) -> float:
    """Return -(N d + ln N), since the highest score is played; inf for an arm with fewer than n0 pulls."""
    n = int(state.pulls[arm] + ask.pending[arm])
    if n < state.n0:
        return math.inf
    if state.pulls[arm] == 0:
        return forced_exploration_score(ask, arm)
    gap = min(float(state.highest[0]) - float(state.estimate[arm]), GAP_CAP * state.sigma) / state.sigma
    return -(n * interpolate_divergence(state.divergences, state.epsilon, gap) + math.log(n))


update.register(CRIMEDState)(update_estimate)


@dataclass(frozen=True, kw_only=True)
class CRIMED(IndexPolicy):
    """CRIMED: play the arm with the least evidence against it, where the evidence accounts for contamination.

        play argmin_a  N_a d(z + (max_b M_b - M_a) / sigma) + ln N_a,    M = medians, after n0 pulls of each arm

    d(D) is the smallest divergence between an epsilon-contaminated Normal(0, 1) and an epsilon-contaminated
    Normal(D, 1). It is zero in the *dead zone*, where contamination alone can explain the gap:
    D <= z = 2 Phi^-1(1 / (2 (1 - epsilon))). Contamination can also hide a gap of up to z between two medians, which is
    why z is added to it.

    It withstands arbitrary contamination of a fraction epsilon of the rewards, at random rounds. Arms whose true gap
    lies in the dead zone may be confused, and no policy could distinguish them. It does not withstand a burst at the
    beginning; more forced pulls do not help.

    Parameters
    ----------
    epsilon : float
        Fraction of contaminated rewards, below 1/2.
    sigma : float
        Standard deviation of the true rewards.
    n0 : int
        Number of forced pulls of each arm at the beginning. The proof needs the order of ln T / ln ln T, about 145 for
        epsilon = 0.1 and a thousand rounds; the source also plays with 1, and finds less regret.
    estimator : Estimator
        The estimator of location. On a rating scale medians are whole numbers; `GroupedMedian()` is finer.

    Notes
    -----
    Guarantee: for normal rewards of known sigma, epsilon < 1/2, gaps above the dead zone and unbounded contamination
    that does not depend on the play, it is asymptotically optimal: the regret is sum_a gap_a / d(gap_a / sigma) ln T to
    first order.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> from trueward.policies.index.crimed import corrupted_divergence, dead_zone
    >>> policy = tw.CRIMED(epsilon=0.0, sigma=2.0)
    >>> state = policy.start(n_arms=2)
    >>> for arm, reward in [(0, 5.0)] * 7 + [(1, 4.0)] * 3:
    ...     update(state, make_observation(arm, reward, n_arms=2), np.random.default_rng(0))
    >>> policy.indices(state, make_ask(11, 2)).round(4).tolist()  # -ln 7 and -(3 * 0.5^2 / 2 + ln 3)
    [-1.9459, -1.4736]
    >>> [round(corrupted_divergence(1.0, epsilon), 6) for epsilon in (0.0, 0.05, 0.1, 0.2)]  # the first: D^2 / 2
    [0.5, 0.25577, 0.140356, 0.023712]
    >>> round(dead_zone(0.1), 4)
    0.2794

    References
    ----------
    Agrawal, Mathieu, Basu & Maillard (2024), CRIMED: lower and upper bounds on regret for bandits with unbounded
    stochastic corruption, Algorithm 1, Definition 3 and Lemma 3; an index of the IMED kind (Honda & Takemura, 2015),
    and the least favourable pair of Huber & Strassen (1973). New in trueward: the table of d, and any
    estimator but the median.
    """

    epsilon: BelowHalf
    sigma: Positive
    n0: Annotated[int, at_least(1)] = 1
    estimator: Estimator = field(default_factory=Median)

    def state(self, setting: Setting) -> CRIMEDState:
        return new(
            CRIMEDState,
            setting,
            memory=self.estimator.memory(setting),
            divergences=np.array(tabulate_divergences(float(self.epsilon))),
            epsilon=float(self.epsilon),
            sigma=float(self.sigma),
            n0=int(self.n0),
        )
