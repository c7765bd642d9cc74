"""Charts of an analysis: what they show, and that they can be drawn."""

import itertools

import numpy as np
import pytest
import vl_convert

from trueward.analysis import Decisions, against_epsilon, analyse, over_time
from trueward.analysis.analysis_charts import PARTS, data_parts


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


def test_the_parts_of_an_interval_lie_side_by_side_from_end_to_end(decisions):
    board = analyse(decisions, epsilon=0.05).leaderboard
    parts = data_parts(board.table())
    assert set(parts["part"]) == set(PARTS)
    for arm in board.arms:
        segments = sorted(parts.filter(arm=arm).select("from", "to").rows())
        assert segments[0][0] == board[arm].low
        assert segments[-1][1] == board[arm].high
        assert all(a[1] == b[0] for a, b in itertools.pairwise(segments))


def test_every_chart_names_its_units(decisions):
    found = analyse(decisions, epsilon=0.05)
    charts = [found.plot(), found.differences.plot(), found.raters.plot(), against_epsilon(decisions).plot()]
    charts.append(over_time(decisions, epsilon=0.05, moments=4).plot())
    for chart in charts:
        assert "units of rating" in chart.to_json()


def test_a_chart_can_be_drawn(decisions):
    assert vl_convert.vegalite_to_svg(analyse(decisions, epsilon=0.05).plot().to_dict()).startswith("<svg")


def test_every_part_of_an_analysis_can_be_drawn_from_its_table(decisions):
    found = analyse(decisions, epsilon=0.05, rules=["run above 1"])
    for part in ("break_even", "assignment", "missing", "drift", "exclusion"):
        of = getattr(found, part)
        chart = of.plot().to_dict()
        assert vl_convert.vegalite_to_svg(chart).startswith("<svg")
        (rows,) = chart["datasets"].values()
        assert [row[of.table().columns[0]] for row in rows] == of.table().to_series(0).to_list()


def test_over_time_ratings_that_came_later_were_still_pending():
    arm, rating = ["a", "b"] * 6, [1.0] * 12
    told = [f"2026-05-04T12:00:{2 * i + 1:02}" for i in range(12)]
    told[0] = "2026-05-04T12:00:59"
    asked = [f"2026-05-04T12:00:{2 * i:02}" for i in range(12)]
    decisions = Decisions.from_columns(arm=arm, rating=rating, asked_at=asked, told_at=told, scale=(0, 1))
    course = over_time(decisions, moments=2).table().filter(arm="a")
    assert course["decisions"].to_list() == [6, 12]
    half = Decisions.from_columns(arm=arm[:6], rating=[None, *rating[1:6]], scale=(0, 1))
    assert course["low"][0] == analyse(half, epsilon=0.0).leaderboard["a"].low


def test_against_epsilon_the_winner_is_ahead_up_to_the_break_even_share():
    decisions = Decisions.from_columns(arm=["a", "b"] * 60, rating=[6, 4] * 60, scale=(0, 10))
    course = against_epsilon(decisions)
    assert course.break_even == analyse(decisions).break_even.share
    table = course.table().filter(arm="a")
    assert table["ahead"].to_list() == ["a" if share <= course.break_even else "" for share in table["epsilon"]]
    assert {*table["ahead"]} == {"a", ""}
    assert "break-even share" in course.plot().to_json()
    assert "break-even share" not in over_time(decisions, moments=2).plot().to_json()


def test_many_arms_have_colours_of_their_own():
    arms = [f"arm {i}" for i in range(12)]
    decisions = Decisions.from_columns(arm=arms * 2, rating=[i % 5 for i in range(24)], scale=(0, 4))
    chart = over_time(decisions, moments=2).plot().to_dict()
    scale = chart["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == arms
    assert len(set(scale["range"])) == 12


def test_against_epsilon_the_intervals_widen(decisions):
    table = against_epsilon(decisions, epsilons=[0.0, 0.1, 0.3]).table().filter(arm="video")
    assert table["low"].is_sorted(descending=True)
    assert table["high"].is_sorted()
