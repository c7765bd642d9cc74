"""Decisions from lists, a bandit, a study and a file, and errors that name row and column."""

import time

import numpy as np
import pandas as pd
import polars as pl
import pytest

import trueward as tw
from trueward.analysis import Decisions, text
from trueward.analysis.decisions import arm_samples
from trueward.errors import DataError, TruewardError


def written(folder, text):
    file = folder / "ratings.csv"
    file.write_text(text)
    return file


def test_read_csv_returns_decisions_in_the_order_of_asking(tmp_path):
    text = (
        "arm,rating,participant,time,seconds,check,probability\n"
        "video,7,p2,2026-05-04T12:30:00,3.5,1,0.25\n"
        "text,,p1,2026-05-03T09:00:00,,,0.75\n"
        "video,9,p1,2026-05-05T10:00:00,2,failed,0.25\n"
    )
    decisions = Decisions.read_csv(written(tmp_path, text), scale=(0, 10))
    assert decisions.arms == ("video", "text")
    assert decisions.table["participant"].to_list() == ["p1", "p2", "p1"]
    assert decisions.table["status"].to_list() == ["missing", "rated", "rated"]
    assert decisions.table["check"].to_list() == [None, 1.0, 0.0]
    np.testing.assert_allclose(decisions.probabilities, [[0.25, 0.75]] * 3)


GOOD = "arm,rating\nvideo,7\ntext,4\n"
BAD = {
    "rating,participant\n7,p1\n": "ratings.csv, row 1, column 'arm': missing; there are 'rating', 'participant'",
    "arm,score\nvideo,7\n": "ratings.csv, row 1, column 'rating': missing; there are 'arm', 'score'",
    GOOD + "text,good\n": "ratings.csv, row 4, column 'rating': must be a number, got 'good'",
    GOOD + "text,11\n": "ratings.csv, row 4, column 'rating': must be on the scale from 0 to 10, got 11",
    GOOD + ",5\n": "ratings.csv, row 4, column 'arm': must not be empty",
    "": "ratings.csv, row 1: the file is empty; it needs the columns 'arm' and 'rating'",
    "arm,rating\n": "ratings.csv, row 1, column 'arm': there are no rows",
    "arm,rating\nvideo,7\nvideo,8\n": (
        "ratings.csv, row 3, column 'arm': is the last, and only 'video' was named: there must be two arms"
    ),
    GOOD + "\ntext,high\n": "ratings.csv, row 5, column 'rating': must be a number, got 'high'",
    "arm;rating\nvideo;7\ntext;4,5\n": (
        "ratings.csv, row 3, column 'rating': must be a number with a decimal point, got '4,5'"
    ),
    "arm,rating\nvideo,7,8,9\n": "ratings.csv, row 2, column 3: the head has 2 columns, this row 4",
    "arm,rating\nvideo\n": "ratings.csv, row 2, column 'rating': the head has 2 columns, this row 1",
    "arm,rating,arm\nvideo,7,a\n": "ratings.csv, row 1, column 'arm': there are two of that name",
    GOOD + '"text,4\n': "ratings.csv, row 4: unexpected end of data",
    "arm,rating,number\nvideo,7,1\ntext,4,1\n": (
        "ratings.csv, row 3, column 'number': must differ from row to row, got 1 again"
    ),
    'arm,rating,evidence\nvideo,7,"{""seconds"": ""fast""}"\ntext,4,\n': (
        "ratings.csv, row 2, column 'evidence': seconds must be a number, got 'fast'"
    ),
    "arm,rating,seconds\nvideo,7,fast\ntext,4,2\n": (
        "ratings.csv, row 2, column 'seconds': must be a number, got 'fast'"
    ),
    "arm,rating,evidence\nvideo,7,fast\ntext,4,\n": (
        "ratings.csv, row 2, column 'evidence': must be an object such as {\"check\": true}, got 'fast'"
    ),
    "arm,rating,probability\nvideo,7,0.5\ntext,4,1.5\n": (
        "ratings.csv, row 3, column 'probability': must be a probability above 0 and at most 1, got '1.5'"
    ),
    "arm,rating,check\nvideo,7,perhaps\ntext,4,1\n": (
        "ratings.csv, row 2, column 'check': must be 1 or 0, true or false, passed or failed, got 'perhaps'"
    ),
    "arm,rating,time\nvideo,7,yesterday\ntext,4,1\n": (
        "ratings.csv, row 2, column 'time': must be a time such as 2026-05-04T12:30:00, or a number, got 'yesterday'"
    ),
    "arm,rating,status\nvideo,7,rated\ntext,,rated\n": (
        "ratings.csv, row 3, column 'status': is 'rated', but the rating is empty"
    ),
    'arm,rating,probabilities\nvideo,7,"{""video"": 0.9}"\ntext,4,\n': (
        "ratings.csv, row 2, column 'probabilities': must be probabilities that sum to 1, such as "
        '{"video": 0.4, "text": 0.6}, got \'{"video": 0.9}\''
    ),
}


@pytest.mark.parametrize(("text", "message"), BAD.items(), ids=range(len(BAD)))
def test_read_csv_error_names_row_and_column_in_one_line(tmp_path, text, message):
    with pytest.raises(DataError) as refused:
        Decisions.read_csv(written(tmp_path, text), scale=(0, 10))
    assert str(refused.value) == message


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan"])
def test_read_csv_treats_na_and_nan_as_missing(tmp_path, word):
    file = written(tmp_path, f"arm,rating,seconds\nvideo,7,{word}\nNA,{word},2\n")
    decisions = Decisions.read_csv(file, scale=(0, 10))
    assert decisions.arms == ("video", "NA")  # a name is a name
    assert decisions.table["status"].to_list() == ["rated", "missing"]
    assert decisions.table["seconds"].to_list() == [None, 2.0]


def test_read_csv_raises_for_an_absent_file_and_for_other_encodings(tmp_path):
    with pytest.raises(DataError, match=r"^ratings\.csv: No such file or directory$"):
        Decisions.read_csv(tmp_path / "ratings.csv")
    (tmp_path / "ratings.csv").write_bytes("arm,rating\nvidé,7\n".encode("latin-1"))
    with pytest.raises(DataError, match=r"^ratings\.csv: must be a table as CSV, in UTF-8; it has bytes that are not$"):
        Decisions.read_csv(tmp_path / "ratings.csv")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_read_csv_accepts_files_of_spreadsheets(tmp_path, separator):
    text = "\ufeffarm,rating, participant\r\n\r\nvideo, 7,p1\r\ntext,4,p2\r\n\r\n".replace(",", separator)
    decisions = Decisions.read_csv(written(tmp_path, text), scale=(0, 10))
    assert decisions.arms == ("video", "text")
    assert decisions.table["rating"].to_list() == [7.0, 4.0]
    assert decisions.table["participant"].to_list() == ["p1", "p2"]


def test_analyse_with_scale_requires_that_it_contains_every_rating():
    decisions = Decisions.from_columns(arm=["a", "b"], rating=[4, 7])
    found = tw.analysis.analyse(decisions, scale=(0, 10))
    assert found.decisions.scale == (0.0, 10.0)
    assert found.leaderboard.scale == (0.0, 10.0)
    with pytest.raises(tw.ParameterError, match="scale 0 to 5 does not contain the rating 7"):
        tw.analysis.analyse(decisions, scale=(0, 5))


def test_void_rating_may_be_outside_the_scale():
    decisions = Decisions.from_columns(
        arm=["a", "b", "b"], rating=[4, 2, 99], status=["rated", "rated", "void"], scale=(0, 5)
    )
    assert decisions.n == 2


@pytest.mark.parametrize("level", [0.0, 1.0])
def test_level_must_be_above_zero_and_below_one(level):
    with pytest.raises(tw.ParameterError, match=r"level must be above 0 and below 1, got [01]"):
        tw.analysis.analyse(Decisions.from_columns(arm=["a", "b"], rating=[4, 7]), level=level)


def test_check_is_failed_if_evidence_has_a_share_below_one():
    decisions = Decisions.from_columns(
        arm=["a", "b"], rating=[4, 7], evidence=[{"check": 0.5, "seconds": 2}, {"check": True}]
    )
    assert decisions.table["check"].to_list() == [0.0, 1.0]


def test_times_without_time_zone_are_utc(tmp_path, monkeypatch):
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    text = "arm,rating,time\nvideo,7,2026-05-04T12:00:00Z\ntext,4,2026-05-04T11:00:00\n"
    assert Decisions.read_csv(written(tmp_path, text)).table["arm"].to_list() == [1, 0]
    monkeypatch.undo()
    time.tzset()


def test_undeclared_scale_is_the_range_of_the_ratings_with_a_note(tmp_path):
    decisions = Decisions.read_csv(written(tmp_path, GOOD))
    assert decisions.scale == (4.0, 7.0)
    assert not decisions.scale_declared
    assert any("taken from the ratings" in note for note in tw.analysis.analyse(decisions).notes)
    with pytest.raises(DataError, match="there are no two different ratings"):
        Decisions.from_columns(arm=["a", "b"], rating=[3, 3])


def test_from_columns_raises_for_lists_of_unequal_length():
    with pytest.raises(tw.ParameterError, match=r"columns must have the same length, got {'arm': 2, 'rating': 1}"):
        Decisions.from_columns(arm=["a", "b"], rating=[3])


def test_arm_samples_have_one_mean_per_participant_and_worst_case_missing_ratings():
    decisions = Decisions.from_columns(
        arm=["a", "a", "a", "b", "a", "b"],
        rating=[4, 2, None, 3, 4, None],
        participant=["p", "p", "p", "p", None, None],
        status=["rated", "rated", "missing", "rated", "rated", "pending"],
        scale=(0, 4),
    )
    of_a, of_b = arm_samples(decisions)
    np.testing.assert_allclose(of_a.observed, [0.75, 1.0])
    np.testing.assert_allclose(of_a.low, [0.5, 1.0])
    np.testing.assert_allclose(of_a.high, [2.5 / 3, 1.0])
    np.testing.assert_allclose(of_b.low, [0.75, 0.0])
    np.testing.assert_allclose(of_b.high, [0.75, 1.0])
    assert (of_a.ratings, of_b.ratings) == (3, 1)


def test_void_decisions_are_not_included():
    decisions = Decisions.from_columns(
        arm=["a", "b", "a"], rating=[4, 2, 0], status=["rated", "rated", "void"], scale=(0, 4)
    )
    assert decisions.n == 2
    assert arm_samples(decisions)[0].low.tolist() == [1.0]
    assert decisions.without_participant("nobody").n == 2


def test_decisions_of_a_bandit_contain_told_after_and_available_arms():
    bandit = tw.Bandit(tw.EpsilonGreedy(epsilon=0.5), arms=["a", "b", "c"])
    first, second = bandit.ask(ticket=True), bandit.ask(among=["a", "b"], ticket=True)
    bandit.tell(second, 3.0, evidence={"check": False, "seconds": 2.0})
    third = bandit.ask(ticket=True)
    bandit.tell(first, 1.0)
    bandit.void([third])
    decisions = Decisions.from_source(bandit, scale=(0, 5)).with_participants(["x", "y", "x"])
    assert decisions.table["told_after"].to_list() == [3, 2, None]
    assert decisions.table["status"].to_list() == ["rated", "rated", "void"]
    assert decisions.available.tolist() == [[True] * 3, [True, True, False], [True] * 3]
    assert decisions.table["check"].to_list() == [None, 0.0, None]
    np.testing.assert_allclose(decisions.probabilities.sum(1), 1.0)


def test_scale_of_a_bandit_is_the_range_that_its_policy_declares():
    bandit = tw.Bandit(tw.BetaThompson((1, 5)), arms=["a", "b"])
    bandit.tell(bandit.ask(), 3.0)
    assert Decisions.from_source(bandit).scale == (1.0, 5.0)


def test_imported_decisions_of_a_study_have_no_probability(tmp_path):
    with tw.Study.create(
        f"sqlite:///{tmp_path}/s.db", "s", arms=["a", "b"], policy=tw.BetaThompson((1, 5)), uniform_share=0.2
    ) as study:
        study.import_ratings([{"arm": "a", "reward": 4, "participant": "pilot"}])
        for i in range(6):
            shown = study.ask(participant=f"p{i}", among=["a"] if i == 5 else None)
            if i != 2:
                study.tell(shown, 1 + i % 5, evidence={"seconds": 3.0})
        decisions = Decisions.from_source(study)
        exported = Decisions.read_csv(study.export(tmp_path / "out")[1], scale=(1, 5))
    assert decisions.scale == (1.0, 5.0)
    assert decisions.table["status"].to_list() == ["rated", "rated", "rated", "pending", "rated", "rated", "rated"]
    assert np.isnan(decisions.probabilities[0]).all()
    np.testing.assert_array_equal(exported.probabilities, decisions.probabilities)
    assert decisions.available.all(1).tolist() == [True] * 6 + [False]
    assert decisions.table["seconds"].to_list()[1] == 3.0
    columns = ["arm", "rating", "status", "participant", "seconds", "told_after"]
    assert exported.table.select(columns).equals(decisions.table.select(columns))


@pytest.mark.parametrize("nothing", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, ""], ids=repr)
def test_from_columns_accepts_every_kind_of_missing_rating(nothing):
    decisions = Decisions.from_columns(arm=["video", "text", "video"], rating=[7, 3, nothing], scale=(0, 10))
    assert decisions.table["status"].to_list() == ["rated", "rated", "missing"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"participants": ["a", "b"]}, "there is no column 'participants'; did you mean 'participant'?"),
        ({"colour": ["a", "b"]}, "there is no column 'colour'; available: participant, probability"),
        ({"participant": 5}, "participant must be a list with an entry for each decision, got 5"),
        ({"rating": [1e301, 0]}, "row 0, column 'rating': must be a number, got 1e+301"),
        ({"rating": [10**400, 0]}, f"row 0, column 'rating': must be a number, got 1{'0' * 59}…"),
        ({"rating": [5e-324, 0]}, "there are no two different ratings: declare the scale"),
        ({"scale": (0, 5e-324), "rating": [0, 0]}, "scale must be at least 1e-300 wide, got (0.0, 5e-324)"),
    ],
)
def test_from_columns_error_is_one_line(columns, message):
    with pytest.raises(TruewardError) as refused:
        Decisions.from_columns(**{"arm": ["video", "text"], "rating": [7, 3], **columns})
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_first_decisions_include_only_the_first_of_each_participant():
    decisions = Decisions.from_columns(
        arm=["a", "b", "a", "b", "a"],
        rating=[1, 2, 3, None, 5],
        participant=["p", "q", "p", "r", None],
        number=[3, 1, 2, 4, 5],
        scale=(0, 5),
    )
    firsts = decisions.first_decisions()
    assert firsts.table["status"].to_list() == ["rated", "rated", "void", "missing", "rated"]  # p was asked first as 2
    assert decisions.has_repeated_participants
    assert not firsts.has_repeated_participants
    found = tw.analysis.analyse(decisions, first=True)
    assert found.leaderboard["a"].ratings == 2
    assert "participants: only the first decision of each is included" in found.notes


def several(**columns):
    """Return decisions in which p and q rate three times each, one after the other."""
    people = {"participant": list("ppqqpq"), "arm": list("abbaab"), "rating": [1, 4, 2, 3, 1, 5], "scale": (0, 5)}
    return Decisions.from_columns(**{**people, **columns})


HOURS = [f"2026-01-01T{hour:02}:00:00" for hour in range(12)]
CHANGING = [{"a": p, "b": 1 - p} for p in (0.5, 0.4, 0.3, 0.3, 0.4, 0.5)]


@pytest.mark.parametrize(
    ("columns", "led"),
    [
        ({}, 4),  # told at once, as far as is known: all but the first of each
        ({"participant": ["p", None, "q", None, None, None]}, 0),
        ({"arm": list("aabbab")}, 0),  # each keeps the arm
        ({"probabilities": [{"a": 0.3, "b": 0.7}] * 6}, 0),  # drawn with fixed shares
        ({"probability": [0.3, 0.7, 0.7, 0.3, 0.3, 0.7]}, 0),
        ({"probability": [1.0] * 6}, 4),  # as a policy that draws nothing has it
        ({"probabilities": [None] * 6}, 4),
        ({"probabilities": CHANGING}, 4),
        ({"time": HOURS[:6], "told_at": HOURS[6:]}, 0),  # everybody was asked before anybody rated
        (
            {"time": HOURS[:6], "told_at": ["2026-01-01T03:30:00", *HOURS[7:]]},
            1,
        ),  # p had rated before the fifth was asked for
        ({"rating": [None, 4, 2, 3, 1, 5], "status": ["pending", *["rated"] * 5]}, 3),
        ({"status": ["void", *["rated"] * 5]}, 4),  # what is void now was seen then
    ],
)
def test_after_own_ratings_counts_decisions_after_a_rating_of_the_same_participant(columns, led):
    assert several(**columns).after_own_ratings == led


def test_note_about_own_ratings_contains_the_verdict_of_first_decisions():
    found = tw.analysis.analyse(several())
    warned = next(note for note in found.notes if note.startswith("participants: "))
    assert "4 of 6 decisions were made AFTER OWN RATINGS" in warned
    assert tw.analysis.analyse(several(), first=True).verdict in warned
    assert found.of_first_decisions.leaderboard["a"].ratings == 1
    (check,) = [each for each in text.check_results(found) if each.name == "Participants"]
    assert check.passed is False
    kept = tw.analysis.analyse(several(arm=list("aabbab")))
    assert "participants: some have several decisions, none of which own ratings can have led to" in kept.notes
    assert [each.passed for each in text.check_results(kept) if each.name == "Participants"] == [True]


@pytest.mark.parametrize(("one_arm", "led"), [(False, 8), (True, 0)])
def test_after_own_ratings_is_zero_in_a_study_with_one_arm_per_participant(tmp_path, one_arm, led):
    url = f"sqlite:///{tmp_path}/ratings.db"
    with tw.Study.create(url, "explanations", ["video", "text"], policy=tw.UCB(sigma=1.0), one_arm=one_arm) as study:
        for person in range(4):
            for occasion in range(3):
                shown = study.ask(participant=f"p{person}", occasion=str(occasion))
                study.tell(shown, 1 + (person + occasion) % 5)
        found = tw.analysis.analyse(study, scale=(1, 5))
    assert found.decisions.after_own_ratings == led
    assert (found.of_first_decisions is None) == one_arm


def test_with_participants_raises_unless_every_decision_has_one():
    bandit = tw.Bandit(tw.BetaThompson((0, 10)), arms=["a", "b"])
    bandit.tell(bandit.ask(), 3.0)
    bandit.ask()
    assert Decisions.from_source(bandit).with_participants(["p", ""]).table["participant"].to_list() == ["p", None]
    with pytest.raises(tw.ParameterError, match="participants must have length 2, one per decision, got 1"):
        Decisions.from_source(bandit).with_participants(["p"])


def test_from_source_reads_any_object_with_decisions():
    class Source:
        def decisions(self):
            return pl.DataFrame({"arm": ["a", "b"], "rating": [1.0, 3.0], "participant": ["p", "q"]})

    decisions = Decisions.from_source(Source(), scale=(0, 5))
    assert decisions.arms == ("a", "b")
    assert decisions.floor is None
    assert tw.analysis.analyse(Source()).decisions.scale == (1.0, 3.0)
