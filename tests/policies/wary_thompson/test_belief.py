"""The posterior behind Wary Thompson sampling, against brute force in logarithms."""

import numpy as np
import pytest
from scipy.special import logsumexp

from trueward.engine.states import Setting
from trueward.policies.wary_thompson.belief import belief_in, learn, learn_counts, return_to_prior
from trueward.policies.wary_thompson.rating_model import means_of_laws, rating_model


def at_the_prior(model, n_arms=1, hypotheses=1):
    """Return posteriors that have learned nothing yet."""
    belief = belief_in(model, Setting(n_arms), hypotheses)
    for arm in range(n_arms):
        for hypothesis in range(hypotheses):
            return_to_prior(belief, model.prior, arm, hypothesis)
    return belief


def brute_force(model, sample):
    """Return the normalised posterior (groups, laws) and the log evidence."""
    logs = np.log(model.prior)
    for rating in sample:
        logs = logs + np.log(model.clean[:, None] * model.laws[rating] + model.dirty[rating][:, None])
    return np.exp(logs - logsumexp(logs)), logsumexp(logs)


@pytest.mark.parametrize(("ratings", "places"), [(2, 11), (5, 11), (11, 11), (11, 0), (41, 11)])
def test_learning_is_bayes_rule(ratings, places):
    model = rating_model(ratings, centres=25, places=places)
    belief = at_the_prior(model, n_arms=2, hypotheses=3)
    sample = np.random.default_rng(1).integers(0, ratings, 30)
    logs = sum(learn(belief, model, 1, 2, int(rating)) for rating in sample)
    posterior, evidence = brute_force(model, sample)
    weights = belief.weights[1, 2] / belief.weights[1, 2].sum()
    np.testing.assert_allclose(weights, posterior, atol=1e-12)
    np.testing.assert_allclose(belief.cumulative[1, 2] / belief.cumulative[1, 2, -1], np.cumsum(posterior.sum(axis=0)))
    assert logs == pytest.approx(evidence, rel=1e-12)
    untouched = at_the_prior(model, n_arms=2, hypotheses=3)
    assert (belief.weights[0] == untouched.weights[0]).all()


def test_counts_are_learned_as_the_ratings_one_by_one():
    model = rating_model(11, centres=25)
    one, other = at_the_prior(model), at_the_prior(model)
    counts = np.array([0, 1, 0, 0, 15, 16, 17, 40, 3, 0, 0])
    logs = sum(learn(one, model, 0, 0, int(rating)) for rating in np.repeat(np.arange(11), counts))
    learn(other, model, 0, 0, 3)  # forgotten
    together = learn_counts(other, model, 0, 0, counts, 0.0)
    assert not counts.any()
    np.testing.assert_allclose(other.weights / other.weights.sum(), one.weights / one.weights.sum(), atol=1e-12)
    assert together == pytest.approx(logs, rel=1e-12)


def test_the_order_of_counts_does_not_bury_the_truth():
    """Four hundred of each rating: learned one rating after the other, the floor would have eaten the middle."""
    model = rating_model(11, centres=25)
    belief = at_the_prior(model)
    sample = np.repeat([6, 7, 8, 9, 10], 400)
    together = learn_counts(belief, model, 0, 0, np.bincount(sample, minlength=11), 0.0)
    posterior, evidence = brute_force(model, sample)
    np.testing.assert_allclose(belief.weights[0, 0] / belief.weights.sum(), posterior, atol=1e-12)
    assert together == pytest.approx(evidence, rel=1e-12)


def test_a_thousand_ratings_do_not_underflow():
    model = rating_model(11, centres=25)
    belief = at_the_prior(model)
    for _ in range(1000):
        learn(belief, model, 0, 0, 9)
    mean = np.diff(belief.cumulative[0, 0], prepend=0) @ means_of_laws(model) / belief.cumulative[0, 0, -1]
    assert mean == pytest.approx(0.9, abs=0.03)
    assert belief.weights.min() > 0


def test_one_may_return_to_the_prior():
    model = rating_model(11, centres=25)
    belief, fresh = at_the_prior(model), at_the_prior(model)
    learn(belief, model, 0, 0, 3)
    assert not np.allclose(belief.weights, fresh.weights)
    return_to_prior(belief, model.prior, 0, 0)
    np.testing.assert_allclose(belief.weights, fresh.weights)
    np.testing.assert_allclose(belief.cumulative, fresh.cumulative)


@pytest.mark.parametrize(("bad", "rate"), [([0] * 4, 0.1), ([6] * 8, 0.2), ([], 0.02)])
def test_contamination_from_one_place_is_not_taken_for_the_law(bad, rate):
    """32 ratings around 9, and as many bad ones as given: the believed mean stays where it was."""
    model = rating_model(11)
    belief = at_the_prior(model)
    for rating in [9, 8, 10, 9, 9, 10, 8, 9] * 4 + bad:
        learn(belief, model, 0, 0, rating)
    weights = belief.weights[0, 0] / belief.weights[0, 0].sum()
    assert 10 * weights.sum(axis=0) @ means_of_laws(model) == pytest.approx(9.0, abs=0.15)
    assert weights.sum(axis=1) @ (1 - model.clean) == pytest.approx(rate, abs=0.08)


def test_two_heaps_that_are_both_large_are_a_law_and_not_contamination():
    model = rating_model(11)
    belief = at_the_prior(model)
    learn_counts(belief, model, 0, 0, np.bincount([0] * 40 + [10] * 60), 0.0)
    weights = belief.weights[0, 0] / belief.weights[0, 0].sum()
    assert 10 * weights.sum(axis=0) @ means_of_laws(model) == pytest.approx(6.0, abs=0.5)
