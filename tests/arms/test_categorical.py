import math

import numpy as np
import pytest

import trueward as tw
from trueward.errors import ParameterError

SKEWED = tw.CategoricalArms(values=[-2, 0, 1, 5], probabilities=[[0.4, 0, 0.6, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 1]])


def test_categorical_arms_by_hand():
    np.testing.assert_allclose(SKEWED.means, [-0.2, 2.5, 5])
    np.testing.assert_allclose(SKEWED.sds, [math.sqrt(2.16), 2.5, 0], atol=1e-15)
    np.testing.assert_allclose(SKEWED.gaps, [5.2, 2.5, 0])
    np.testing.assert_allclose(SKEWED.proxies, [1.5, 2.5, 0])  # half the width of each arm's support
    assert SKEWED.best == 2
    assert SKEWED.bounds == (-2, 5)


def test_categorical_arms_from_counts_have_relative_frequencies():
    arms = tw.CategoricalArms(values=[1, 2, 3], counts=[[1, 1, 2], [0, 0, 7]])
    assert arms.probabilities.tolist() == [[0.25, 0.25, 0.5], [0, 0, 1]]
    assert arms.means.tolist() == [2.25, 3]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({}, "give either probabilities or counts, with a row for each arm"),
        ({"counts": [[1, 1]], "probabilities": [[0.5, 0.5]]}, "either probabilities or counts"),
        ({"counts": []}, "counts must have a row for each arm, got none"),
        ({"counts": [[1, 1], [0, 0]]}, r"counts\[1\] must be 2 numbers, not all of them 0, got \[0.0, 0.0\]"),
        ({"counts": [[1, 1, 1]]}, r"counts\[0\] must be 2 numbers"),
        ({"counts": [[1, -1]]}, r"counts\[0\]\[1\] must be at least 0 and at most 1e\+300, got -1.0"),
    ],
)
def test_categorical_arms_reject_bad_counts_by_name(parameters, message):
    with pytest.raises(ParameterError, match=message):
        tw.CategoricalArms(values=[0, 1], **parameters)


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: tw.CategoricalArms(values=[1, 2], probabilities=[]), "probabilities must have a row for each arm"),
        (lambda: tw.CategoricalArms(values=[], probabilities=[[1]]), "values must be a non-empty list"),
        (lambda: tw.CategoricalArms(values=[2, 1], probabilities=[[0.5, 0.5]]), r"values must increase, got \[2, 1\]"),
        (lambda: tw.CategoricalArms(values=[1, 1], probabilities=[[0.5, 0.5]]), "values must increase"),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[0.5, 0.5], [0.5, 0.4]]),
            r"probabilities\[1\] must be 2 numbers that sum to 1, got \[0.5, 0.4\]",
        ),
        (lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[1.0]]), r"probabilities\[0\] must be 2 numbers"),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[1.5, -0.5]]),
            r"probabilities\[0\]\[0\] must be at least 0 and at most 1, got 1.5",
        ),
        (
            lambda: tw.CategoricalArms(values=[1, 2], probabilities=[[math.nan, 1]]),
            r"probabilities\[0\]\[0\] must be .*got nan",
        ),
        (
            lambda: tw.CategoricalArms(values=[1, math.inf], probabilities=[[1, 0]]),
            r"values\[1\] must be at least -1e\+300 and",
        ),
    ],
)
def test_categorical_arms_reject_bad_parameters_by_name(build, message):
    with pytest.raises(ParameterError, match=message):
        build()
