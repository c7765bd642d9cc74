"""The fit of a linear learner: coefficients of every arm, confidence radii, and the weight of each reward."""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.contextual_log import ContextualLog, check_context, check_contexts
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator
from trueward.estimators.huber_mean import HuberMean
from trueward.estimators.mean import Mean

FIRST_STEPS, MOST_STEPS = 10, 200  # reweighting steps: at first, and at most
DEFAULT_BETA = 1.345  # of Huber's loss, in standard deviations: 95 % efficient for normal rewards
NORMAL_MAD = 0.6744897501960817  # the median of |N(0, 1)|


@dataclass(frozen=True, eq=False)
class LinearFit:
    """The fit of a `LinearLearner` to a log.

        theta_a = (X' W X + lambda I)^-1 X' W y     over the rounds of arm a: X contexts, y rewards, W their weights
        score of a in context x = x . theta_a + r_a sqrt(x' (X' X + lambda I)^-1 x)

    The weights come from an estimator of a mean. With `Mean` every reward has weight 1: ridge regression. With
    `HuberMean` it is Huber's regression: a residual beyond beta has the weight beta / |residual|. Any other
    estimator weights the residuals of a Huber regression, once: with `TrimmedMean`, the lowest and the highest have
    weight 0. (Repeating this with the new residuals would lose half of the precision.) If the context is always 1 and
    there is no penalty, the coefficient is the estimator's own mean of the rewards.

    It does not withstand contaminated contexts: only rewards are weighted.

    Parameters
    ----------
    log : ContextualLog
        The log to which the learner was fitted.
    coefficients : ndarray, (arms, dimension)
        Coefficients theta_a.
    radii : ndarray, (arms,)
        Confidence radii r_a.
    weights : ndarray, (rounds,)
        Weight of each reward.
    weighted_inverses : ndarray, (arms, dimension, dimension)
        Inverses of the weighted Gram matrices X' W X + lambda I.
    unweighted_inverses : ndarray, (arms, dimension, dimension)
        Inverses of the Gram matrices X' X + lambda I.

    Examples
    --------
    >>> from trueward.contextual.linear_learners import Ridge
    >>> log = ContextualLog(contexts=[[1, 0], [0, 1], [1, 1]], arms=[0, 1, 0], rewards=[0.5, 0.2, 0.9])
    >>> fit = Ridge().fit(log)
    >>> fit.coefficients.round(3).tolist(), fit.choose([1, 0]).tolist()
    ([[0.38, 0.26], [0.0, 0.1]], [0])

    References
    ----------
    Weighting residuals by any estimator of a mean is new in trueward. With the trimmed mean it is close to the trimmed
    least squares of Ruppert & Carroll (1980).
    """

    log: ContextualLog = field(repr=False)
    coefficients: Floats
    radii: Floats
    weights: Floats = field(repr=False)
    weighted_inverses: Floats = field(repr=False)
    unweighted_inverses: Floats = field(repr=False)

    def scores(self, contexts: ArrayLike) -> Floats:
        """Return the score of every arm in each context, (contexts, arms)."""
        rows = check_contexts(contexts)
        if rows.shape[1] != self.log.dimension:
            raise ParameterError(f"contexts must have {self.log.dimension} features each, got {rows.shape[1]}")
        widths = np.sqrt(np.einsum("ni,aij,nj->na", rows, self.unweighted_inverses, rows))
        return np.asarray(rows @ self.coefficients.T + self.radii * widths)

    def choose(self, contexts: ArrayLike) -> Ints:
        """Return the arm with the highest score in each context; the first one if there are ties."""
        return np.asarray(self.scores(contexts).argmax(axis=1))

    def leverage(self, context: ArrayLike) -> Floats:
        """Return the derivative of an arm's score in a context with respect to each of its rewards, weights fixed."""
        x = check_context(context, self.log.dimension)
        directions = self.weighted_inverses @ x  # (arms, dimension)
        projections = np.einsum("ni,ni->n", self.log.contexts, directions[self.log.arms])
        return np.asarray(self.weights * projections)


def fit_arm(x: Floats, y: Floats, estimator: Estimator, penalty: float) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients of an arm, the weights of its rewards, and the inverse of its weighted Gram matrix."""
    if isinstance(estimator, Mean) or y.size == 0:
        return _solve_weighted(x, y, np.ones(y.size), penalty)
    if isinstance(estimator, HuberMean):
        return _solve_weighted(x, y, _huber_weights(x, y, penalty, float(estimator.beta)), penalty)
    theta = _reweight(x, y, penalty, None, FIRST_STEPS)
    weights = y.size * estimator.weights(y - x @ theta)
    if 2 * np.count_nonzero(weights) < y.size:
        raise ParameterError(
            f"estimator must give a positive weight to at least half of the rewards, got {estimator!r}"
        )
    return _solve_weighted(x, y, weights, penalty)


def _solve_weighted(x: Floats, y: Floats, weights: Floats, penalty: float) -> tuple[Floats, Floats, Floats]:
    eye = np.eye(x.shape[1])
    sides = np.column_stack([x.T @ (weights * y), eye])
    solved: Floats = np.linalg.solve((x.T * weights) @ x + penalty * eye, sides).astype(np.float64)
    return solved[:, 0], weights, solved[:, 1:]


def _huber_weights(x: Floats, y: Floats, penalty: float, beta: float) -> Floats:
    """Return the weights of Huber's regression, by Newton steps until the residuals within beta stay the same."""
    theta = _reweight(x, y, penalty, beta, FIRST_STEPS)
    for _ in range(MOST_STEPS):
        residuals = y - x @ theta
        within = np.abs(residuals) <= beta
        targets = np.where(within, y, beta * np.sign(residuals))
        gram = (x.T * within) @ x + penalty * np.eye(x.shape[1])
        theta = np.asarray(np.linalg.solve(gram, x.T @ targets), np.float64)
        if np.array_equal(within, np.abs(y - x @ theta) <= beta):
            break
    else:
        theta = _reweight(x, y, penalty, beta, MOST_STEPS)  # the steps cycled; reweighting is slow but converges
    return np.asarray(beta / np.maximum(np.abs(y - x @ theta), beta))


def _reweight(x: Floats, y: Floats, penalty: float, beta: float | None, steps: int) -> Floats:
    """Return coefficients after reweighting steps. If `beta` is None, beta is set from the median absolute residual."""
    theta, _, _ = _solve_weighted(x, y, np.ones(y.size), penalty)
    for _ in range(steps):
        sizes = np.abs(y - x @ theta)
        cutoff = beta or max(DEFAULT_BETA * float(np.median(sizes)) / NORMAL_MAD, np.finfo(np.float64).tiny)
        theta, _, _ = _solve_weighted(x, y, cutoff / np.maximum(sizes, cutoff), penalty)
    return theta
