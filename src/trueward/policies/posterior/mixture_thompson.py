"""Thompson sampling that knows that some ratings are contaminated, and learns how many (ours).

    P(rating k) = (1 - e) f(k; theta) + e / (number of ratings),    play the highest mean of f(.; theta_a)

Each arm has a posterior of its own over a grid of laws theta and contamination rates e, uniform at first. One cell of
the grid is drawn for each arm, and the arm whose *base* law f has the highest mean is played: contamination has no
value. The base is a normal law rounded to the scale (mean and spread unknown), or a binomial one (sharper, where
ratings are binomial; the one for clicks). No contamination rate and no sigma need be known. A rating costs one pass
over the grid for its arm, a round one uniform and one binary search per arm.

>>> policy = MixtureThompson((0, 10))
>>> state = policy.start(1, horizon=None, capacity=1)
>>> reset(state)
>>> for rating in [8, 7, 8, 9, 8, 0, 8, 7, 9, 0]:
...     update(state, 1, 0, rating, np.random.default_rng(0))
>>> policy.estimates(state).round(2).tolist(), policy.contamination(state).round(2).tolist()  # the mean is 6.4
([7.98], [0.28])

Withstands ratings that do not follow an arm's own law, malicious ones at the other end of the scale among them, up to
nearly half of each arm. Does not withstand contamination that looks like another good law: many equal ratings near the
truth ("inliers"), or a burst at the beginning, which is all that an arm has shown so far (`Guarded` helps).
Sharing one rate among all arms is worse: an adversary contaminates the arms differently.

Guarantee: none; the posterior is exact for the model, and the model is not an adversary's.

Reference: ours; Huber (1964) for the contamination model.
"""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Literal, NamedTuple

import numpy as np

from trueward.engine import checks
from trueward.engine.kernel import Floats, Ints, choose, exp, kernel, reset, update
from trueward.policies.base import Policy
from trueward.policies.choosing import best_of
from trueward.policies.declared_range import (
    DeclaredRange,
    Outside,
    check_declared,
    count_ratings,
    declared_range,
    rating_of,
    reward_of,
)
from trueward.policies.posterior.best_arm import highest_atom_probabilities, normal_cdf

RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.45)  # contamination rates: ours; from 0.5 on, neither part is the law
CENTRES = 51  # of the normal base, over the scale
SPREADS = (0.07, 0.1, 0.13, 0.17, 0.22)  # of the normal base, as parts of the scale: ours, from ratings 0 to 10
CHANCES = 49  # of the binomial base, from 0.02 to 0.98
NEGLIGIBLE = -40.0  # e^-40 of the largest weight is lost in rounding

Base = Literal["normal", "binomial"]


class MixtureThompsonState(NamedTuple):
    """The posteriors over the cells of the grid (laws x rates), and the tables that all arms share."""

    log_weights: Floats  # (arms, cells) the largest is 0
    cumulative: Floats  # (arms, cells) sums of the weights, not normalised
    pulls: Ints  # (arms,)
    drawn: Floats  # (arms,)
    log_likelihood: Floats  # (1, ratings, cells)
    means: Floats  # (1, cells) of the base law, in units of the rating
    rates: Floats  # (1, cells) of contamination
    scale: DeclaredRange


@reset.register(MixtureThompsonState)
def reset_mixture_thompson(state: MixtureThompsonState) -> None:
    """Return to the uniform prior."""
    state.log_weights[:] = 0.0
    state.pulls[:] = 0
    for arm in range(state.pulls.size):
        accumulate(state.log_weights[arm], state.cumulative[arm])


@kernel
def accumulate(log_weights: Floats, cumulative: Floats) -> None:
    """Sum the weights up, cell by cell."""
    total = 0.0
    for cell in range(log_weights.size):
        if log_weights[cell] > NEGLIGIBLE:
            total += exp(log_weights[cell])
        cumulative[cell] = total


@kernel
def first_above(cumulative: Floats, level: float) -> int:
    """Return the first cell whose sum exceeds the level."""
    low, high = 0, cumulative.size - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle] > level:
            high = middle
        else:
            low = middle + 1
    return low


@choose.register(MixtureThompsonState)
def choose_mixture_thompson(state: MixtureThompsonState, t: int, rng: np.random.Generator) -> int:
    """Draw a cell from every posterior, and play the highest mean."""
    last = state.cumulative.shape[1] - 1
    for arm in range(state.drawn.size):
        cell = first_above(state.cumulative[arm], rng.random() * state.cumulative[arm, last])
        state.drawn[arm] = state.means[0, cell]
    return best_of(state.drawn, rng)


@update.register(MixtureThompsonState)
def update_mixture_thompson(
    state: MixtureThompsonState, t: int, arm: int, reward: float, rng: np.random.Generator
) -> None:
    """Multiply the arm's posterior by the likelihood of the nearest rating."""
    rating = rating_of(state.scale, t, arm, reward, state.log_likelihood.shape[1])
    log_weights, gained = state.log_weights[arm], state.log_likelihood[0, rating]
    largest = -math.inf
    for cell in range(log_weights.size):
        log_weights[cell] += gained[cell]
        largest = max(largest, log_weights[cell])
    for cell in range(log_weights.size):
        log_weights[cell] -= largest
    accumulate(log_weights, state.cumulative[arm])
    state.pulls[arm] += 1


def normal_laws(ratings: int) -> Floats:
    """Return normal laws rounded to the ratings 0, 1, …, the tails going to the ends: (laws, ratings)."""
    top = ratings - 1.0
    centre, spread = (grid.reshape(-1, 1) for grid in np.meshgrid(np.linspace(0.0, top, CENTRES), np.array(SPREADS)))
    below = normal_cdf((np.arange(ratings - 1) + 0.5 - centre) / (spread * top))
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def binomial_laws(ratings: int) -> Floats:
    """Return binomial laws on the ratings 0, 1, …: (laws, ratings)."""
    top = ratings - 1
    choices = np.array([math.comb(top, k) for k in range(ratings)], dtype=np.float64)
    p = np.linspace(0.02, 0.98, CHANCES)[:, None]
    k = np.arange(ratings)
    return np.asarray(np.exp(np.log(choices) + k * np.log(p) + (top - k) * np.log1p(-p)))


LAWS = {"normal": normal_laws, "binomial": binomial_laws}


@dataclass(frozen=True)
class MixtureThompson(Policy):
    """Plays the highest mean drawn from posteriors in which each rating is contaminated with an unknown chance.

    Ratings lie on a scale of `ratings` equally spaced values from one end of the range to the other, by default the
    whole numbers; what lies between two is rounded.
    """

    range: tuple[float, float] = (0.0, 10.0)
    _: KW_ONLY
    base: Base = "normal"
    ratings: int | None = None
    outside: Outside = "clip"

    def __post_init__(self) -> None:
        check_declared(self.range, self.outside)
        checks.one_of("base", self.base, tuple(LAWS))
        count_ratings(self.range, self.ratings)

    def start(self, n_arms: int, *, horizon: int | None, capacity: int) -> MixtureThompsonState:  # noqa: ARG002 - anytime
        """Return a fresh state."""
        scale = declared_range(self.range, self.outside)
        laws = LAWS[self.base](count_ratings(self.range, self.ratings))  # (laws, ratings)
        rates = np.repeat(RATES, laws.shape[0])  # (cells,)
        places = np.round(laws @ np.linspace(0.0, 1.0, laws.shape[1]), 9)  # equal means are then equal in every bit
        means = reward_of(scale, places)
        mixture = (1.0 - rates)[:, None] * np.tile(laws, (len(RATES), 1)) + (rates / laws.shape[1])[:, None]
        state = MixtureThompsonState(
            np.zeros((n_arms, rates.size)),
            np.zeros((n_arms, rates.size)),
            np.zeros(n_arms, np.int64),
            np.zeros(n_arms),
            np.log(mixture).T[None].copy(),
            np.tile(means, len(RATES))[None],
            rates[None],
            scale,
        )
        reset(state)
        return state

    def _posterior(self, state: MixtureThompsonState) -> Floats:
        """Return the weights of the cells, (arms, cells)."""
        return np.diff(state.cumulative, axis=1, prepend=0.0) / state.cumulative[:, -1:]

    def estimates(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior means of the base laws' means."""
        return np.where(state.pulls > 0, self._posterior(state) @ state.means[0], np.nan)

    def contamination(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior mean of each arm's contamination rate; the prior's before its first rating."""
        return np.asarray(self._posterior(state) @ state.rates[0])

    def probabilities(self, state: MixtureThompsonState, t: int) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, ties shared evenly."""
        values, place = np.unique(state.means[0], return_inverse=True)
        posterior = self._posterior(state)
        return highest_atom_probabilities(np.array([np.bincount(place, w, values.size) for w in posterior]))
