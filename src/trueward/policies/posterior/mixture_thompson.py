"""Thompson sampling that knows that some ratings are contaminated, and learns how many (ours).

    P(rating k) = (1 - e) f(k; theta) + e / (number of ratings),    play the highest mean of f(.; theta_a)

Each arm has a posterior of its own over a grid of laws theta and contamination rates e, uniform at first. One cell of
the grid is drawn for each arm, and the arm whose *base* law f has the highest mean is played: contamination has no
value. The base is a normal law rounded to the scale (mean and spread unknown), or a binomial one (sharper, where
ratings are binomial; the one for clicks). No contamination rate and no sigma need be known. A rating costs one pass
over the grid for its arm, a round one uniform and one binary search per arm.

>>> from trueward.engine.protocol import make_observation
>>> policy = MixtureThompson((0, 10))
>>> state = policy.start(1)
>>> for rating in [8, 7, 8, 9, 8, 0, 8, 7, 9, 0]:
...     update(state, make_observation(0, rating, n_arms=1), np.random.default_rng(0))
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
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints, exp, kernel
from trueward.engine.protocol import Ask, Observation, reset, update
from trueward.engine.states import Setting, clear, new, per_arm
from trueward.parameters import Range
from trueward.policies.declared_range import (
    DeclaredRange,
    Outside,
    count_ratings,
    declared_range,
    rating_of,
    reward_of,
)
from trueward.policies.policy import Policy
from trueward.policies.posterior.grid import constant, draw_cell, highest_mean_probabilities, weights_of
from trueward.policies.posterior.posterior_policy import sample_mean
from trueward.statistics.best_arm import normal_cdf

RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.45)  # contamination rates: ours; from 0.5 on, neither part is the law
CENTRES = 51  # of the normal base, over the scale
SPREADS = (0.07, 0.1, 0.13, 0.17, 0.22)  # of the normal base, as parts of the scale: ours, from ratings 0 to 10
CHANCES = 49  # of the binomial base, from 0.02 to 0.98
NEGLIGIBLE = -40.0  # e^-40 of the largest weight is lost in rounding


class MixtureThompsonState(NamedTuple):
    """The posteriors over the cells of the grid (laws x rates), and the tables that all arms share."""

    log_weights: Annotated[Floats, per_arm(0.0, "cells")]  # the largest is 0
    cumulative: Annotated[Floats, per_arm(0.0, "cells")]  # sums of the weights, not normalised
    pulls: Annotated[Ints, per_arm(0)]
    log_likelihood: Floats  # (ratings, cells)
    means: Floats  # (cells,) of the base law, in units of the rating
    rates: Floats  # (cells,) of contamination
    scale: DeclaredRange


@reset.register(MixtureThompsonState)
def return_to_prior(state: MixtureThompsonState) -> None:
    """Return to the uniform prior."""
    clear(state)
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


@sample_mean.register(MixtureThompsonState)
def draw_mean(state: MixtureThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw a cell from the posterior, and return its mean."""
    return float(state.means[draw_cell(state.cumulative[arm], rng)])


@update.register(MixtureThompsonState)
def weigh_rating(state: MixtureThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Multiply the arm's posterior by the likelihood of the nearest rating."""
    rating = rating_of(state.scale, seen, state.log_likelihood.shape[0])
    log_weights, gained = state.log_weights[seen.arm], state.log_likelihood[rating]
    largest = -math.inf
    for cell in range(log_weights.size):
        log_weights[cell] += gained[cell]
        largest = max(largest, log_weights[cell])
    for cell in range(log_weights.size):
        log_weights[cell] -= largest
    accumulate(log_weights, state.cumulative[seen.arm])
    state.pulls[seen.arm] += 1


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

    range: Range = (0.0, 10.0)
    _: KW_ONLY
    base: Literal["normal", "binomial"] = "normal"
    ratings: int | None = None
    outside: Outside = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count_ratings(self.range, self.ratings)

    def state(self, setting: Setting) -> MixtureThompsonState:
        scale = declared_range(self.range, self.outside)
        laws = LAWS[self.base](count_ratings(self.range, self.ratings))  # (laws, ratings)
        rates = np.repeat(RATES, laws.shape[0])  # (cells,)
        places = np.round(laws @ np.linspace(0.0, 1.0, laws.shape[1]), 9)  # equal means are then equal in every bit
        mixture = (1.0 - rates)[:, None] * np.tile(laws, (len(RATES), 1)) + (rates / laws.shape[1])[:, None]
        return new(
            MixtureThompsonState,
            setting,
            axes={"cells": rates.size},
            log_likelihood=constant(np.log(mixture).T.copy()),
            means=constant(np.tile(reward_of(scale, places), len(RATES))),
            rates=constant(rates),
            scale=scale,
        )

    def estimates(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior means of the base laws' means."""
        return np.where(state.pulls > 0, weights_of(state.cumulative) @ state.means, np.nan)

    def contamination(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior mean of each arm's contamination rate; the prior's before its first rating."""
        return np.asarray(weights_of(state.cumulative) @ state.rates)

    def probabilities(self, state: MixtureThompsonState, ask: Ask) -> Floats:  # noqa: ARG002 - the posteriors say all
        """Return the probability that each arm's draw is the highest, ties shared evenly."""
        return highest_mean_probabilities(weights_of(state.cumulative), state.means)
