"""What pages show, against what the study itself says."""

import math

import polars as pl
import pytest

from trueward.analysis.analyse import analyse
from trueward.serve.dashboard.charts.break_even import data_break_even
from trueward.serve.dashboard.charts.over_time import data_allocation
from trueward.serve.dashboard.charts.parts import data_marks
from trueward.serve.dashboard.charts.timeline import data_timeline
from trueward.serve.dashboard.views import what_if
from trueward.serve.dashboard.views.bursts import bursts_of
from trueward.serve.dashboard.views.log import PAGE, Filter, history_of, log_of
from trueward.serve.dashboard.views.look import look_at
from trueward.serve.dashboard.views.overview import board_of, verdict_of
from trueward.serve.dashboard.views.raters import preview_page, raters_of
from trueward.study.database import connected


def test_the_leaderboard_counts_what_the_study_counts(study, look):
    board = board_of(look, analyse(look, epsilon=0.05))
    counted = {each.arm: (each.shown, each.rated, each.pending, each.missing, each.void) for each in study.summary()}
    assert {row.arm: (row.shown, row.rated, row.pending, row.missing, row.void) for row in board.rows} == counted
    assert [row.arm for row in board.rows if row.leads] == ["video"]
    assert [row.mean for row in board.rows] == sorted((row.mean for row in board.rows), reverse=True)


def test_an_interval_is_drawn_in_three_parts_each_within_the_next(look):
    analysis = analyse(look, epsilon=0.05)
    for row in board_of(look, analysis).rows:
        interval = analysis.leaderboard[row.arm]
        ends = {each.part: (each.start, each.start + each.width) for each in row.segments}
        for part, pair in (("sampling", interval.sampling), ("contamination", interval.contaminated)):
            assert ends[part] == pytest.approx([25.0 * (end - 1.0) for end in pair], abs=0.02)  # a scale from 1 to 5
        assert ends["missing"][0] <= ends["contamination"][0] <= ends["sampling"][0] <= row.tick + 0.4
        assert row.tick + 0.4 <= ends["sampling"][1] <= ends["contamination"][1] <= ends["missing"][1]


def test_the_verdict_is_the_sentence_of_the_analysis(look):
    analysis = analyse(look, epsilon=0.05)
    verdict = verdict_of(analysis, "")
    assert (verdict.sentence, verdict.share) == (analysis.verdict, analysis.break_even.share)
    assert verdict_of(None, "No ratings yet.").tone == "early"


def test_the_bot_stands_first_among_the_raters_and_nothing_says_which_arm_gains(study, look, bot):
    analysis = analyse(look)
    page = raters_of(look, analysis)
    first = page.rows[0]
    assert (first.pseudonym, first.ratings, first.longest_run) == (bot, 8, 8)
    assert {"run", "far", "fast"} <= set(first.flags)
    without = analyse(analysis.decisions.without_participant(bot)).raters.lead
    assert first.change == pytest.approx(without - page.lead)
    blind = preview_page(look, study.preview_void(pseudonym=bot), blind=True)
    assert (blind.decisions, blind.ratings, blind.changes, blind.best) == (8, 8, (), ("", ""))
    shown = preview_page(look, study.preview_void(pseudonym=bot), blind=False)
    moved = [abs(each.after - each.before) for each in shown.changes]
    assert blind.largest == shown.largest == pytest.approx(max(moved))
    tables = look.table, look.table.filter(pl.col("participant") != bot)
    plain, left = (dict(each.group_by("arm").agg(pl.col("reward").mean()).iter_rows()) for each in tables)
    assert blind.mean_moves == pytest.approx(max(abs(left[arm] - plain[arm]) for arm in plain))
    assert blind.even is None
    assert shown.even == (
        analysis.break_even.share,
        analyse(analysis.decisions.without_participant(bot)).break_even.share,
    )


def test_a_rater_who_is_out_is_shown_with_the_reason(study, url, bot):
    study.void(pseudonym=bot, reason="answers within a second")
    with connected(url) as database:
        look = look_at(study, database)
    page = raters_of(look, analyse(look))
    assert [(row.pseudonym, row.reason, row.ratings) for row in page.out] == [(bot, "answers within a second", 8)]
    assert bot not in {row.pseudonym for row in page.rows}


def test_ratings_that_are_left_out_are_those_that_the_policy_names(study, look):
    bursts = bursts_of(look)
    told = {each.ticket for arm in study.explain().arms for each in arm.trimmed}
    assert {number for group in bursts.groups for number in group.numbers} == told
    rows = data_timeline(bursts)
    assert {row["number"] for row in rows if row["what"] == "left out"} == told
    assert len(rows) == look.table["reward"].count()


def test_of_very_many_ratings_only_those_that_count_are_thinned(look, monkeypatch):
    bursts = bursts_of(look)
    monkeypatch.setattr("trueward.serve.dashboard.charts.timeline.MOST", 50)
    rows = data_timeline(bursts)
    aside = [point.number for point in bursts.points if point.what != "counts"]
    assert [row["number"] for row in rows if row["what"] != "counts"] == aside
    assert 0 < len(rows) - len(aside) <= 50


def test_the_log_is_filtered_and_paged_without_a_gap(look, bot):
    mine = log_of(look, Filter(participant=bot[:8]))
    assert {entry.participant for entry in mine.entries} == {bot}
    assert (mine.matching, mine.next_before) == (8, None)
    seen, before = [], None
    while True:
        page = log_of(look, Filter(before=before))
        seen += [entry.number for entry in page.entries]
        before = page.next_before
        if before is None:
            break
        assert len(page.entries) == PAGE
    assert seen == list(range(look.table.height, 0, -1))


def test_the_history_offers_to_undo_what_is_not_undone(study, url):
    study.void(number=[1, 2], reason="tested by us")
    study.restore(number=[1], reason="no, it was not")
    study.void(number=3, reason="me again")
    study.restore(number=3, reason="sorry")
    with connected(url) as database:
        lines = history_of(look_at(study, database))
    assert [(line.what, line.undo) for line in lines] == [
        ("1 decision brought back", False),
        ("1 decision taken out", False),
        ("1 decision brought back", False),
        ("2 decisions taken out", True),
        ("Study created", False),
    ]


def test_lines_stand_after_the_decisions_that_were_made(study, url):
    n = study.decisions().height
    study.void(number=1, reason="one")
    study.ask(participant="late")
    study.pause(reason="holiday")
    with connected(url) as database:
        marks = data_marks(look_at(study, database))
    assert [(mark["decisions"], mark["what"]) for mark in marks] == [(n, "taken out"), (n + 1, "paused")]
    assert marks[1]["words"] == "Study paused: holiday"


def test_the_allocation_shares_out_every_decision(look):
    rows = pl.DataFrame(data_allocation(look))
    totals = rows.group_by("decisions").agg(pl.col("share").sum())
    assert totals["share"].to_list() == pytest.approx([1.0] * totals.height, abs=0.001)
    assert rows["decisions"].max() == look.table.height


def test_the_winner_is_certain_below_the_break_even_share_and_not_above(look):
    analysis = analyse(look)
    even = analysis.break_even
    assert 0.01 < even.share < 0.3
    for row in what_if.winners(analysis.decisions):
        assert row.decided is (row.epsilon <= even.share)
    rows = data_break_even(what_if.course_of(analysis.decisions), even.leader)
    for row in rows:  # what is drawn crosses where the share says
        others = [each["end"] for each in rows if each["epsilon"] == row["epsilon"] and each["arm"] != even.leader]
        if row["arm"] == even.leader:
            assert (row["end"] > max(others)) is (row["epsilon"] <= even.share)


def test_shadow_policies_learn_the_same_ratings(study, look):
    found = {shadow.name: shadow for shadow in what_if.shadows(study, look, (1.0, 5.0))}
    plain = {arm.arm: arm.mean for arm in study.explain().arms}
    assert found["UCB"].estimates == pytest.approx(plain)
    assert found["CrUCB"].estimates == pytest.approx(study.estimates())
    assert all(math.isclose(sum(each.probabilities.values()), 1.0) for each in found.values())
