"""The share of missing ratings by arm."""

import numpy as np

from trueward.analysis import Decisions, missing


def test_missing_names_arms_with_unequal_dropout_and_ignores_pending():
    rng = np.random.default_rng(0)
    arm = ["a", "b", "c"] * 200
    lost = [rng.random() < {"a": 0.05, "b": 0.4, "c": 0.1}[each] for each in arm]
    status = ["missing" if each else "rated" for each in lost]
    status[0] = "pending"
    rating = [None if word != "rated" else 1.0 for word in status]
    found = missing(Decisions.from_columns(arm=arm, rating=rating, status=status, scale=(0, 1)))
    assert found.unequal_pairs == (("b", "a"), ("b", "c"))
    assert found.closed == (199, 200, 200)
    assert found.pending == (1, 0, 0)
    assert all(low <= share <= high for low, share, high in zip(found.low, found.share, found.high, strict=True))
    assert "b loses more than a" in str(found)
    assert found.table().height == 3
