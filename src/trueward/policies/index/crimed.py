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
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, insert, kernel, reset, update
from trueward.errors import ParameterError
from trueward.estimators import Estimator, Median
from trueward.estimators.memories import remember
from trueward.policies.base import Policy, restrict
from trueward.policies.choosing import best_of, ties_of

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
    pulls: Ints  # (arms,)
    estimate: Floats  # (arms,) infinite for an arm not yet pulled
    score: Floats  # (arms,) the index, negative: the highest is played
    divergences: Floats  # (1, POINTS)
    epsilon: float
    sigma: float
    n0: int


@reset.register(CrimedState)
def reset_crimed(state: CrimedState) -> None:
    """Forget all rewards."""
    reset(state.memory)
    state.pulls[:] = 0
    state.estimate[:] = math.inf


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


@kernel
def score_crimed(state: CrimedState) -> None:
    """Fill in the index of each arm; an arm that lacks forced pulls comes first."""
    top = -math.inf
    for arm in range(state.pulls.size):
        if state.pulls[arm] > 0:
            top = max(top, float(state.estimate[arm]))
    for arm in range(state.pulls.size):
        n = int(state.pulls[arm])
        if n < state.n0:
            state.score[arm] = math.inf
        else:
            gap = min(top - float(state.estimate[arm]), FARTHEST * state.sigma) / state.sigma
            state.score[arm] = -(n * interpolated(state.divergences[0], state.epsilon, gap) + math.log(n))


@choose.register(CrimedState)
def choose_crimed(state: CrimedState, t: int, rng: np.random.Generator) -> int:
    """Play the arm against which there is least evidence."""
    score_crimed(state)
    return best_of(state.score, rng)


@update.register(CrimedState)
def update_crimed(state: CrimedState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Take the reward into the arm's median."""
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, reward, rng)


@dataclass(frozen=True, kw_only=True)
class CRIMED(Policy):
    """Plays the lowest N_a d(z + gap to the highest median / sigma) + ln N_a, after n0 pulls of each arm."""

    epsilon: float
    sigma: float
    n0: int = 1
    estimator: Estimator = field(default_factory=Median)

    def __post_init__(self) -> None:
        checks.number("epsilon", self.epsilon, at_least=0, below=0.5)
        checks.number("sigma", self.sigma, above=0)
        checks.whole("n0", self.n0, at_least=1)
        if not isinstance(self.estimator, Estimator):
            raise ParameterError(f"estimator must be an Estimator such as Median(), got {self.estimator!r}")

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> CrimedState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        return CrimedState(
            remember(self.estimator, n_arms, capacity),
            np.zeros(n_arms, np.int64),
            np.full(n_arms, math.inf),
            np.zeros(n_arms),
            np.array([_divergences(float(self.epsilon))]),
            float(self.epsilon),
            float(self.sigma),
            int(self.n0),
        )

    def estimates(self, state: CrimedState) -> Floats:
        """Return the medians."""
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def indices(self, state: CrimedState, t: int) -> Floats:  # noqa: ARG002 - the evidence does not depend on it
        """Return the index of each arm, with a minus: the highest is played."""
        copy = restrict(state, np.arange(state.pulls.size))
        score_crimed(copy)
        return np.asarray(copy.score)

    def probabilities(self, state: CrimedState, t: int) -> Floats:
        """Return 1 for the highest index, or equal shares of those that tie."""
        return ties_of(self.indices(state, t))
