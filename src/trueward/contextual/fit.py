"""What a learner believes after a history: coefficients of every arm, how sure it is, and which rewards it trusts.

    theta_a = (X' W X + lam I)^-1 X' W y     over the rounds of a, W the weights of their rewards
    score of a in context x = x . theta_a + r_a sqrt(x' (X' X + lam I)^-1 x)

The weights come from an estimator of a mean. With the plain mean every reward has the weight 1, and this is ridge
regression. With Huber's mean it is Huber's regression: a residual beyond beta has the weight beta / |residual|. Any
other estimator is asked how much each residual of a Huber regression counts, once: with the trimmed mean, the lowest
and the highest have no weight. (Asked again and again with the residuals that result, it would lose half of its
precision.) With a context that is always 1, and no penalty, the coefficient is the estimator's own mean of the rewards.

Does not withstand contexts that are made up: only rewards are weighed.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.history import History, checked_context, checked_contexts
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.estimators.estimator import Estimator
from trueward.estimators.huber_mean import HuberMean
from trueward.estimators.mean import Mean

FIRST_STEPS, MOST_STEPS = 10, 200
HUBER = 1.345  # where Huber's loss bends if nobody says, in standard deviations: 95 % efficient on normal rewards
NORMAL = 0.6744897501960817  # the median of |N(0, 1)|


@dataclass(frozen=True, eq=False)
class Fit:
    """Coefficients (arms, dimension), radii of confidence (arms,), and the weight of each reward (rounds,)."""

    history: History = field(repr=False)
    coefficients: Floats
    radii: Floats
    weights: Floats = field(repr=False)
    inverses: Floats = field(repr=False)  # (arms, dimension, dimension) of the weighted Gram matrices
    plain: Floats = field(repr=False)  # likewise, of those in which every reward has the weight 1

    def scores(self, contexts: ArrayLike) -> Floats:
        """Return the score of every arm in each context, (contexts, arms)."""
        rows = checked_contexts(contexts)
        if rows.shape[1] != self.history.dimension:
            raise ParameterError(f"contexts must have {self.history.dimension} features each, got {rows.shape[1]}")
        widths = np.sqrt(np.einsum("ni,aij,nj->na", rows, self.plain, rows))
        return np.asarray(rows @ self.coefficients.T + self.radii * widths)

    def choose(self, contexts: ArrayLike) -> Ints:
        """Return the arm with the highest score in each context; of equals, the first."""
        return np.asarray(self.scores(contexts).argmax(axis=1))

    def leverage(self, context: ArrayLike) -> Floats:
        """Return by how much each reward moves its arm's score in a context, the weights being as they are."""
        x = checked_context(context, self.history.dimension)
        pulled = self.inverses @ x  # (arms, dimension)
        along = np.einsum("ni,ni->n", self.history.contexts, pulled[self.history.arms])
        return np.asarray(self.weights * along)


def fit_arm(x: Floats, y: Floats, estimator: Estimator, lam: float) -> tuple[Floats, Floats, Floats]:
    """Return the coefficients of an arm, the weights of its rewards, and the inverse of its weighted Gram matrix."""
    if isinstance(estimator, Mean) or y.size == 0:
        return _weighted(x, y, np.ones(y.size), lam)
    if isinstance(estimator, HuberMean):
        return _weighted(x, y, _huber_weights(x, y, lam, float(estimator.beta)), lam)
    theta = _reweighted(x, y, lam, None, FIRST_STEPS)
    weights = y.size * estimator.weights(y - x @ theta)
    if 2 * np.count_nonzero(weights) < y.size:
        raise ParameterError(f"estimator must weigh at least half of the rewards, got {estimator!r}")
    return _weighted(x, y, weights, lam)


def _weighted(x: Floats, y: Floats, weights: Floats, lam: float) -> tuple[Floats, Floats, Floats]:
    eye = np.eye(x.shape[1])
    sides = np.column_stack([x.T @ (weights * y), eye])
    solved: Floats = np.linalg.solve((x.T * weights) @ x + lam * eye, sides).astype(np.float64)
    return solved[:, 0], weights, solved[:, 1:]


def _huber_weights(x: Floats, y: Floats, lam: float, beta: float) -> Floats:
    """Return the weights of Huber's regression, which is exact once it is known what lies within beta."""
    theta = _reweighted(x, y, lam, beta, FIRST_STEPS)
    for _ in range(MOST_STEPS):
        residuals = y - x @ theta
        within = np.abs(residuals) <= beta
        pulls = np.where(within, y, beta * np.sign(residuals))
        theta = np.asarray(np.linalg.solve((x.T * within) @ x + lam * np.eye(x.shape[1]), x.T @ pulls), np.float64)
        if np.array_equal(within, np.abs(y - x @ theta) <= beta):
            break
    else:
        theta = _reweighted(x, y, lam, beta, MOST_STEPS)  # it went in circles; this way is slow and sure
    return np.asarray(beta / np.maximum(np.abs(y - x @ theta), beta))


def _reweighted(x: Floats, y: Floats, lam: float, beta: float | None, steps: int) -> Floats:
    """Return coefficients after some steps towards Huber's; without beta, it follows the size of the residuals."""
    theta, _, _ = _weighted(x, y, np.ones(y.size), lam)
    for _ in range(steps):
        sizes = np.abs(y - x @ theta)
        bend = beta or max(HUBER * float(np.median(sizes)) / NORMAL, np.finfo(np.float64).tiny)
        theta, _, _ = _weighted(x, y, bend / np.maximum(sizes, bend), lam)
    return theta
