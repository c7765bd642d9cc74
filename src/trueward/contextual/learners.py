"""Learners of linear payoffs: ridge regression alone, with LinUCB's width, and with crUCB's; each with any estimator.

    Ridge              score = x . theta_a
    LinUCB             r_a = sigma sqrt(2 ln(det(V_a)^(1/2) lam^(-d/2) / delta)) + sqrt(lam) S
    ContextualCrUCB    r_a = sigma D sqrt(c ln t),   D = 1 / (1 - 2 alpha) for the trimmed mean, t the round to come

on sqrt(x' V_a^-1 x), V_a = X' X + lam I over the rounds of a. With a context that is always 1 and lam near 0 that is
1 / sqrt(N_a), and `ContextualCrUCB` with the trimmed mean is crUCB with the trimmed mean.

>>> from trueward.contextual.linear_arms import LinearArms
>>> arms = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1)
>>> log = arms.history(200, seed=1)
>>> [learner.fit(log).choose([[0.6, 0.8]]).tolist() for learner in (Ridge(), LinUCB(sigma=0.1))]
[[1], [1]]

A learner is robust by its estimator: `Ridge(TrimmedMean(0.1))` and `Ridge(HuberMean(0.2))` weigh residuals (`fit`).

Guarantee: LinUCB's radius holds for all contexts and all times at once with probability 1 - delta, where nothing is
contaminated and no theta_a is longer than S. That of `ContextualCrUCB` is ours, by analogy, without a proof.

Reference: Li, Chu, Langford & Schapire (2010), A contextual-bandit approach to personalized news article
recommendation; Abbasi-Yadkori, Pál & Szepesvári (2011), Improved algorithms for linear stochastic bandits, Theorem 2,
for the radius; Niss & Tewari (2020), Algorithm 4. Estimators of means on residuals: ours; that of the trimmed mean is
near to the trimmed least squares of Ruppert & Carroll (1980).
"""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from trueward.contextual.fit import Fit, fit_arm
from trueward.contextual.history import History
from trueward.engine.kernel import Floats
from trueward.estimators.estimator import Estimator
from trueward.estimators.mean import Mean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.parameters import Checked, NotNegative, Positive, above, below


@dataclass(frozen=True)
class Learner(Checked, ABC):
    """Learns the coefficients of every arm from a history."""

    example: ClassVar[str] = "Ridge()"

    estimator: Estimator = field(default_factory=Mean)
    _: KW_ONLY
    lam: Positive = 1.0

    def fit(self, history: History) -> Fit:
        """Return what it believes after a history."""
        arms = [history.rows(arm) for arm in range(history.n_arms)]
        parts = [fit_arm(history.contexts[rows], history.rewards[rows], self.estimator, self.lam) for rows in arms]
        weights = np.empty(len(history))
        for rows, (_, own, _) in zip(arms, parts, strict=True):
            weights[rows] = own
        grams = np.array([history.contexts[rows].T @ history.contexts[rows] for rows in arms])
        grams += self.lam * np.eye(history.dimension)
        return Fit(
            history,
            coefficients=np.array([theta for theta, _, _ in parts]),
            radii=np.array([self.radius(gram, len(history) + 1) for gram in grams]),
            weights=weights,
            inverses=np.array([inverse for _, _, inverse in parts]),
            plain=np.linalg.inv(grams),
        )

    @property
    def linear(self) -> bool:
        """Whether coefficients are linear in the rewards: every reward has the same weight."""
        return isinstance(self.estimator, Mean)

    @abstractmethod
    def radius(self, gram: Floats, t: int) -> float:
        """Return how far above its mean an arm is scored in round t, in units of sqrt(x' V^-1 x)."""


@dataclass(frozen=True)
class Ridge(Learner):
    """Ridge regression for each arm; the highest predicted reward is played."""

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - it trusts its prediction
        """Return 0."""
        return 0.0


@dataclass(frozen=True)
class LinUCB(Learner):
    """LinUCB with the radius of Abbasi-Yadkori et al.; `norm` is the longest that coefficients can be."""

    _: KW_ONLY
    sigma: NotNegative
    delta: Annotated[float, above(0), below(1)] = 0.05
    norm: NotNegative = 1.0

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - it holds at all times
        """Return the radius of the confidence ellipsoid."""
        log_ratio = 0.5 * (float(np.linalg.slogdet(gram)[1]) - len(gram) * math.log(self.lam))
        return self.sigma * math.sqrt(2.0 * (log_ratio - math.log(self.delta))) + math.sqrt(self.lam) * self.norm


@dataclass(frozen=True)
class ContextualCrUCB(Learner):
    """A robust regression with the width of crUCB."""

    estimator: Estimator = field(default_factory=lambda: TrimmedMean(0.1))
    _: KW_ONLY
    sigma: NotNegative
    c: Positive = 4.0

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - as in crUCB, only the time matters
        """Return sigma D sqrt(c ln t)."""
        return self.sigma * self.estimator.inflation * math.sqrt(self.c * math.log(t))
