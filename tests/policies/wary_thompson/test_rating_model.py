"""The model of ratings behind Wary Thompson sampling: its laws, its groups, and what is likely beforehand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import binom, norm

from trueward.policies.wary_thompson.rating_model import BOTH, HIGH, LOW, Assumptions, bad_part, rating_model

SCALES = (4, 5, 6, 7, 11, 101)
TRUE = Assumptions()


@pytest.mark.parametrize("ratings", [2, 3, *SCALES])
def test_laws_groups_and_priors_are_distributions(ratings):
    model = rating_model(ratings, TRUE)
    n_laws = model.near.shape[0] if ratings > 3 else 1  # the last block has two heaps, and not every mean
    laws = model.laws.astype(float)
    np.testing.assert_allclose(laws[:, :, :n_laws].sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(model.clean + (model.heap + model.bad).sum(axis=0), 1)
    if ratings > 3:
        possible = (laws[0, :, -1] > 1e-8).mean()  # of the means: the block of divided laws has no others
        np.testing.assert_allclose(model.near[:, -1] * possible, TRUE.divided)
        np.testing.assert_allclose(model.near[:, :-1].sum(axis=1), 1 - TRUE.divided)
    np.testing.assert_allclose(model.groups.sum(axis=1), 1)
    assert np.exp(model.ends).sum() == pytest.approx(1)
    assert all((table >= 0).all() for table in (laws, model.clean, model.heap, model.bad, model.near, model.groups))


@pytest.mark.parametrize("ratings", [2, 3, *SCALES])
def test_laws_have_the_means_of_the_grid(ratings):
    model = rating_model(ratings, TRUE)
    inside = (model.means > 0.02) & (model.means < 0.98)
    found = np.tensordot(np.linspace(0, 1, ratings), model.laws, 1)[inside, : model.near.shape[0]]
    np.testing.assert_allclose(found, np.broadcast_to(model.means[inside][:, None], found.shape), atol=1e-3)


@pytest.mark.parametrize("ratings", SCALES)
def test_laws_with_two_heaps_have_the_means_of_the_grid_where_there_are_any(ratings):
    model = rating_model(ratings, TRUE)
    divided = model.laws[:, :, -1].astype(float)
    there = divided.sum(axis=0) > 0.5
    np.testing.assert_allclose(divided[:, there].sum(axis=0), 1, atol=1e-6)
    np.testing.assert_allclose(np.linspace(0, 1, ratings) @ divided[:, there], model.means[there], atol=1e-6)
    assert there[len(there) // 2]
    assert not there[[0, -1]].any()


@pytest.mark.parametrize("ratings", [5, 11])
@pytest.mark.parametrize("mean", [20, 64, 100])
def test_laws_are_normal_ones_rounded_to_the_scale(ratings, mean):
    model = rating_model(ratings, TRUE)
    edges = np.array([-np.inf, *(np.arange(ratings - 1) + 0.5) / (ratings - 1), np.inf])
    scale = np.linspace(0, 1, ratings)

    def rounded(centre, spread):
        return np.diff(norm.cdf(edges, centre, spread))

    spreads = np.geomspace(0.25 / (ratings - 1), 1.0, model.near.shape[0])
    for block, spread in enumerate(spreads):
        centre = brentq(lambda x, spread=spread: rounded(x, spread) @ scale - model.means[mean], -8, 9)
        np.testing.assert_allclose(model.laws[:, mean, block], rounded(centre, spread), atol=1e-3)


@pytest.mark.parametrize("ratings", [2, 3])
def test_two_or_three_ratings_have_binomial_laws_and_no_contamination(ratings):
    model = rating_model(ratings, TRUE)
    assert model.clean.tolist() == [1.0]
    assert not model.bad.any()
    assert not model.heap.any()
    expected = binom.pmf(np.arange(ratings)[:, None], ratings - 1, model.means)
    np.testing.assert_allclose(model.laws[:, :, 0], expected, atol=1e-6)


def test_four_ratings_expect_contamination():
    assert rating_model(4, TRUE).clean.min() == pytest.approx(0.65)


@pytest.mark.parametrize("most", [0.0, 0.005, 0.1, 0.35, 0.49])
def test_no_more_bad_ratings_are_considered_than_most(most):
    model = rating_model(5, replace(TRUE, most=most))
    rates = model.bad.sum(axis=0)
    assert rates.max() == pytest.approx(max(most, 1e-6))
    assert rates.min() > 0  # every rating is possible, under every law
    assert np.isfinite(model.logs).all()


def test_heaps_at_honest_ends_are_good_ones_and_others_stay_suspect():
    model = rating_model(5, TRUE)
    heap, bad = model.heap.sum(axis=0) > 0, model.bad / model.bad.sum(axis=0)
    at_low, at_high = bad[0] > 0.5, bad[-1] > 0.5
    for ends, (low, high) in enumerate([(False, False), (True, False), (False, True), (True, True)]):
        likely = model.groups[ends]
        assert (likely[at_low] > 0).all() == (not low)
        assert (likely[at_high] > 0).all() == (not high)
        assert likely[at_low].any() == (not low)
        assert likely[at_high].any() == (not high)
        assert likely[heap & (model.heap[0] > 0)].any() == low
        assert likely[heap & (model.heap[-1] > 0)].any() == high
        assert likely[heap].sum() == pytest.approx(TRUE.heaped if low or high else 0)
    np.testing.assert_allclose(model.stretch * 0.7 + model.shift, model.heap[-1] + 0.7 * (1 - model.heap.sum(axis=0)))


def test_honest_heaps_are_unlikely_beforehand_and_certain_if_opinions_are_polarised():
    doubtful, polarised = (rating_model(11, replace(TRUE, polarised=said)) for said in (False, True))
    honest = 1 - (1 - TRUE.honest) ** 2
    assert np.exp(doubtful.ends)[[LOW, HIGH, BOTH]].sum() == pytest.approx(honest * (1 - TRUE.attacked))
    assert TRUE.honest <= 0.1
    assert np.exp(polarised.ends).tolist() == [0, 0, 0, 1]


def test_in_an_attack_at_some_rate_one_arm_is_pushed_down_and_the_others_are_lifted_by_as_much():
    model = rating_model(11, TRUE)
    rates = model.bad.sum(axis=0)
    assert np.exp(model.ends[4:]).sum() == pytest.approx(TRUE.attacked)
    (one, other), (pushed, also) = model.groups[4:6], model.groups[6:]
    for lifted, down in ((one, pushed), (other, also)):
        assert (lifted.max(), down.max()) == (1, 1)
        assert rates[lifted.argmax()] == pytest.approx(rates[down.argmax()])
        assert model.bad[-1, lifted.argmax()] > 0.9 * rates[lifted.argmax()]
        assert model.bad[0, down.argmax()] == model.bad[-1, lifted.argmax()]
    assert len(rating_model(11, TRUE.in_short).ends) == len(rating_model(11, TRUE.in_short).groups) == 4


@pytest.mark.parametrize("j_shaped", [[0.08, 0.05, 0.12, 0.30, 0.45], [0.14, 0.05, 0.07, 0.15, 0.59]])
def test_wide_laws_reach_ratings_that_heap_up_at_an_end(j_shaped):
    laws = rating_model(5, TRUE).laws.reshape(5, -1).astype(float)
    p = np.array(j_shaped)[:, None]
    assert (p * np.log(p / np.maximum(laws, 1e-12))).sum(axis=0).min() < 0.05


def test_a_rating_is_bad_by_how_much_of_its_likelihood_is():
    model = rating_model(5, TRUE)
    laws = np.random.default_rng(0).random(model.logs.shape[1:])
    laws /= laws.sum()
    expected = 0.0
    for group, mean, block in np.ndindex(*laws.shape):
        good = model.clean[group] * float(model.laws[1, mean, block]) + model.heap[1, group]
        bad = 10.0 * model.bad[1, group]
        expected += laws[group, mean, block] * bad / (good + bad)
    assert bad_part(model, laws, 1, 10.0) == pytest.approx(expected, rel=1e-6)
    assert bad_part(model, laws, 1, 0.1) < bad_part(model, laws, 1, 1.0) < expected


def test_the_short_model_has_neither_places_nor_honest_heaps():
    model = rating_model(11, TRUE.in_short)
    assert model.bad.shape[1] == 4  # hardly any, and three rates from anywhere
    assert not model.heap.any()
    np.testing.assert_array_equal(model.bad, np.broadcast_to(model.bad[0], model.bad.shape))
    assert model.means.size == 32
