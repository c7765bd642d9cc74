"""What Wary has learned, as posterior summaries: the honest means, the regimes, and which ratings are probably bad."""

from typing import NamedTuple

import numpy as np

from trueward.engine.kernel import Floats, Ints
from trueward.policies.wary.gain import LIFTED, PEOPLE, PUSHED
from trueward.policies.wary.model import RatingModel
from trueward.policies.wary.posterior import ArmPosteriors, StudyPosterior


class Summary(NamedTuple):
    """Posterior summaries of one set of ratings, averaged over people and attacks."""

    density: Floats  # (arms, means) of the honest mean
    variance: Floats  # (arms,) expected variance of the honest ratings, on the scale from 0 to 1
    components: Floats  # (arms, components) posterior probability of each component
    bad: Floats  # (arms, evidence levels * ratings) probability that a rating with this value is bad
    attack_on: Floats  # (arms,) posterior probability of an attack on each arm


def summarise(posterior: StudyPosterior, posteriors: ArmPosteriors, model: RatingModel) -> Summary:
    roles = role_probabilities(posterior)
    n_components, n_levels = model.component_prior.shape[1], model.sd_prior.shape[0]
    component_of = np.repeat(np.arange(n_components), n_levels)  # of each cell
    cells = roles[:, roles_of_components(model)[component_of]] * posterior.cells
    joint = cells[:, :, None] * posteriors.mean  # (arms, cells, means)
    bad = np.empty((roles.shape[0], model.bad_likelihood.shape[0]))
    for row in range(bad.shape[1]):
        likelihood = np.exp(model.log_likelihood[row]).reshape(model.log_prior.shape)
        share = model.bad_likelihood[row, component_of][:, None] / likelihood  # P(bad | rating, cell, mean)
        bad[:, row] = np.tensordot(joint, share, 2)
    return Summary(
        density=np.einsum("ak,akm->am", roles, posterior.density),
        variance=np.tensordot(joint, honest_variances(model), 2),
        components=cells.reshape(-1, n_components, n_levels).sum(axis=2),
        bad=np.clip(bad, 0.0, 1.0),
        attack_on=posterior.attack_on,
    )


def role_probabilities(posterior: StudyPosterior) -> Floats:
    """Return the posterior probability of each arm's role, (arms, 3): people, lifted, pushed."""
    pushed = posterior.attack_on
    return np.stack([np.full(pushed.size, posterior.people), pushed.sum() - pushed, pushed], axis=1)


def roles_of_components(model: RatingModel) -> Ints:
    n_rates = model.log_attack_prior.shape[0]
    n_people = model.component_prior.shape[1] - 2 * n_rates
    return np.repeat([PEOPLE, LIFTED, PUSHED], [n_people, n_rates, n_rates])


def honest_variances(model: RatingModel) -> Floats:
    """Return the variance of honest ratings in each cell and with each mean, on the scale from 0 to 1."""
    n_ratings, n_levels = model.bad_likelihood.shape[0] // model.evidence_ratios.size, model.sd_prior.shape[0]
    start = n_ratings * int(np.flatnonzero(model.evidence_ratios == 1.0)[0])
    neutral = slice(start, start + n_ratings)
    bad = np.repeat(model.bad_likelihood[neutral], n_levels, axis=1)[:, :, None]  # (ratings, cells, 1)
    shown = np.exp(model.log_likelihood[neutral]).reshape(n_ratings, *model.log_prior.shape)
    honest = (shown - bad) / (1.0 - bad.sum(axis=0))  # (ratings, cells, means)
    values = np.linspace(0.0, 1.0, n_ratings)
    first, second = np.tensordot(values, honest, 1), np.tensordot(values * values, honest, 1)
    return np.asarray(second - first * first)


def own_intervals(counts: Ints, level: float) -> tuple[Floats, Floats]:
    """Return the credible interval of each arm's mean from its own counts, (arms, ratings), on the scale from 0 to 1.

    The ratings have a Dirichlet prior: half a rating at either end of the scale. So the posterior is the Bayesian
    bootstrap of the counts (Rubin, 1981), and Jeffreys' on a scale of two values. The interval is that of the beta
    distribution with the same mean and variance as the mean rating.
    """
    from scipy.special import betaincinv  # here, as in `model.py`

    mass = counts.astype(np.float64)
    mass[:, [0, -1]] += 0.5
    total, values = mass.sum(axis=1), np.linspace(0.0, 1.0, counts.shape[1])
    mean = mass @ values / total
    variance = (mass @ (values * values) / total - mean * mean) / (total + 1.0)
    size = mean * (1.0 - mean) / variance - 1.0
    tail = (1.0 - level) / 2.0
    low, high = (betaincinv(mean * size, (1.0 - mean) * size, q) for q in (tail, 1.0 - tail))
    return np.asarray(low), np.asarray(high)
