"""Intervals against epsilon and over time."""

import numpy as np
import pytest

from trueward.analysis import Decisions, against_epsilon, analyse, over_time


@pytest.fixture(scope="module")
def decisions():
    rng = np.random.default_rng(0)
    arm = rng.integers(0, 3, 240)
    rating = np.where(rng.random(240) < 0.05, np.nan, rng.binomial(10, np.array([0.9, 0.7, 0.5])[arm]))
    return Decisions.from_columns(
        arm=[("video", "text", "sound")[a] for a in arm],
        rating=rating,
        participant=[f"p{i // 4}" for i in range(240)],
        probabilities=[{"video": 1 / 3, "text": 1 / 3, "sound": 1 / 3}] * 240,
        scale=(0, 10),
    )


def test_over_time_treats_ratings_that_arrived_later_as_pending():
    arm, rating = ["a", "b"] * 6, [1.0] * 12
    told = [f"2026-05-04T12:00:{2 * i + 1:02}" for i in range(12)]
    told[0] = "2026-05-04T12:00:59"
    asked = [f"2026-05-04T12:00:{2 * i:02}" for i in range(12)]
    decisions = Decisions.from_columns(arm=arm, rating=rating, asked_at=asked, told_at=told, scale=(0, 1))
    course = over_time(decisions, moments=2).table().filter(arm="a")
    assert course["decisions"].to_list() == [6, 12]
    half = Decisions.from_columns(arm=arm[:6], rating=[None, *rating[1:6]], scale=(0, 1))
    assert course["low"][0] == analyse(half, epsilon=0.0).leaderboard["a"].low


def test_against_epsilon_leader_is_ahead_up_to_the_break_even_share():
    decisions = Decisions.from_columns(arm=["a", "b"] * 60, rating=[6, 4] * 60, scale=(0, 10))
    course = against_epsilon(decisions)
    assert course.break_even == analyse(decisions).break_even.share
    table = course.table().filter(arm="a")
    assert table["ahead"].to_list() == ["a" if share <= course.break_even else "" for share in table["epsilon"]]
    assert {*table["ahead"]} == {"a", ""}
    assert "break-even share" in course.plot().to_json()
    assert "break-even share" not in over_time(decisions, moments=2).plot().to_json()


def test_against_epsilon_intervals_widen(decisions):
    table = against_epsilon(decisions, epsilons=[0.0, 0.1, 0.3]).table().filter(arm="video")
    assert table["low"].is_sorted(descending=True)
    assert table["high"].is_sorted()
