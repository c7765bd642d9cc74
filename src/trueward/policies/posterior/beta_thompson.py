"""Beta Thompson sampling for ratings."""

from dataclasses import KW_ONLY, dataclass
from typing import Annotated, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.engine.protocol import Ask, Observation, update
from trueward.engine.states import Setting, new, per_arm
from trueward.parameters import Range
from trueward.policies.declared_range import DeclaredRange, Outside, clip, declared_range, reward_of
from trueward.policies.posterior.posterior_policy import PosteriorPolicy, sample_mean
from trueward.statistics.best_arm_probability import best_arm_probabilities, cdf_from_log_density


class BetaThompsonState(NamedTuple):
    """The posterior of each arm: Beta(successes, failures), prior included."""

    successes: Annotated[Floats, per_arm(1.0)]
    failures: Annotated[Floats, per_arm(1.0)]
    pulls: Annotated[Ints, per_arm(0)]
    scale: DeclaredRange


@sample_mean.register(BetaThompsonState)
def sample_beta(state: BetaThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw the share of successes from its posterior."""
    return float(rng.beta(state.successes[arm], state.failures[arm]))


@update.register(BetaThompsonState)
def count_successes(state: BetaThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Count a rating x on the scale 0, …, m as x successes and m - x failures."""
    rating = clip(state.scale, seen.t, seen.arm, seen.reward)
    state.successes[seen.arm] += rating - state.scale.low
    state.failures[seen.arm] += state.scale.high - rating
    state.pulls[seen.arm] += 1


@dataclass(frozen=True)
class BetaThompson(PosteriorPolicy):
    """Beta Thompson sampling for ratings from low to low + m: a rating counts as m Bernoulli trials.

        theta_a ~ Beta(1 + sum x, 1 + sum (m - x)),    x = rating - low,    play the highest

    With range=(0, 1) it is the classic for clicks. It is exact for binomial ratings, and learns much faster than by
    tossing a coin for each rating. It withstands no contamination, and it is overconfident if ratings vary more than
    binomial ones.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest rating.
    outside : {"clip", "raise"}, optional
        Whether to clip a rating outside `range` or to raise an error. Default: clip in games, raise in a live study.

    Notes
    -----
    Guarantee: asymptotically optimal for m = 1 without contamination.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_ask, make_observation, update
    >>> policy = tw.BetaThompson((1, 6))
    >>> state = policy.start(n_arms=2)
    >>> for rating in (6, 4):
    ...     update(state, make_observation(0, rating, n_arms=2), np.random.default_rng(0))
    >>> policy.estimates(state).tolist()  # 1 + 5 * 9 / 12: Beta(1 + 5 + 3, 1 + 0 + 2)
    [4.75, nan]
    >>> policy.probabilities(state, make_ask(3, 2)).round(2).tolist()  # the prior of the second arm is uniform
    [0.75, 0.25]

    References
    ----------
    Agrawal & Goyal (2012), Analysis of Thompson sampling for the multi-armed bandit problem, for m = 1.
    """

    range: Range = (0.0, 1.0)
    _: KW_ONLY
    outside: Outside = None

    def state(self, setting: Setting) -> BetaThompsonState:
        return new(BetaThompsonState, setting, scale=declared_range(self.range, self.outside))

    def estimates(self, state: BetaThompsonState) -> Floats:
        share = state.successes / (state.successes + state.failures)
        return np.where(state.pulls > 0, reward_of(state.scale, share), np.nan)

    def probabilities(self, state: BetaThompsonState, ask: Ask) -> Floats:  # noqa: ARG002 - the same in every round
        """Return the probability that each arm's draw is the highest, by quadrature."""
        a, b = state.successes, state.failures
        total = a + b
        spreads = np.sqrt(a * b / (total * total * (total + 1.0)))

        def cdf(grid: Floats) -> Floats:
            inside = np.clip(grid, 1e-300, 1.0 - 1e-16)
            log_density = (a[:, None] - 1.0) * np.log(inside) + (b[:, None] - 1.0) * np.log1p(-inside)
            return cdf_from_log_density(np.where((grid >= 0.0) & (grid <= 1.0), log_density, -np.inf), grid)

        return best_arm_probabilities(a / total, spreads, cdf)
