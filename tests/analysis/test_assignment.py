"""Were arms drawn with the logged probabilities?"""

import numpy as np
import pytest

from adaptive_play import adaptive_studies
from trueward.analysis import Decisions, assignment
from trueward.analysis.assignment import BOTH_WAYS


def with_probabilities(arm, p):
    both = [{"a": 1 - each, "b": each} for each in p]
    return Decisions.from_columns(
        arm=["ab"[int(a)] for a in arm], rating=np.zeros(len(arm)), probabilities=both, scale=(0, 1)
    )


def test_assignment_raises_no_alarm_when_arms_are_drawn_as_logged():
    arm, _, p = adaptive_studies(200, 150, lambda t: (0.5, 0.6))
    found = [assignment(with_probabilities(*each)) for each in zip(arm, p, strict=True)]
    assert not any(each.alarm for each in found)
    assert np.mean([each.p_value <= 0.05 for each in found]) <= 0.05


def test_assignment_raises_an_alarm_for_wrong_probabilities_with_right_totals():
    arm, _, p = adaptive_studies(1, 600, lambda t: (0.5, 0.6))
    swapped = assignment(with_probabilities(1 - arm[0], p[0]))
    assert swapped.alarm
    assert "NOT as logged" in str(swapped)
    rng = np.random.default_rng(0)
    p = np.tile([0.2, 0.8], 300)
    found = assignment(with_probabilities(rng.random(600) < np.tile([0.8, 0.2], 300), p))  # a half, as it should be
    assert found.alarm
    assert found.shown[0] == pytest.approx(300, abs=40)


def test_assignment_p_value_is_the_inverse_of_the_highest_mean_wealth():
    arm, p = [0, 1, 1, 0], [0.3, 0.4, 0.5, 0.1]
    surprise = np.array([[(a == k) - (q if k else 1 - q) for a, q in zip(arm, p, strict=True)] for k in (0, 1)])
    turned = surprise * np.where(np.array([[1 - q for q in p], p]) < 0.5, -1, 1)
    wealth = np.mean([np.cumprod(1 + b * way, axis=1) for b in BOTH_WAYS for way in (surprise, turned)], axis=0).mean(0)
    found = assignment(with_probabilities(arm, p))
    assert found.p_value == pytest.approx(1 / max(1.0, wealth.max()))
    assert found.expected == pytest.approx((4 - sum(p), sum(p)))


def test_assignment_is_not_checked_without_probabilities():
    found = assignment(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], scale=(0, 5)))
    assert not found.alarm
    assert "not checked" in str(found)
