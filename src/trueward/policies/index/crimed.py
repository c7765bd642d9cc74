"""CRIMED: play the arm against which there is least evidence, the evidence being measured under contamination.

    play argmin_a  N_a d(z + (max_b M_b - M_a) / sigma) + ln N_a,    M = medians,  each arm n0 times first

d(D) is the smallest divergence between an epsilon-contaminated Normal(0, 1) and an epsilon-contaminated Normal(D, 1).
It is zero as long as contamination alone can explain the gap, in the *dead zone*: D <= z = 2 Phi^-1(1 / (2 (1 -
epsilon))). By as much, contamination can also hide a gap between two medians; hence the z that is added to it.

>>> [round(corrupted_divergence(1.0, epsilon), 6) for epsilon in (0.0, 0.05, 0.1, 0.2)]  # the first: D^2 / 2
[0.5, 0.25577, 0.140356, 0.023712]
>>> round(dead_zone(0.1), 4)
0.2794

Withstands contamination of a fraction epsilon of the rewards by anything at all, at random rounds. Arms whose true gap
lies in the dead zone may be taken for each other, and none could tell them apart. Does not withstand a burst at the
beginning, for which more forced pulls are no cure. On a rating scale medians are whole numbers;
`estimator=GroupedMedian()` is finer.

Guarantee: for normal rewards of known sigma, epsilon < 1/2, gaps above the dead zone and unbounded contamination that
does not look at the play: asymptotically optimal, a regret of sum_a gap_a / d(gap_a / sigma) ln T, to first order. The
proof needs n0 of the order ln T / ln ln T, some 145 pulls of each arm for a tenth and a thousand rounds; the source
plays with n0 = 1 as well, as we do unless told otherwise, and finds less regret.

Reference: Agrawal, Mathieu, Basu & Maillard (2024), CRIMED: lower and upper bounds on regret for bandits with unbounded
stochastic corruption, Algorithm 1, Definition 3 and Lemma 3; an index of the IMED kind (Honda & Takemura, 2015), and
the least favourable pair of Huber & Strassen (1973). Ours: the table, and any estimator but the median.
"""

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

POINTS = 241  # of the table
REACH = 12.0  # standard deviations; beyond, d has reached its limit (1 - 2 epsilon) ln((1 - epsilon) / epsilon)
FARTHEST = 1e100  # standard deviations: its square is still finite

_NORMAL = NormalDist()


def dead_zone(epsilon: float) -> float:
    """Return the largest gap, in standard deviations, that contamination alone can explain."""
    return 2.0 * _NORMAL.inv_cdf(1.0 / (2.0 * (1.0 - epsilon)))


def corrupted_divergence(delta: float, epsilon: float) -> float:
    """Return d(delta): the smallest divergence of epsilon-contaminated normals whose means lie delta apart.

    The least favourable pair has the normal likelihood ratio, clipped to [e^(-delta b), e^(delta b)].
    """
    if epsilon == 0.0:
        return 0.5 * delta * delta
    if delta <= dead_zone(epsilon):
        return 0.0
    b = _clip(delta, epsilon)
    low, high, log_ratio = 0.5 * delta - b, 0.5 * delta + b, delta * b
    below = _NORMAL.cdf(low)
    inside = delta * (_NORMAL.pdf(low) - _NORMAL.pdf(high)) - 0.5 * delta * delta * (_NORMAL.cdf(high) - below)
    return max(0.0, -(1.0 - epsilon) * (inside - log_ratio * below * (1.0 - math.exp(-log_ratio))))


def _clip(delta: float, epsilon: float) -> float:
    """Return b, at which the clipped density has mass 1: (1 - eps) (Phi(D/2 + b) + Phi(D/2 - b) e^(-D b)) = 1."""

    def excess(b: float) -> float:  # falls in b
        mass = _NORMAL.cdf(0.5 * delta + b) + _NORMAL.cdf(0.5 * delta - b) * math.exp(-delta * b)
        return (1.0 - epsilon) * mass - 1.0

    low, high = 0.0, 1.0
    while excess(high) > 0.0:
        low, high = high, 2.0 * high
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if excess(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)


@functools.cache
def _divergences(epsilon: float) -> tuple[float, ...]:
    """Return the table of d(z + gap): exactly 0 without a gap, and smooth from there on."""
    gaps = np.linspace(0.0, REACH, POINTS).tolist()
    return tuple(corrupted_divergence(dead_zone(epsilon) + gap, epsilon) for gap in gaps)


class CrimedState(NamedTuple):
    """Medians, and the divergences of observed gaps."""

    memory: State
    pulls: Annotated[Ints, per_arm(0)]
    estimate: Annotated[Floats, per_arm(math.inf)]
    top: Annotated[Floats, single(scratch)]  # the highest median
    divergences: Annotated[Floats, single(given)]  # (POINTS,)
    epsilon: float
    sigma: float
    n0: int


@kernel
def interpolated(divergences: Floats, epsilon: float, gap: float) -> float:
    """Return d(z + gap) from the table; without contamination it is exact."""
    if epsilon == 0.0:
        return 0.5 * gap * gap
    place = gap * ((divergences.size - 1) / REACH)
    if place >= divergences.size - 1:
        return float(divergences[divergences.size - 1])
    i = int(place)
    return float(divergences[i] + (place - i) * (divergences[i + 1] - divergences[i]))


@prepare.register(CrimedState)
def find_top(state: CrimedState, ask: Ask) -> None:
    """Find the highest median."""
    top = -math.inf
    for arm in range(state.pulls.size):
        if state.pulls[arm] > 0:
            top = max(top, float(state.estimate[arm]))
    state.top[0] = top


@score.register(CrimedState)
def evidence_for(state: CrimedState, ask: Ask, arm: int) -> float:
    """Return the index of an arm, with a minus: the highest is played; one that lacks forced pulls comes first."""
    n = int(state.pulls[arm] + ask.pending[arm])
    if n < state.n0:
        return math.inf
    if state.pulls[arm] == 0:
        return forced_exploration_score(ask, arm)
    gap = min(float(state.top[0]) - float(state.estimate[arm]), FARTHEST * state.sigma) / state.sigma
    return -(n * interpolated(state.divergences, state.epsilon, gap) + math.log(n))


update.register(CrimedState)(update_estimate)


@dataclass(frozen=True, kw_only=True)
class CRIMED(IndexPolicy):
    """Plays the lowest N_a d(z + gap to the highest median / sigma) + ln N_a, after n0 pulls of each arm."""

    epsilon: BelowHalf
    sigma: Positive
    n0: Annotated[int, at_least(1)] = 1
    estimator: Estimator = field(default_factory=Median)

    def state(self, setting: Setting) -> CrimedState:
        return new(
            CrimedState,
            setting,
            memory=self.estimator.memory(setting),
            divergences=np.array(_divergences(float(self.epsilon))),
            epsilon=float(self.epsilon),
            sigma=float(self.sigma),
            n0=int(self.n0),
        )
