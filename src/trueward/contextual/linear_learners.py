"""Learners of linear rewards: ridge regression, LinUCB, and a contextual crUCB, each with any estimator."""

import math
from abc import ABC, abstractmethod
from dataclasses import KW_ONLY, dataclass, field
from typing import Annotated, ClassVar

import numpy as np

from trueward.contextual.contextual_log import ContextualLog
from trueward.contextual.linear_fit import LinearFit, fit_arm
from trueward.engine.kernel import Floats
from trueward.estimators.estimator import Estimator
from trueward.estimators.mean import Mean
from trueward.estimators.trimmed_mean import TrimmedMean
from trueward.parameters import Checked, NotNegative, Positive, above, below


@dataclass(frozen=True)
class LinearLearner(Checked, ABC):
    """Learns the coefficients of every arm from a log, and scores arms by an upper confidence bound.

        score of a in context x = x . theta_a + r_a sqrt(x' V_a^-1 x),    V_a = X' X + lambda I over the rounds of a

    Its estimator makes a learner robust: `Ridge(TrimmedMean(0.1))` and `Ridge(HuberMean(0.2))` weight residuals, as
    `LinearFit` explains.

    Parameters
    ----------
    estimator : Estimator
        Estimator of a mean that weights the residuals.
    penalty : float
        Ridge penalty lambda.
    """

    example: ClassVar[str] = "Ridge()"

    estimator: Estimator = field(default_factory=Mean)
    _: KW_ONLY
    penalty: Positive = 1.0

    def fit(self, log: ContextualLog) -> LinearFit:
        """Return the fit to a log."""
        rounds = [log.rounds_of(arm) for arm in range(log.n_arms)]
        fits = [fit_arm(log.contexts[rows], log.rewards[rows], self.estimator, self.penalty) for rows in rounds]
        weights = np.empty(len(log))
        for rows, (_, arm_weights, _) in zip(rounds, fits, strict=True):
            weights[rows] = arm_weights
        grams = np.array([log.contexts[rows].T @ log.contexts[rows] for rows in rounds])
        grams += self.penalty * np.eye(log.dimension)
        return LinearFit(
            log,
            coefficients=np.array([theta for theta, _, _ in fits]),
            radii=np.array([self.radius(gram, len(log) + 1) for gram in grams]),
            weights=weights,
            weighted_inverses=np.array([inverse for _, _, inverse in fits]),
            unweighted_inverses=np.linalg.inv(grams),
        )

    @property
    def linear_in_rewards(self) -> bool:
        """Whether the coefficients are a linear function of the rewards: every reward has the same weight."""
        return isinstance(self.estimator, Mean)

    @abstractmethod
    def radius(self, gram: Floats, t: int) -> float:
        """Return the confidence radius r_a in round t, from the Gram matrix V_a."""


@dataclass(frozen=True)
class Ridge(LinearLearner):
    """Ridge regression for each arm; the arm with the highest predicted reward is played.

        score = x . theta_a

    Parameters
    ----------
    estimator : Estimator
        Estimator of a mean that weights the residuals. Default: `Mean()`, which is plain ridge regression.
    penalty : float
        Ridge penalty lambda.

    Examples
    --------
    >>> from trueward.contextual.linear_arms import LinearArms
    >>> log = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1).simulate_log(200, seed=1)
    >>> Ridge().fit(log).choose([[0.6, 0.8]]).tolist()
    [1]

    References
    ----------
    Ma, Jun, Li & Zhu (2018), Data poisoning attacks in contextual bandits. Weighting the residuals is new in
    trueward.
    """

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - no exploration
        return 0.0


@dataclass(frozen=True)
class LinUCB(LinearLearner):
    """LinUCB: ridge regression with the radius of a confidence ellipsoid.

        r_a = sigma sqrt(2 ln(det(V_a)^(1/2) lambda^(-d/2) / delta)) + sqrt(lambda) S,    d the dimension

    Parameters
    ----------
    estimator : Estimator
        Estimator of a mean that weights the residuals. Default: `Mean()`, which is plain LinUCB.
    penalty : float
        Ridge penalty lambda.
    sigma : float
        Sub-Gaussian constant of the noise.
    delta : float
        Failure probability, above 0 and below 1.
    norm : float
        Bound S on the length of every theta_a.

    Notes
    -----
    Guarantee: the radius holds for all contexts and all times at once with probability 1 - delta, if nothing is
    contaminated and no theta_a is longer than S.

    Examples
    --------
    >>> from trueward.contextual.linear_arms import LinearArms
    >>> log = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1).simulate_log(200, seed=1)
    >>> LinUCB(sigma=0.1).fit(log).choose([[0.6, 0.8]]).tolist()
    [1]

    References
    ----------
    Li, Chu, Langford & Schapire (2010), A contextual-bandit approach to personalized news article recommendation;
    Abbasi-Yadkori, Pál & Szepesvári (2011), Improved algorithms for linear stochastic bandits, Theorem 2, for the
    radius.
    """

    _: KW_ONLY
    sigma: NotNegative
    delta: Annotated[float, above(0), below(1)] = 0.05
    norm: NotNegative = 1.0

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - it holds at all times
        log_ratio = 0.5 * (float(np.linalg.slogdet(gram)[1]) - len(gram) * math.log(self.penalty))
        return self.sigma * math.sqrt(2.0 * (log_ratio - math.log(self.delta))) + math.sqrt(self.penalty) * self.norm


@dataclass(frozen=True)
class ContextualCrUCB(LinearLearner):
    """Contextual crUCB: a robust regression with the exploration bonus of crUCB.

        r_a = sigma inflation sqrt(c ln t),    inflation = 1 / (1 - 2 alpha) for the trimmed mean, t the next round

    If the context is always 1 and lambda is near 0, sqrt(x' V_a^-1 x) is 1 / sqrt(N_a), and `ContextualCrUCB` is
    crUCB with the same trimmed mean.

    Parameters
    ----------
    estimator : Estimator
        Estimator of a mean that weights the residuals. Default: `TrimmedMean(0.1)`.
    penalty : float
        Ridge penalty lambda.
    sigma : float
        Sub-Gaussian constant of the noise.
    c : float
        Constant of the exploration bonus.

    Notes
    -----
    The radius is new in trueward, by analogy with crUCB, without a proof.

    Examples
    --------
    >>> from trueward.contextual.linear_arms import LinearArms
    >>> log = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1).simulate_log(200, seed=1)
    >>> ContextualCrUCB(TrimmedMean(0.1), sigma=0.1).fit(log).choose([[0.6, 0.8]]).tolist()
    [1]

    References
    ----------
    Niss & Tewari (2020), Algorithm 4, for crUCB. Its contextual form is new in trueward.
    """

    estimator: Estimator = field(default_factory=lambda: TrimmedMean(0.1))
    _: KW_ONLY
    sigma: NotNegative
    c: Positive = 4.0

    def radius(self, gram: Floats, t: int) -> float:  # noqa: ARG002 - as in crUCB, only the time matters
        return self.sigma * self.estimator.inflation * math.sqrt(self.c * math.log(t))
