"""Arms whose mean reward is linear in the context, each with its own coefficients."""

from dataclasses import KW_ONLY, dataclass

import numpy as np
from numpy.typing import ArrayLike

from trueward.contextual.contextual_log import ContextualLog, check_contexts
from trueward.engine.kernel import Floats, Ints
from trueward.errors import ParameterError
from trueward.parameters import check_integer, check_number


@dataclass(frozen=True, eq=False)
class LinearArms:
    """Arms whose mean reward is linear in the context: the model that the linear learners assume.

        reward of arm a in context x = x . theta_a + noise N(0, sigma^2)

    Contexts are uniform on the unit sphere.

    Parameters
    ----------
    coefficients : array_like, (arms, dimension)
        Coefficients theta_a of each arm.
    noise : float
        Standard deviation sigma of the noise, at least 0.

    Examples
    --------
    >>> arms = LinearArms([[1.0, 0.0], [0.0, 1.0]], noise=0.1)
    >>> arms.best([[0.9, 0.1], [0.2, 0.8]]).tolist()
    [0, 1]
    >>> len(arms.simulate_log(100, seed=1))
    100

    References
    ----------
    Li, Chu, Langford & Schapire (2010), for arms with linear rewards.
    """

    coefficients: Floats
    _: KW_ONLY
    noise: float = 0.1

    def __post_init__(self) -> None:
        check_number("noise", self.noise, at_least=0)
        theta = check_contexts(self.coefficients)
        if len(theta) < 2:
            raise ParameterError(f"coefficients must have a row for each of at least two arms, got {len(theta)}")
        theta.flags.writeable = False
        object.__setattr__(self, "coefficients", theta)

    @classmethod
    def random(cls, *, arms: int = 5, dimension: int = 10, noise: float = 0.1, seed: int = 0) -> "LinearArms":
        """Return arms whose coefficients are uniform on the unit sphere."""
        check_integer("arms", arms, at_least=2)
        check_integer("dimension", dimension, at_least=1)
        return cls(_on_the_sphere(arms, dimension, np.random.default_rng(seed)), noise=noise)

    def draw_contexts(self, count: int, *, seed: int = 0) -> Floats:
        """Return random contexts, (count, dimension)."""
        check_integer("count", count, at_least=1)
        return _on_the_sphere(count, self.coefficients.shape[1], np.random.default_rng(seed))

    def means(self, contexts: ArrayLike) -> Floats:
        """Return the true mean of every arm in each context, (contexts, arms)."""
        return np.asarray(check_contexts(contexts) @ self.coefficients.T)

    def best(self, contexts: ArrayLike) -> Ints:
        """Return the best arm in each context."""
        return np.asarray(self.means(contexts).argmax(axis=1))

    def regret(self, contexts: ArrayLike, arms: ArrayLike) -> float:
        """Return the mean regret of playing these arms in these contexts."""
        means, chosen = self.means(contexts), np.asarray(arms)
        if chosen.shape != (len(means),):
            raise ParameterError(f"arms must be as many as contexts, {len(means)}, got {arms!r}")
        played = np.take_along_axis(means, chosen[:, None], axis=1)[:, 0]
        return float((means.max(axis=1) - played).mean())

    def simulate_log(self, rounds: int, *, seed: int = 0) -> ContextualLog:
        """Return a log in which every arm was played with the same probability in every context."""
        rng = np.random.default_rng(seed)
        check_integer("rounds", rounds, at_least=1)
        n_arms, dimension = self.coefficients.shape
        contexts, arms = _on_the_sphere(rounds, dimension, rng), rng.integers(n_arms, size=rounds)
        means = np.take_along_axis(self.means(contexts), arms[:, None], axis=1)[:, 0]
        return ContextualLog(
            contexts=contexts, arms=arms, rewards=means + self.noise * rng.standard_normal(rounds), n_arms=n_arms
        )


def _on_the_sphere(count: int, dimension: int, rng: np.random.Generator) -> Floats:
    vectors = rng.standard_normal((count, dimension))
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
