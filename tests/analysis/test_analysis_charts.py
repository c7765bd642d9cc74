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


def test_parts_of_an_interval_are_adjacent_segments(decisions):
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


def test_leaderboard_chart_renders(decisions):
    assert vl_convert.vegalite_to_svg(analyse(decisions, epsilon=0.05).plot().to_dict()).startswith("<svg")


def test_every_part_of_an_analysis_plots_its_table(decisions):
    found = analyse(decisions, epsilon=0.05, rules=["run above 1"])
    for part in ("break_even", "assignment", "missing", "drift", "exclusion"):
        of = getattr(found, part)
        chart = of.plot().to_dict()
        assert vl_convert.vegalite_to_svg(chart).startswith("<svg")
        (rows,) = chart["datasets"].values()
        assert [row[of.table().columns[0]] for row in rows] == of.table().to_series(0).to_list()


def test_twelve_arms_have_different_colours():
    arms = [f"arm {i}" for i in range(12)]
    decisions = Decisions.from_columns(arm=arms * 2, rating=[i % 5 for i in range(24)], scale=(0, 4))
    chart = over_time(decisions, moments=2).plot().to_dict()
    scale = chart["layer"][0]["encoding"]["color"]["scale"]
    assert scale["domain"] == arms
    assert len(set(scale["range"])) == 12
