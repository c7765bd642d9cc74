"""The model of contaminated ratings behind Wary Thompson sampling."""

import numpy as np
import pytest
from scipy.stats import norm

from trueward.policies.wary_thompson.rating_model import means_of_laws, rating_model

SCALES = (2, 3, 4, 5, 11, 101)


@pytest.mark.parametrize("ratings", SCALES)
def test_every_law_and_every_kind_of_contamination_is_a_distribution(ratings):
    model = rating_model(ratings)
    rates = 1 - model.clean
    np.testing.assert_allclose(model.laws.sum(axis=0), 1)
    np.testing.assert_allclose(model.dirty.sum(axis=0), rates, atol=1e-12)
    assert model.prior.sum() == pytest.approx(1)
    assert (model.laws >= 0).all()
    assert (model.dirty >= 0).all()


@pytest.mark.parametrize("ratings", SCALES)
def test_means_are_those_of_the_laws_and_cover_the_scale(ratings):
    model = rating_model(ratings)
    means = means_of_laws(model)
    np.testing.assert_allclose(means, np.linspace(0, 1, ratings) @ model.laws, atol=1e-8)
    assert means.min() < 0.05
    assert means.max() > 0.95


def test_laws_are_normal_ones_rounded_to_the_scale():
    model = rating_model(11)
    narrow = model.laws[:, 8 + 40]  # the narrowest spread, 0.7 of a step; centre -0.1 + 48 * 1.2 / 96 = 0.5
    edges = np.array([-np.inf, *np.arange(10) + 0.5, np.inf])
    np.testing.assert_allclose(narrow, np.diff(norm.cdf(edges, 5, 0.7)), atol=1e-12)


def test_two_values_leave_no_room_for_contamination():
    for ratings in (2, 3):
        assert rating_model(ratings).clean.tolist() == [1.0]
    assert rating_model(4).clean.min() < 1
