"""The tables of the rating model: pmfs with exact means, and priors that sum to one."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import norm

import trueward as tw
from trueward.policies.wary.model import components_of, rating_model, rounded_normals, sd_levels, sd_prior

ASSUMED, RESOLUTION = tw.Wary.assumed, tw.Wary.resolution
NEUTRAL = RESOLUTION.evidence_ratios.index(1.0)


def likelihoods(n_ratings, *, with_evidence=False, assumed=ASSUMED):
    """Return the model and its likelihoods, (evidence levels, ratings, components, sd levels, means)."""
    model = rating_model(n_ratings, assumed, RESOLUTION, with_evidence=with_evidence)
    shape = (-1, n_ratings, model.component_prior.shape[1], model.sd_prior.shape[0], model.means.size)
    return model, np.exp(model.log_likelihood).reshape(shape)


@pytest.mark.parametrize("n_ratings", [2, 5, 7, 11, 41, 101])
def test_rounded_normals_have_exactly_the_means_asked_for_and_sum_to_one(n_ratings):
    sds, means = sd_levels(n_ratings, ASSUMED.widest_sd, RESOLUTION), np.linspace(0.005, 0.995, 31)
    pmfs = rounded_normals(n_ratings, sds, means)
    assert pmfs.min() >= 0
    np.testing.assert_allclose(pmfs.sum(axis=2), 1, atol=1e-12)
    np.testing.assert_allclose(pmfs @ np.linspace(0, 1, n_ratings), np.broadcast_to(means, pmfs.shape[:2]), atol=1e-8)


def test_rounded_normal_has_the_probabilities_of_the_normal_between_the_edges():
    """On five points, a normal around the middle has its edges at 1/8, 3/8, 5/8 and 7/8."""
    (pmf,) = rounded_normals(5, np.array([0.2]), np.array([0.5]))[0]
    edges = norm.cdf([0.125, 0.375, 0.625, 0.875], 0.5, 0.2)
    np.testing.assert_allclose(pmf, np.diff(edges, prepend=0, append=1), atol=1e-9)


def test_widest_rounded_normal_is_nearly_bimodal():
    (pmf,) = rounded_normals(11, np.array([ASSUMED.widest_sd]), np.array([0.5]))[0]
    assert pmf[0] == pytest.approx(pmf[-1])
    assert pmf[[0, -1]].sum() > 0.85


@pytest.mark.parametrize("n_ratings", [2, 5, 11, 101])
def test_sd_levels_increase_in_equal_ratios_up_to_the_widest(n_ratings):
    levels = sd_levels(n_ratings, ASSUMED.widest_sd, RESOLUTION)
    assert levels[-1] == pytest.approx(ASSUMED.widest_sd)
    assert levels[0] == pytest.approx(max(0.25 / (n_ratings - 1), 0.02))
    ratios = levels[1:] / levels[:-1]
    np.testing.assert_allclose(ratios, ratios[0])
    assert 1.5 < ratios[0] < 1.9


def test_priors_of_components_and_sds_sum_to_one_and_sds_are_near_the_shared_level():
    _, prior = components_of(7, ASSUMED)
    np.testing.assert_allclose(prior.sum(axis=1), 1)
    levels = sd_levels(7, ASSUMED.widest_sd, RESOLUTION)
    table = sd_prior(levels, ASSUMED)
    np.testing.assert_allclose(table.sum(axis=1), 1)
    assert (table.argmax(axis=1) == np.arange(levels.size)).all()
    assert table.min() >= ASSUMED.own_sd / levels.size


@pytest.mark.parametrize("most", [0.0, 0.1, 0.35])
def test_no_component_has_a_larger_share_of_bad_ratings_than_most(most):
    components, _ = components_of(7, replace(ASSUMED, most=most))
    shares = [component.bad.sum() for component in components]
    assert max(shares) <= most + 1e-12
    assert max(shares) == pytest.approx(most * max(ASSUMED.attack_rates))


@pytest.mark.parametrize("n_ratings", [5, 11])
def test_likelihoods_sum_to_one_and_honest_ratings_have_the_means_of_the_grid(n_ratings):
    model, likelihood = likelihoods(n_ratings)
    components, _ = components_of(n_ratings, ASSUMED)
    np.testing.assert_allclose(likelihood[0].sum(axis=0), 1, atol=1e-8)
    log_prior = model.log_prior.reshape(likelihood.shape[2:])
    inner = slice(2, -2)  # at the ends of the grid, the ratings outside of a heap cannot have every mean
    for g, component in enumerate(components):
        honest = (likelihood[0, :, g] - component.bad[:, None, None]) / (1 - component.bad.sum())
        means = np.einsum("r,rsm->sm", np.linspace(0, 1, n_ratings), honest)
        possible = log_prior[g] > -100
        possible[:, : inner.start] = possible[:, inner.stop :] = False
        edge = np.diff(possible.astype(int), axis=1, prepend=0) > 0
        possible &= ~edge & ~(np.diff(possible.astype(int), axis=1, append=0) < 0)
        np.testing.assert_allclose(means[possible], np.broadcast_to(model.means, means.shape)[possible], atol=1e-8)
        np.testing.assert_allclose(np.exp(log_prior[g]).sum(axis=1), 1)


def test_heap_makes_means_beyond_it_impossible():
    """If a quarter of the honest ratings is the highest one, their mean is above a quarter."""
    model, likelihood = likelihoods(5)
    components, _ = components_of(5, ASSUMED)
    log_prior = model.log_prior.reshape(likelihood.shape[2:])
    for g, component in enumerate(components):
        low, high = component.heap[-1], 1 - component.heap[0]
        np.testing.assert_array_equal(
            log_prior[g] > -100, np.tile((model.means > low) & (model.means < high), (log_prior.shape[1], 1))
        )


def test_evidence_multiplies_the_bad_part_of_the_likelihood_only():
    _, neutral = likelihoods(7)
    model, likelihood = likelihoods(7, with_evidence=True)
    components, _ = components_of(7, ASSUMED)
    bad = np.array([component.bad for component in components]).T[:, :, None, None]
    np.testing.assert_allclose(likelihood[NEUTRAL], neutral[0])
    for level, ratio in enumerate(RESOLUTION.evidence_ratios):
        np.testing.assert_allclose(
            likelihood[level] - neutral[0], np.broadcast_to((ratio - 1) * bad, neutral[0].shape), atol=1e-10
        )
    share = model.bad_likelihood.reshape(len(RESOLUTION.evidence_ratios), 7, -1)
    np.testing.assert_allclose(share[NEUTRAL], bad[:, :, 0, 0])
