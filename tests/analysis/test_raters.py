"""Flags of suspicious raters, and the lead without them."""

import numpy as np
import polars as pl
import pytest

from trueward.analysis import Decisions, raters


def panel():
    """Return ten attentive raters of six ratings each, and four who are not."""
    rng = np.random.default_rng(2)
    rows = []
    for person in range(10):
        for i in range(6):
            arm = "ab"[i % 2]
            rows.append((arm, rng.binomial(10, 0.8 if arm == "a" else 0.4), f"p{person}", rng.uniform(3, 6), 1))
    rows += [("ab"[i % 2], 0, "same", 4.0, 1) for i in range(6)]
    rows += [("ab"[i % 2], 6, "fast", 0.5, 1) for i in (0, 1)]
    rows += [("ab"[i % 2], [8, 4][i % 2], "failed", 4.0, i) for i in range(2)]
    rows += [(arm, rating, "copy", 5.0, 1) for arm, rating, who, *_ in rows if who == "p3"]
    rows += [("a", 9, "once", 4.0, 1)]
    arm, rating, participant, seconds, check = zip(*rows, strict=True)
    return Decisions.from_columns(
        arm=arm, rating=rating, participant=participant, seconds=seconds, check=check, scale=(0, 10)
    )


def test_raters_flags_careless_raters_for_what_they_did():
    found = raters(panel())
    flags = {rater.participant: rater.flags for rater in found.raters}
    assert {"run", "far"} <= set(flags["same"])
    assert flags["fast"] == ("fast",)
    assert flags["failed"] == ("check",)
    assert flags["copy"] == ("duplicate",)
    assert "once" not in flags
    assert {name for name, raised in flags.items() if raised} == {"same", "fast", "failed", "copy"}
    assert found.raters[0].participant == "same"


def test_lead_without_a_rater_equals_lead_of_the_remaining_decisions():
    decisions = panel()
    found = raters(decisions)
    kept = decisions.table.filter(decisions.table["participant"] != "same")
    by_person = kept.group_by("arm", "participant").agg(pl.col("rating").mean())
    means = by_person.group_by("arm").agg(pl.col("rating").mean()).sort("arm")["rating"]
    without = next(rater for rater in found.raters if rater.participant == "same")
    assert found.leader == "a"
    assert without.lead == pytest.approx(means[0] - means[1])
    assert without.lead > found.lead


def test_raters_is_empty_if_nobody_has_two_ratings():
    found = raters(Decisions.from_columns(arm=["a", "b"], rating=[1, 2], scale=(0, 5)))
    assert found.raters == ()
    assert found.table().is_empty()
