import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

ARMS = tw.CategoricalArms(values=[1, 2, 3], counts=[[0, 0, 1], [1, 0, 0]])


def test_careless_ratings_have_the_share_and_the_distribution_of_the_counts():
    people = tw.CarelessRatings(0.25, counts=[[1, 3, 0], [0, 1, 1]])
    trace = tw.play(tw.Uniform(), ARMS, people, horizon=4000, keep_history=True, compiled=False)
    for arm, expected in enumerate(([0.25 * 0.25, 0.25 * 0.75, 0.75], [0.75, 0.125, 0.125])):
        observed = trace.observed[0][trace.arms[0] == arm]
        shares = [(observed == value).mean() for value in (1, 2, 3)]
        assert shares == pytest.approx(expected, abs=4 * 0.5 / np.sqrt(observed.size))  # four standard errors


def test_nobody_is_careless_with_a_share_of_zero():
    trace = tw.play(tw.Uniform(), ARMS, tw.CarelessRatings(0.0, counts=[[1, 1, 1]] * 2), horizon=100, compiled=False)
    assert trace.touched.sum() == 0


def test_rating_that_nobody_gave_is_never_shown():
    people = tw.CarelessRatings(1.0, counts=[[0, 5, 0], [2, 0, 2]])
    trace = tw.play(tw.Uniform(), ARMS, people, horizon=200, keep_history=True, compiled=False)
    assert {(arm, r) for arm, r in zip(trace.arms[0], trace.observed[0], strict=True)} == {(0, 2), (1, 1), (1, 3)}


@pytest.mark.parametrize(
    ("epsilon", "counts", "message"),
    [
        (1.5, [[1, 1, 1]], "epsilon must be"),
        (0.1, [], "counts must have a row for each arm, got none"),
        (0.1, [[0, 0, 0]], r"counts\[0\] must not be all 0"),
        (0.1, [[1, -1, 0]], r"counts\[0\]\[1\] must be at least 0"),
    ],
)
def test_careless_ratings_reject_impossible_counts(epsilon, counts, message):
    with pytest.raises(ParameterError, match=message):
        tw.CarelessRatings(epsilon, counts=counts)


@pytest.mark.parametrize("counts", [[[1, 1, 1]], [[1, 1], [1, 1]], [[1, 1, 1], [1, 1]]])
def test_counts_must_fit_the_arms(counts):
    with pytest.raises(ParameterError, match="a row for each of the 2 arms and a column for each rating"):
        tw.CarelessRatings(0.1, counts=counts).start(ARMS, 10)


def test_arms_without_a_scale_are_rejected():
    with pytest.raises(ParameterError, match="no scale"):
        tw.CarelessRatings(0.1, counts=[[1, 1], [1, 1]]).start(tw.GaussianArms(means=[0, 1], sd=1), 10)
