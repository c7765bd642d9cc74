"""Changes of an arm's ratings over time."""

import numpy as np
import pytest

from trueward.analysis import Decisions, drift


def test_drift_finds_the_change_of_one_arm_only():
    rng = np.random.default_rng(1)
    ratings = np.concatenate([rng.binomial(10, 0.4, 120), rng.binomial(10, 0.8, 80)])
    both = np.stack([ratings, rng.binomial(10, 0.5, 200)], axis=1).ravel()
    found = drift(Decisions.from_columns(arm=["a", "b"] * 200, rating=both, scale=(0, 10)))
    assert found.changed == ("a",)
    assert found.changes[0].after == pytest.approx(240, abs=12)  # every other decision is of the other arm
    assert found.changes[0].mean_before < 5 < found.changes[0].mean_after
    assert "a: CHANGED after decision" in str(found)
    assert found.table()["changed"].to_list() == [True, False]


def test_drift_finds_no_change_in_few_or_equal_ratings():
    found = drift(Decisions.from_columns(arm=["a"] * 5 + ["b"] * 40, rating=[1, 2, 3, 4, 5] + [3] * 40, scale=(1, 5)))
    assert found.changed == ()
    assert str(found) == "drift: no arm changed in time"
