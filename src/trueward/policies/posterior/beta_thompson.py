"""Beta Thompson sampling for ratings from 0 to m: each rating counts as m trials.

    theta_a ~ Beta(1 + sum x, 1 + sum (m - x)),    play the highest

Exact for binomial ratings, and far faster than tossing a coin for each rating. Withstands no contamination, and is
overconfident where ratings scatter more than binomial ones. With `range=(0, 1)` it is the classic for clicks.

Guarantee: asymptotically optimal for m = 1 without contamination.

Reference: Agrawal & Goyal (2012), Analysis of Thompson sampling for the multi-armed bandit problem, for m = 1.
"""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm
from trueward.parameters import Range
from trueward.policies.declared_range import DeclaredRange, Outside, clip, declared_range, reward_of
from trueward.policies.policy import Policy
from trueward.policies.posterior.posterior_policy import sample_mean
from trueward.statistics.best_arm import best_arm_probabilities, density_cdf


class BetaThompsonState(NamedTuple):
    """The posteriors: Beta(successes, failures), prior included."""

    successes: Annotated[Floats, per_arm(1.0)]
    failures: Annotated[Floats, per_arm(1.0)]
    pulls: Annotated[Ints, per_arm(0)]
    scale: DeclaredRange


@sample_mean.register(BetaThompsonState)
def draw_share(state: BetaThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw from the posterior."""
    return float(rng.beta(state.successes[arm], state.failures[arm]))


@update.register(BetaThompsonState)
def count_trials(state: BetaThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Count a rating x of m as x successes and m - x failures."""
    rating = clip(state.scale, seen.t, seen.arm, seen.reward)
    state.successes[seen.arm] += rating - state.scale.low
    state.failures[seen.arm] += state.scale.high - rating
    state.pulls[seen.arm] += 1


@dataclass(frozen=True)
class BetaThompson(Policy):
    """Plays the highest draw from Beta(1 + sum x, 1 + sum (m - x)), for ratings in the range low … low + m."""

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = None

    def state(self, setting: Setting) -> BetaThompsonState:
        """Return uniform priors."""
        return new(BetaThompsonState, setting, scale=declared_range(self.range, self.outside))

    def estimates(self, state: BetaThompsonState) -> Floats:
        share = state.successes / (state.successes + state.failures)
        return np.where(state.pulls > 0, reward_of(state.scale, share), np.nan)

    def probabilities(self, state: BetaThompsonState, ask: Ask) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, by quadrature."""
        a, b = state.successes, state.failures
        total = a + b
        spreads = np.sqrt(a * b / (total * total * (total + 1.0)))

        def cdf(grid: Floats) -> Floats:
            inside = np.clip(grid, 1e-300, 1.0 - 1e-16)
            log_density = (a[:, None] - 1.0) * np.log(inside) + (b[:, None] - 1.0) * np.log1p(-inside)
            return density_cdf(np.where((grid >= 0.0) & (grid <= 1.0), log_density, -np.inf), grid)

        return best_arm_probabilities(a / total, spreads, cdf)
