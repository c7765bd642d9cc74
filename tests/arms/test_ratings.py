import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

WIDTHS = {"lecturers": 4, "items": 5}


def test_ratings_have_the_arms_and_counts_of_their_sources():
    lecturers, items = tw.ratings("lecturers"), tw.ratings("items")
    assert (lecturers.counts.shape, items.counts.shape) == ((72, 5), (12, 6))
    assert lecturers.values.tolist() == [1, 2, 3, 4, 5]
    assert items.values.tolist() == [1, 2, 3, 4, 5, 6]
    assert dict(zip(lecturers.names, lecturers.counts.tolist(), strict=True))["25"] == [5, 25, 36, 56, 65]
    assert (items.counts.sum(axis=1) <= 2800).all()  # participants


def test_ratings_reject_an_unknown_source():
    with pytest.raises(ParameterError, match="source must be one of 'lecturers', 'items', got 'films'"):
        tw.ratings("films")


@pytest.mark.parametrize("source", WIDTHS)
def test_best_arm_of_a_rating_group_leads_by_two_percent_of_the_scale(source):
    groups = tw.rating_groups(source, 12, seed=3)
    assert {arms.n_arms for arms in groups} == {5}
    assert all(np.sort(arms.gaps)[1] >= 0.02 * WIDTHS[source] for arms in groups)
    assert len({tuple(sorted(arms.means)) for arms in groups}) == 12


def test_rating_groups_with_the_same_seed_begin_with_the_same_groups():
    few, many = tw.rating_groups("lecturers", 2, seed=1), tw.rating_groups("lecturers", 4, seed=1)
    assert [arms.means.tolist() for arms in few] == [arms.means.tolist() for arms in many[:2]]
    assert few[0].means.tolist() != tw.rating_groups("lecturers", 1, seed=2)[0].means.tolist()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"n_groups": 0}, "n_groups must be a whole number of at least 1, got 0"),
        ({"n_groups": 2, "size": 12}, "n_groups must be at most 1, the number of suitable groups of 12 items, got 2"),
        ({"size": 1}, "size must be a whole number of at least 2, got 1"),
        ({"size": 13}, "size must be at most 12, the number of items, got 13"),
    ],
)
def test_rating_groups_reject_impossible_requests(parameters, message):
    with pytest.raises(ParameterError, match=message):
        tw.rating_groups("items", **parameters)
