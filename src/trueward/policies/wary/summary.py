"""What Wary has learned, as posterior summaries: densities of the honest means, and which ratings are probably bad."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.policies.wary.gain import LIFTED, PEOPLE, PUSHED
from trueward.policies.wary.model import RatingModel
from trueward.policies.wary.posterior import ArmPosteriors, StudyPosterior


class Summary(NamedTuple):
    """Posterior summaries of one set of ratings."""

    density: Floats  # (arms, means) of the honest mean
    cells: Floats  # (arms, cells) posterior of the component and the sd
    bad: Floats  # (arms, evidence levels * ratings) probability that a rating with this value is bad


def summarise(posterior: StudyPosterior, posteriors: ArmPosteriors, model: RatingModel) -> Summary:
    """Average over people and attacks."""
    weights = role_weights(posterior)
    n_components = model.component_prior.shape[1]
    component_of = np.repeat(np.arange(n_components), model.sd_prior.shape[0])  # of each cell
    cells = weights[:, roles_of_components(model)[component_of]] * posterior.cells
    density = np.einsum("ak,akm->am", weights, posterior.density)
    bad = np.empty((weights.shape[0], model.bad_share.shape[0]))
    for row in range(bad.shape[1]):
        likelihood = np.exp(model.log_likelihood[row]).reshape(model.log_prior.shape)
        share = model.bad_share[row, component_of][:, None] / likelihood  # (cells, means) P(bad | rating, cell, mean)
        bad[:, row] = np.einsum("ac,acm,cm->a", cells, posteriors.mean, share)
    return Summary(density, cells, np.clip(bad, 0.0, 1.0))


def role_weights(posterior: StudyPosterior) -> Floats:
    """Return the posterior probability of each arm's role, (arms, 3): people, lifted, pushed."""
    pushed = posterior.attack_on
    return np.stack([np.full(pushed.size, posterior.people), pushed.sum() - pushed, pushed], axis=1)


def roles_of_components(model: RatingModel) -> Ints:
    n_rates = model.attack_weights.shape[0]
    n_people = model.component_prior.shape[1] - 2 * n_rates
    return np.repeat([PEOPLE, LIFTED, PUSHED], [n_people, n_rates, n_rates])


def honest_variances(summary: Summary, posteriors: ArmPosteriors, model: RatingModel, n_ratings: int) -> Floats:
    """Return the expected variance of each arm's honest ratings, on the scale from 0 to 1."""
    n_levels = model.sd_prior.shape[0]
    start = n_ratings * int(np.flatnonzero(model.evidence_ratios == 1.0)[0])
    neutral = slice(start, start + n_ratings)
    bad = np.repeat(model.bad_share[neutral], n_levels, axis=1)[:, :, None]  # (ratings, cells, 1)
    shown = np.exp(model.log_likelihood[neutral]).reshape(n_ratings, *model.log_prior.shape)
    honest = (shown - bad) / (1.0 - bad.sum(axis=0))  # (ratings, cells, means)
    values = np.linspace(0.0, 1.0, n_ratings)
    first, second = np.tensordot(values, honest, 1), np.tensordot(values * values, honest, 1)
    return np.asarray(np.einsum("ac,acm,cm->a", summary.cells, posteriors.mean, second - first * first))
