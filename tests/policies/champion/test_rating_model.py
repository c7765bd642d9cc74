"""The posterior behind the champion, against brute force in logarithms."""

import numpy as np
import pytest
from scipy.special import logsumexp
from scipy.stats import norm

from trueward.policies.champion.rating_model import (
    expect_anything,
    forget,
    learn,
    learn_afresh,
    no_belief,
    rating_model,
)

SCALES = (2, 3, 4, 5, 11, 101)


@pytest.mark.parametrize("ratings", SCALES)
def test_every_law_and_every_kind_of_contamination_is_a_distribution(ratings):
    model = rating_model(ratings)
    rates = 1 - model.clean[0]
    np.testing.assert_allclose(model.laws[0].sum(axis=0), 1)
    np.testing.assert_allclose(model.dirty[0].sum(axis=0), rates, atol=1e-12)
    assert model.prior.sum() == pytest.approx(1)
    assert (model.laws >= 0).all()
    assert (model.dirty >= 0).all()


@pytest.mark.parametrize("ratings", SCALES)
def test_means_are_those_of_the_laws_and_cover_the_scale(ratings):
    model = rating_model(ratings)
    np.testing.assert_allclose(model.means[0], np.linspace(0, 1, ratings) @ model.laws[0], atol=1e-8)
    assert model.means.min() < 0.05
    assert model.means.max() > 0.95


def test_laws_are_normal_ones_rounded_to_the_scale():
    model = rating_model(11)
    narrow = model.laws[0, :, 8 + 40]  # the narrowest spread, 0.7 of a step; centre -0.1 + 48 * 1.2 / 96 = 0.5
    edges = np.array([-np.inf, *np.arange(10) + 0.5, np.inf])
    np.testing.assert_allclose(narrow, np.diff(norm.cdf(edges, 5, 0.7)), atol=1e-12)


def test_two_values_leave_no_room_for_contamination():
    for ratings in (2, 3):
        assert rating_model(ratings).clean.tolist() == [[1.0]]
    assert rating_model(4).clean.min() < 1


def brute_force(model, sample):
    """Return the normalised posterior (groups, laws) and the log evidence."""
    logs = np.log(model.prior[0])
    for rating in sample:
        logs = logs + np.log(model.clean[0][:, None] * model.laws[0, rating] + model.dirty[0, rating][:, None])
    return np.exp(logs - logsumexp(logs)), logsumexp(logs)


@pytest.mark.parametrize(("ratings", "places"), [(2, 11), (5, 11), (11, 11), (11, 0), (41, 11)])
def test_learning_is_bayes_rule(ratings, places):
    model = rating_model(ratings, centres=25, places=places)
    belief = no_belief(2, 3, model)
    sample = np.random.default_rng(1).integers(0, ratings, 30)
    for rating in sample:
        learn(belief, model, 1, 2, int(rating))
    posterior, evidence = brute_force(model, sample)
    weights = belief.weights[1, 2] / belief.weights[1, 2].sum()
    np.testing.assert_allclose(weights, posterior, atol=1e-12)
    np.testing.assert_allclose(belief.cumulative[1, 2] / belief.cumulative[1, 2, -1], np.cumsum(posterior.sum(axis=0)))
    assert belief.evidence[1, 2] == pytest.approx(evidence, rel=1e-12)
    untouched = no_belief(2, 3, model)
    assert (belief.weights[0] == untouched.weights[0]).all()


def test_counts_are_learned_as_the_ratings_one_by_one():
    model = rating_model(11, centres=25)
    one, other = no_belief(1, 1, model), no_belief(1, 1, model)
    counts = np.array([0, 1, 0, 0, 15, 16, 17, 40, 3, 0, 0])
    for rating in np.repeat(np.arange(11), counts):
        learn(one, model, 0, 0, int(rating))
    learn(other, model, 0, 0, 3)  # forgotten
    other.evidence[:] = 0
    learn_afresh(other, model, 0, 0, counts)
    assert not counts.any()
    np.testing.assert_allclose(other.weights / other.weights.sum(), one.weights / one.weights.sum(), atol=1e-12)
    assert other.evidence[0, 0] == pytest.approx(one.evidence[0, 0], rel=1e-12)


def test_the_order_of_counts_does_not_bury_the_truth():
    """Four hundred of each rating: learned one rating after the other, the floor would have eaten the middle."""
    model = rating_model(11, centres=25)
    belief = no_belief(1, 1, model)
    sample = np.repeat([6, 7, 8, 9, 10], 400)
    learn_afresh(belief, model, 0, 0, np.bincount(sample, minlength=11))
    posterior, evidence = brute_force(model, sample)
    np.testing.assert_allclose(belief.weights[0, 0] / belief.weights.sum(), posterior, atol=1e-12)
    assert belief.evidence[0, 0] == pytest.approx(evidence, rel=1e-12)


def test_a_thousand_ratings_do_not_underflow():
    model = rating_model(11, centres=25)
    belief = no_belief(1, 1, model)
    for _ in range(1000):
        learn(belief, model, 0, 0, 9)
    mean = np.diff(belief.cumulative[0, 0], prepend=0) @ model.means[0] / belief.cumulative[0, 0, -1]
    assert mean == pytest.approx(0.9, abs=0.03)
    assert belief.weights.min() > 0


def test_forgetting_returns_to_the_prior_and_a_new_law_keeps_the_evidence():
    model = rating_model(11, centres=25)
    belief, fresh = no_belief(1, 1, model), no_belief(1, 1, model)
    learn(belief, model, 0, 0, 3)
    kept = belief.evidence[0, 0]
    expect_anything(belief, model, 0, 0)
    np.testing.assert_allclose(belief.weights, fresh.weights)
    assert belief.evidence[0, 0] == kept < 0
    learn(belief, model, 0, 0, 3)
    assert belief.evidence[0, 0] == pytest.approx(2 * kept)
    forget(belief, model, 0, 0)
    assert belief.evidence[0, 0] == 0
    np.testing.assert_allclose(belief.cumulative, fresh.cumulative)


@pytest.mark.parametrize(("bad", "rate"), [([0] * 4, 0.1), ([6] * 8, 0.2), ([], 0.02)])
def test_contamination_from_one_place_is_not_taken_for_the_law(bad, rate):
    """32 ratings around 9, and as many bad ones as given: the believed mean stays where it was."""
    model = rating_model(11)
    belief = no_belief(1, 1, model)
    for rating in [9, 8, 10, 9, 9, 10, 8, 9] * 4 + bad:
        learn(belief, model, 0, 0, rating)
    weights = belief.weights[0, 0] / belief.weights[0, 0].sum()
    assert 10 * weights.sum(axis=0) @ model.means[0] == pytest.approx(9.0, abs=0.15)
    assert weights.sum(axis=1) @ (1 - model.clean[0]) == pytest.approx(rate, abs=0.08)


def test_two_heaps_that_are_both_large_are_a_law_and_not_contamination():
    model = rating_model(11)
    belief = no_belief(1, 1, model)
    learn_afresh(belief, model, 0, 0, np.bincount([0] * 40 + [10] * 60))
    weights = belief.weights[0, 0] / belief.weights[0, 0].sum()
    assert 10 * weights.sum(axis=0) @ model.means[0] == pytest.approx(6.0, abs=0.5)
