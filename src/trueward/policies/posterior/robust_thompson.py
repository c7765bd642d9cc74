"""Robust Gaussian Thompson sampling: a posterior around a robust estimate instead of the mean.

    theta_a ~ Normal(f(x_a), s^2 / N_a),    each arm once first

s stands for the standard deviation of sqrt(n) f on clean rewards: sigma / (1 - 2 alpha) for the trimmed and the shorth
mean, sqrt(pi / 2) sigma for the median, sqrt(E psi^2) / E psi' for Huber's mean, sigma for the plain mean (which gives
`GaussianThompson`). `inflation` replaces the factor on sigma.

Withstands what its estimator withstands once an arm has some tens of rewards. Does not withstand a burst at the
beginning: unlike an upper confidence bound, a narrow posterior in the wrong place is seldom left again, and so the mean
regret is lower than that of crUCB but its spread is larger.

>>> from trueward.estimators import TrimmedMean
>>> policy = RobustThompson(TrimmedMean(alpha=0.1), sigma=2.0)
>>> state = policy.start(2, horizon=None, capacity=10)
>>> for reward in (4.0, 5.0, 5.0, 6.0, 5.0, 4.0, 6.0, 5.0, 5.0, 1e18):
...     update(state, 1, 0, reward, np.random.default_rng(0))
...     update(state, 1, 1, 4.0, np.random.default_rng(0))
>>> policy.probabilities(state, 21).round(3).tolist()  # Phi(1.125 / (2.5 sqrt(2 / 10)))
[0.843, 0.157]

Guarantee: none is known. The policy, its plug-in posterior and its widths are ours; those of the median and of
Huber's mean are their asymptotic standard deviations under normal rewards.

Reference: Agrawal & Goyal (2017) for the posterior around the mean; Niss & Tewari (2020), Theorems 1 and 2, for the
factor 1 / (1 - 2 alpha).
"""

import math
from dataclasses import KW_ONLY, dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, State, choose, insert, reset, update
from trueward.errors import ParameterError
from trueward.estimators import Estimator, GroupedMedian, Median
from trueward.estimators.huber_mean.definition import HuberMean
from trueward.estimators.memories import OnScale, remember
from trueward.policies.base import Policy
from trueward.policies.choosing import best_of, ties_of
from trueward.policies.posterior.best_arm import highest_draw_probabilities

MEDIAN_INFLATION = math.sqrt(math.pi / 2.0)  # 1 / (2 phi(0))


class RobustThompsonState(NamedTuple):
    """The posteriors."""

    memory: State
    pulls: Ints  # (arms,)
    estimate: Floats  # (arms,) infinite for an arm not yet pulled
    width: Floats  # (arms,) scale / sqrt(pulls)
    drawn: Floats  # (arms,)
    scale: float


@reset.register(RobustThompsonState)
def reset_robust_thompson(state: RobustThompsonState) -> None:
    """Forget all rewards."""
    reset(state.memory)
    state.pulls[:] = 0
    state.estimate[:] = math.inf
    state.width[:] = 0.0


@choose.register(RobustThompsonState)
def choose_robust_thompson(state: RobustThompsonState, t: int, rng: np.random.Generator) -> int:
    """Draw from every posterior; an arm not yet pulled comes first."""
    for arm in range(state.drawn.size):
        state.drawn[arm] = state.estimate[arm]
        if state.pulls[arm] > 0:
            state.drawn[arm] += state.width[arm] * rng.standard_normal()
    return best_of(state.drawn, rng)


@update.register(RobustThompsonState)
def update_robust_thompson(
    state: RobustThompsonState, t: int, arm: int, reward: float, rng: np.random.Generator
) -> None:
    """Take the reward into the arm's estimate, and narrow its posterior."""
    state.pulls[arm] += 1
    state.estimate[arm] = insert(state.memory, arm, reward, rng)
    state.width[arm] = state.scale / math.sqrt(state.pulls[arm])


def huber_inflation(k: float) -> float:
    """Return sqrt(E psi^2) / E psi' for a standard normal reward and psi clipped at k."""
    normal = NormalDist()
    inside = math.erf(k / math.sqrt(2.0))
    second_moment = inside - 2.0 * k * normal.pdf(k) + k * k * (1.0 - inside)
    return math.sqrt(second_moment) / inside


def inflation_of(estimator: Estimator, sigma: float) -> float:
    """Return the factor on sigma: for a median and for Huber's mean by their efficiency, else the estimator's own."""
    if isinstance(estimator, OnScale):
        return inflation_of(estimator.estimator, sigma)
    if isinstance(estimator, HuberMean):
        return huber_inflation(max(estimator.beta / sigma, 1e-3))  # a smaller beta is the median, to rounding
    return MEDIAN_INFLATION if isinstance(estimator, Median | GroupedMedian) else estimator.inflation


@dataclass(frozen=True)
class RobustThompson(Policy):
    """Plays the highest draw from Normal(f(x_a), (inflation sigma)^2 / N_a), with any estimator f."""

    estimator: Estimator
    _: KW_ONLY
    sigma: float
    inflation: float | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.estimator, Estimator):
            raise ParameterError(f"estimator must be an Estimator such as TrimmedMean(0.1), got {self.estimator!r}")
        checks.number("sigma", self.sigma, above=0)
        if self.inflation is not None:
            checks.number("inflation", self.inflation, above=0)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> RobustThompsonState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        inflation = inflation_of(self.estimator, self.sigma) if self.inflation is None else self.inflation
        return RobustThompsonState(
            remember(self.estimator, n_arms, capacity),
            np.zeros(n_arms, np.int64),
            np.full(n_arms, math.inf),
            np.zeros(n_arms),
            np.zeros(n_arms),
            float(self.sigma * inflation),
        )

    def estimates(self, state: RobustThompsonState) -> Floats:
        """Return the estimator's means."""
        return np.where(state.pulls > 0, state.estimate, np.nan)

    def probabilities(self, state: RobustThompsonState, t: int) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest."""
        if (state.pulls == 0).any():
            return ties_of(np.where(state.pulls == 0, 1.0, 0.0))
        return highest_draw_probabilities(state.estimate, state.width)
