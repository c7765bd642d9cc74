"""The page of an analysis, and the same as JSON and CSV."""

import json
import re

import numpy as np
import polars as pl
import pytest

import trueward as tw
from trueward.analysis import Decisions, text
from trueward.analysis.page import FIGURES, count_steps, draw_charts, render_page, write_page
from trueward.analysis.text import make_report

NAMES = ["video", "<b>text", "quiz"]


def panel(n=180, **more):
    """Return ratings of sixty people, of whom some fail a check; some are missing."""
    rng = np.random.default_rng(0)
    arm = rng.integers(0, 3, n)
    rating = np.where(rng.random(n) < 0.03, np.nan, rng.binomial(10, np.array([0.9, 0.6, 0.5])[arm]))
    return Decisions.from_columns(
        arm=[NAMES[a] for a in arm],
        rating=rating,
        participant=[f"p{i % 60}" for i in range(n)],
        check=[int(i % 60 != 7) for i in range(n)],
        scale=(0, 10),
        **more,
    )


LOGGED = {"probabilities": [dict.fromkeys(NAMES, 1 / 3)] * 180}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return what was found, the folder that it was written to, and what was told meanwhile."""
    folder = tmp_path_factory.mktemp("page")
    steps = []
    report = make_report(panel(**LOGGED), epsilon=0.02, rules=["check failed"], on_step=steps.append)
    write_page(folder, report, name="explanations", command="trueward analyse ratings.csv", on_step=steps.append)
    return report, folder, steps


def test_page_contains_verdict_and_assumption_and_escapes_names(written):
    report, folder, _ = written
    page = (folder / "analysis.html").read_text(encoding="utf-8")
    text = page.replace("&#39;", "'")
    assert report.analysis.verdict in text
    assert report.analysis.leaderboard.assumption in text
    assert f"{100 * report.analysis.break_even.share:.1f} %" in text
    assert "Rules exclude 1 of 60 participants (check failed: 1)" in text
    assert report.analysis.without_rules.verdict in text
    assert "&lt;b&gt;text" in page
    assert "<b>text" not in page


def test_page_needs_no_network(written):
    page = (written[1] / "analysis.html").read_text(encoding="utf-8")
    assert not re.search(r"(src|href)=[\"']?(https?:)?//", page)
    assert "default-src 'none'" in page


def test_write_page_writes_json_and_csv_files(written):
    report, folder, _ = written
    read = json.loads((folder / "analysis.json").read_text(encoding="utf-8"))
    assert read["verdict"] == report.analysis.verdict
    assert read["break_even"]["share"] == pytest.approx(report.analysis.break_even.share, rel=1e-5)
    assert read["assumed"] == {"epsilon": 0.02, "bad": "careless", "level": 0.95, "scale": [0.0, 10.0]}
    for name, table in report.tables().items():
        assert len(read["tables"][name]) == table.height
        assert pl.read_csv(folder / f"{name}.csv").columns == table.columns
    assert {"leaderboard", "against-epsilon", "over-time", "differences", "raters", "rules"} <= set(read["tables"])
    assert read["tables"]["raters"][0]["seconds"] is None  # not known: JSON has no NaN


def test_write_page_writes_every_figure_as_png_and_pdf(written):
    for name in FIGURES:
        assert (written[1] / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert (written[1] / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF")


def test_on_step_is_called_count_steps_times(written):
    assert len(written[2]) == count_steps()


def test_page_says_why_there_are_no_differences_and_no_raters():
    report = make_report(Decisions.from_columns(arm=["a", "b"] * 9, rating=[4, 2] * 9))
    figures = {figure.name: figure for figure in draw_charts(report)}
    page = render_page(report, figures, name="x", command="", files=[])
    assert "Differences are not estimated: the probabilities with which arms were shown are not known." in page
    assert 'id="raters"' not in page
    assert "taken from the ratings: declare it" in page
    assert "differences" not in report.tables()


def test_text_tables_contain_the_numbers_of_the_analysis(written):
    found = written[0].analysis
    board = text.leaderboard_table(found)
    assert board.rows[0][0] == "video"
    assert board.rows[0][4] == f"{found.leaderboard['video'].low:.2f} to {found.leaderboard['video'].high:.2f}"
    assert [check.passed for check in text.check_results(found)] == [
        True,
        True,
        True,
        not found.raters.flagged,
        True,
        True,
    ]
    drawn_otherwise = tw.analysis.analyse(
        Decisions.from_columns(
            arm=["a"] * 60 + ["b"], rating=[1] * 61, probabilities=[{"a": 0.1, "b": 0.9}] * 61, scale=(0, 1)
        )
    )
    assert text.check_results(drawn_otherwise)[0].passed is False
    assert text.ahead_table(written[0].by_epsilon).rows[0] == ("0 %", "video")
