"""Beta Thompson sampling for ratings from 0 to m: each rating counts as m trials.

    theta_a ~ Beta(1 + sum x, 1 + sum (m - x)),    play the highest

Exact for binomial ratings, and far faster than tossing a coin for each rating. Withstands no contamination, and is
overconfident where ratings scatter more than binomial ones. With `range=(0, 1)` it is the classic for clicks.

Guarantee: asymptotically optimal for m = 1 without contamination.

Reference: Agrawal & Goyal (2012), Analysis of Thompson sampling for the multi-armed bandit problem, for m = 1.
"""

from dataclasses import KW_ONLY, dataclass
from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, choose, reset, update
from trueward.policies.base import Policy
from trueward.policies.choosing import best_of
from trueward.policies.declared_range import DeclaredRange, Outside, check_declared, clip, declared_range, reward_of
from trueward.policies.posterior.best_arm import best_arm_probabilities, density_cdf


class BetaThompsonState(NamedTuple):
    """The posteriors: Beta(successes, failures), prior included."""

    successes: Floats  # (arms,)
    failures: Floats  # (arms,)
    pulls: Ints  # (arms,)
    drawn: Floats  # (arms,)
    scale: DeclaredRange


@reset.register(BetaThompsonState)
def reset_beta_thompson(state: BetaThompsonState) -> None:
    """Return to the uniform prior."""
    state.successes[:] = 1.0
    state.failures[:] = 1.0
    state.pulls[:] = 0


@choose.register(BetaThompsonState)
def choose_beta_thompson(state: BetaThompsonState, t: int, rng: np.random.Generator) -> int:
    """Draw from every posterior."""
    for arm in range(state.drawn.size):
        state.drawn[arm] = rng.beta(state.successes[arm], state.failures[arm])
    return best_of(state.drawn, rng)


@update.register(BetaThompsonState)
def update_beta_thompson(state: BetaThompsonState, t: int, arm: int, reward: float, rng: np.random.Generator) -> None:
    """Count a rating x of m as x successes and m - x failures."""
    rating = clip(state.scale, t, arm, reward)
    state.successes[arm] += rating - state.scale.low
    state.failures[arm] += state.scale.high - rating
    state.pulls[arm] += 1


@dataclass(frozen=True)
class BetaThompson(Policy):
    """Plays the highest draw from Beta(1 + sum x, 1 + sum (m - x)), for ratings in the range low … low + m."""

    range: tuple[float, float] = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> BetaThompsonState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        scale = declared_range(self.range, self.outside)
        return BetaThompsonState(np.ones(n_arms), np.ones(n_arms), np.zeros(n_arms, np.int64), np.zeros(n_arms), scale)

    def estimates(self, state: BetaThompsonState) -> Floats:
        """Return the posterior means, in units of the rating."""
        share = state.successes / (state.successes + state.failures)
        return np.where(state.pulls > 0, reward_of(state.scale, share), np.nan)

    def probabilities(self, state: BetaThompsonState, t: int) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, by quadrature."""
        a, b = state.successes, state.failures
        total = a + b
        spreads = np.sqrt(a * b / (total * total * (total + 1.0)))

        def cdf(grid: Floats) -> Floats:
            inside = np.clip(grid, 1e-300, 1.0 - 1e-16)
            log_density = (a[:, None] - 1.0) * np.log(inside) + (b[:, None] - 1.0) * np.log1p(-inside)
            return density_cdf(np.where((grid >= 0.0) & (grid <= 1.0), log_density, -np.inf), grid)

        return best_arm_probabilities(a / total, spreads, cdf)
