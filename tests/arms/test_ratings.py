import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

WIDTHS = {"lecturers": 4, "items": 5}


def test_the_tables_have_the_arms_and_ratings_of_their_sources():
    lecturers, items = tw.ratings("lecturers"), tw.ratings("items")
    assert (lecturers.counts.shape, items.counts.shape) == ((72, 5), (12, 6))
    assert lecturers.values.tolist() == [1, 2, 3, 4, 5]
    assert items.values.tolist() == [1, 2, 3, 4, 5, 6]
    assert dict(zip(lecturers.names, lecturers.counts.tolist(), strict=True))["25"] == [5, 25, 36, 56, 65]
    assert (items.counts.sum(axis=1) <= 2800).all()  # people who answered


def test_an_unknown_source_is_named():
    with pytest.raises(ParameterError, match="source must be one of 'lecturers', 'items', got 'films'"):
        tw.ratings("films")


def test_arms_from_counts_have_the_shares_of_each_rating():
    arms = tw.CategoricalArms(values=[1, 2, 3], counts=[[1, 1, 2], [0, 0, 7]])
    assert arms.probabilities.tolist() == [[0.25, 0.25, 0.5], [0, 0, 1]]
    assert arms.means.tolist() == [2.25, 3]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give a row for each arm of either probabilities or counts"),
        ({"counts": [[1, 1]], "probabilities": [[0.5, 0.5]]}, "either probabilities or counts"),
        ({"counts": []}, "counts must have a row for each arm, got none"),
        ({"counts": [[1, 1], [0, 0]]}, r"counts\[1\] must be 2 numbers, not all of them 0, got \[0.0, 0.0\]"),
        ({"counts": [[1, 1, 1]]}, r"counts\[0\] must be 2 numbers"),
        ({"counts": [[1, -1]]}, r"counts\[0\]\[1\] must be at least 0 and at most 1e\+300, got -1.0"),
    ],
)
def test_bad_counts_are_named(given, message):
    with pytest.raises(ParameterError, match=message):
        tw.CategoricalArms(values=[0, 1], **given)


@pytest.mark.parametrize("source", WIDTHS)
def test_the_best_arm_of_a_group_is_ahead_by_two_percent_of_the_scale(source):
    groups = tw.rating_groups(source, 12, seed=3)
    assert {arms.n_arms for arms in groups} == {5}
    assert all(np.sort(arms.gaps)[1] >= 0.02 * WIDTHS[source] for arms in groups)
    assert len({tuple(sorted(arms.means)) for arms in groups}) == 12


def test_the_same_seed_gives_the_same_groups_and_more_of_them_begin_alike():
    few, many = tw.rating_groups("lecturers", 2, seed=1), tw.rating_groups("lecturers", 4, seed=1)
    assert [arms.means.tolist() for arms in few] == [arms.means.tolist() for arms in many[:2]]
    assert few[0].means.tolist() != tw.rating_groups("lecturers", 1, seed=2)[0].means.tolist()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n": 0}, "n must be a whole number of at least 1, got 0"),
        ({"n": 2, "size": 12}, "n must be at most 1, the groups of 12 items that were found, got 2"),
        ({"size": 1}, "size must be a whole number of at least 2, got 1"),
        ({"size": 13}, "size must be at most 12, of items in all, got 13"),
    ],
)
def test_groups_that_cannot_be_are_refused(given, message):
    with pytest.raises(ParameterError, match=message):
        tw.rating_groups("items", **given)
