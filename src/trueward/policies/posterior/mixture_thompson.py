"""Mixture Thompson sampling: posteriors that allow for contaminated ratings."""

import math
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Literal, NamedTuple

import numpy as np

from trueward.engine.kernel import Bools, Floats, Ints, exp, kernel
from trueward.engine.protocol import Ask, Observation, reset, update
from trueward.engine.states import Setting, clear, new, per_arm, read_only, scratch
from trueward.parameters import Range
from trueward.policies.declared_range import (
    DeclaredRange,
    Outside,
    count_levels,
    declared_range,
    nearest_level,
    reward_of,
)
from trueward.policies.posterior.posterior_policy import PosteriorPolicy, sample_mean
from trueward.statistics.best_arm_probability import best_arm_probabilities_discrete, normal_cdf

RATES = (0.01, 0.05, 0.1, 0.2, 0.3, 0.45)  # of contamination, our choice; from 0.5 on, neither component is the base
NORMAL_MEANS = 51  # number of means of the normal base, over the scale
NORMAL_SDS = (0.07, 0.1, 0.13, 0.17, 0.22)  # of the normal base, in widths of the scale; our choice, for 0 to 10
SUCCESS_PROBABILITIES = 49  # number of those of the binomial base, from 0.02 to 0.98
NEGLIGIBLE = -40.0  # log weight: e^-40 of the largest weight is lost in rounding


class MixtureThompsonState(NamedTuple):
    """The posterior of each arm over a grid, whose cells are pairs of a base distribution and a contamination rate."""

    log_weights: Annotated[Floats, per_arm(0.0, "cells")]  # the largest is 0
    cumulative: Annotated[Floats, per_arm(scratch, "cells")]  # cumulative weights, not normalised, where up to date
    up_to_date: Annotated[Bools, per_arm(scratch)]
    pulls: Annotated[Ints, per_arm(0)]
    log_likelihood: Floats  # (levels, cells)
    means: Floats  # (cells,) of the base distribution, in units of the rating
    rates: Floats  # (cells,) of contamination
    scale: DeclaredRange


@reset.register(MixtureThompsonState)
def reset_to_uniform_prior(state: MixtureThompsonState) -> None:
    clear(state)
    state.up_to_date[:] = False


@kernel
def accumulate_weights(log_weights: Floats, cumulative: Floats) -> None:
    """Fill in the cumulative sums of the weights."""
    total = 0.0
    for cell in range(log_weights.size):
        if log_weights[cell] > NEGLIGIBLE:
            total += exp(log_weights[cell])
        cumulative[cell] = total


@kernel
def sample_cell(cumulative: Floats, rng: np.random.Generator) -> int:
    """Draw a cell with a probability proportional to its weight."""
    last = cumulative.size - 1
    u = rng.random() * cumulative[last]
    return min(int(np.searchsorted(cumulative, u, side="right")), last)


@sample_mean.register(MixtureThompsonState)
def sample_base_mean(state: MixtureThompsonState, arm: int, rng: np.random.Generator) -> float:
    """Draw a cell from the posterior, and return the mean of its base distribution."""
    if not state.up_to_date[arm]:
        accumulate_weights(state.log_weights[arm], state.cumulative[arm])
        state.up_to_date[arm] = True
    return float(state.means[sample_cell(state.cumulative[arm], rng)])


@update.register(MixtureThompsonState)
def update_posterior(state: MixtureThompsonState, seen: Observation, rng: np.random.Generator) -> None:
    """Multiply the arm's weights by the likelihood of the level nearest to the rating."""
    level = nearest_level(state.scale, seen, state.log_likelihood.shape[0])
    log_weights, log_likelihood = state.log_weights[seen.arm], state.log_likelihood[level]
    log_weights += log_likelihood
    log_weights -= log_weights.max()
    state.up_to_date[seen.arm] = False
    state.pulls[seen.arm] += 1


def normal_pmfs(levels: int) -> Floats:
    """Return the pmfs of normal distributions rounded to the levels 0, 1, …: (distributions, levels).

    The lowest and the highest level have the probability of the tails.
    """
    top = levels - 1.0
    mean, sd = (grid.reshape(-1, 1) for grid in np.meshgrid(np.linspace(0.0, top, NORMAL_MEANS), np.array(NORMAL_SDS)))
    below = normal_cdf((np.arange(levels - 1) + 0.5 - mean) / (sd * top))
    return np.diff(below, axis=1, prepend=0.0, append=1.0)


def binomial_pmfs(levels: int) -> Floats:
    """Return the pmfs of binomial distributions on the levels 0, 1, …: (distributions, levels)."""
    top = levels - 1
    choices = np.array([math.comb(top, k) for k in range(levels)], dtype=np.float64)
    p = np.linspace(0.02, 0.98, SUCCESS_PROBABILITIES)[:, None]
    k = np.arange(levels)
    return np.asarray(np.exp(np.log(choices) + k * np.log(p) + (top - k) * np.log1p(-p)))


BASE_PMFS = {"normal": normal_pmfs, "binomial": binomial_pmfs}


def posterior_weights(state: MixtureThompsonState) -> Floats:
    """Return the posterior probabilities of the cells: (arms, cells)."""
    weights = np.where(state.log_weights > NEGLIGIBLE, np.exp(state.log_weights), 0.0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass(frozen=True)
class MixtureThompson(PosteriorPolicy):
    """Mixture Thompson sampling: allows for contaminated ratings, and learns how many there are.

        P(rating k) = (1 - e) f(k; theta) + e / (number of levels),    play the highest mean of f(.; theta_a)

    Each arm has a posterior over a grid of base distributions f(.; theta) and contamination rates e, with a uniform
    prior. In each round one cell of the grid is drawn for each arm, and the arm whose base distribution has the highest
    mean is played: the contaminated part is ignored. Neither a contamination rate nor sigma needs to be known.

    It withstands ratings that do not follow an arm's own distribution, malicious ones at the other end of the scale
    included, up to nearly half of each arm's ratings. It does not withstand contamination that looks like another
    plausible distribution: many equal ratings near the truth ("inliers"), or a burst at the beginning, when an arm has
    no other ratings yet.

    Parameters
    ----------
    range : tuple of float
        Lowest and highest rating.
    base : {"normal", "binomial"}
        The base distributions: normal ones rounded to the scale, with unknown mean and standard deviation, or binomial
        ones, which are more precise for binomial ratings and exact for clicks (0 or 1).
    levels : int, optional
        Number of equally spaced values on the scale; other ratings are rounded to the nearest one. Default: the whole
        numbers of the range.
    outside : {"clip", "raise"}, optional
        Whether to clip a rating outside `range` or to raise an error. Default: clip in games, raise in a live study.

    Notes
    -----
    Guarantee: none; the posterior is exact for the model, but an adversary need not follow the model.

    A rating costs one pass over the grid of its arm; a round costs one uniform random number and one binary search per
    arm. One contamination rate for all arms would be worse, because an adversary contaminates the arms differently.

    Examples
    --------
    >>> import numpy as np
    >>> import trueward as tw
    >>> from trueward.engine.protocol import make_observation, update
    >>> policy = tw.MixtureThompson((0, 10))
    >>> state = policy.start(n_arms=1)
    >>> for rating in [8, 7, 8, 9, 8, 0, 8, 7, 9, 0]:
    ...     update(state, make_observation(0, rating, n_arms=1), np.random.default_rng(0))
    >>> policy.estimates(state).round(2).tolist(), policy.contamination(state).round(2).tolist()  # the mean is 6.4
    ([7.98], [0.28])

    References
    ----------
    New in trueward; Huber (1964) for the contamination model.
    """

    range: Range = (0.0, 10.0)
    _: KW_ONLY
    base: Literal["normal", "binomial"] = "normal"
    levels: int | None = None
    outside: Outside = None

    def __post_init__(self) -> None:
        super().__post_init__()
        count_levels(self.range, self.levels)

    def state(self, setting: Setting) -> MixtureThompsonState:
        scale = declared_range(self.range, self.outside)
        pmfs = BASE_PMFS[self.base](count_levels(self.range, self.levels))  # (distributions, levels)
        rates = np.repeat(RATES, pmfs.shape[0])  # (cells,)
        mixture = (1.0 - rates)[:, None] * np.tile(pmfs, (len(RATES), 1)) + (rates / pmfs.shape[1])[:, None]
        # rounded, so that equal means are bitwise equal
        gains = np.round(pmfs @ np.linspace(0.0, 1.0, pmfs.shape[1]), 9)
        return new(
            MixtureThompsonState,
            setting,
            axes={"cells": rates.size},
            log_likelihood=read_only(np.log(mixture).T.copy()),
            means=read_only(np.tile(reward_of(scale, gains), len(RATES))),
            rates=read_only(rates),
            scale=scale,
        )

    def estimates(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior mean of the base distribution's mean; NaN for an arm without a rating."""
        return np.where(state.pulls > 0, posterior_weights(state) @ state.means, np.nan)

    def contamination(self, state: MixtureThompsonState) -> Floats:
        """Return the posterior mean of each arm's contamination rate; the prior mean for an arm without a rating."""
        return np.asarray(posterior_weights(state) @ state.rates)

    def probabilities(self, state: MixtureThompsonState, ask: Ask) -> Floats:  # noqa: ARG002 - the same in every round
        """Return the probability that each arm's draw is the highest; ties are shared evenly."""
        values, position = np.unique(state.means, return_inverse=True)
        weights = posterior_weights(state)
        return best_arm_probabilities_discrete(np.array([np.bincount(position, w, values.size) for w in weights]))
