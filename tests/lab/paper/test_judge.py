import pytest

from trueward.lab.paper.claims.claim import Comparison, above, below
from trueward.lab.paper.judge import outcome, weakest


@pytest.mark.parametrize(
    ("interval", "expected"),
    [
        ((1, 2), "holds"),
        ((-2, -1), "does not hold"),
        ((-1, 1), "undecided"),
        ((0, 1), "undecided"),
        ((-1, 0), "undecided"),
    ],
)
def test_interval_that_contains_the_limit_is_undecided(interval, expected):
    low, high = interval
    assert outcome((low, low, high), above(0)) == expected
    assert outcome((-low, -high, -low), below(0)) == expected


def test_comparison_that_does_not_hold_decides_before_an_undecided_one():
    comparisons = [
        Comparison("wide", (1.0, -7.0, 9.0)),
        Comparison("fails", (2.0, 1.0, 3.0)),
        Comparison("holds", (-1.0, -2.0, -0.5)),
    ]
    assert weakest(comparisons, below(0)).label == "fails"
