"""Creating, opening, correcting and ending a study, on both databases."""

import json
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
import sqlalchemy as sa

import trueward as tw
from trueward.errors import ConflictError, LogError, ParameterError, StorageError, StudyError, TicketError
from trueward.study import tables
from trueward.study.database import connected


def test_a_study_is_listed_and_goes_on_in_another_process(url, create, reopen, rate):
    study = create(url)
    create(url, "second", test=True)
    rate(study, 5)
    assert [(s.name, s.state, s.asks, s.test) for s in tw.Study.list(url)] == [
        ("explanations", "running", 5, False),
        ("second", "running", 0, True),
    ]
    other = reopen(url)
    assert other.estimates() == study.estimates()
    rate(other, 3, first=6)
    assert study.estimates() == other.estimates()  # it catches up
    with pytest.raises(ConflictError, match="there is a study 'explanations' already"):
        create(url)
    with pytest.raises(StudyError, match="there is no study 'third' in this database; it has 'explanations', 'second'"):
        reopen(url, "third")


def test_only_a_test_study_can_be_deleted(url, create, reopen, rate):
    rate(create(url, "trial run", test=True), 3)
    create(url)
    tw.Study.delete(url, "trial run")
    assert [s.name for s in tw.Study.list(url)] == ["explanations"]
    with pytest.raises(StudyError, match="'explanations' is not a test study"):
        tw.Study.delete(url, "explanations")


def test_void_rewards_leave_no_trace_and_come_back_in_their_places(url, create, rate):
    study, twin = create(url), create(url, "twin")
    rate(study, 10)
    before = study.estimates()
    study.tell(study.ask(participant="bot"), 1)
    study.tell(study.ask(participant="bot", occasion="2"), 1)
    with_bot = study.estimates()
    assert study.void(participant="bot", reason="a bot") == (11, 12)
    assert study.estimates() == before
    assert study.decisions()["status"].to_list()[10:] == ["void", "void"]
    with pytest.raises(ConflictError, match="decision 11 is void: it takes no reward"):
        study.tell(11, 2)
    assert study.void(participant="bot", reason="a bot") == ()
    assert study.restore(participant="bot", reason="a person after all") == (11, 12)
    assert study.estimates() == with_bot
    rate(twin, 10)
    assert twin.estimates() == before
    assert study.verify().ok


def test_what_a_void_participant_does_later_does_not_count_unless_it_is_said_to(url, create):
    study = create(url)
    study.ask(participant="bot")
    study.void(participant="bot", reason="a bot")
    later = study.ask(participant="bot", occasion="2")
    with pytest.raises(ConflictError, match="void"):
        study.tell(later, 3)
    study.ask(participant="careless")
    study.void(participant="careless", reason="once", later_count=True)
    study.tell(study.ask(participant="careless", occasion="2"), 3)
    study.restore(participant="bot", reason="no bot")
    study.tell(study.ask(participant="bot", occasion="3"), 3)
    assert study.decisions()["status"].to_list() == ["pending", "pending", "void", "rated", "rated"]


def test_who_knows_only_the_log_voids_and_restores_by_pseudonym(url, create):
    study = create(url)
    study.tell(study.ask(participant="honest"), 3)
    study.tell(study.ask(participant="bot"), 1)
    bot = study.decisions()["participant"][1]
    assert study.preview_void(pseudonym=bot).numbers == (2,)
    assert study.void(pseudonym=bot, reason="a bot") == (2,)
    study.ask(participant="bot", occasion="2")  # those to come are void as well
    assert study.decisions()["status"].to_list() == ["rated", "void", "void"]
    assert study.restore(pseudonym=bot, reason="no bot") == (2, 3)
    with pytest.raises(StudyError, match="no pseudonym 'bot'"):
        study.void(pseudonym="bot", reason="an id is no pseudonym")


def test_decisions_are_void_by_number_and_by_time(url, create, rate):
    study = create(url)
    rate(study, 4)
    assert study.void(number=2, reason="typo") == (2,)
    assert study.void(number=[2, 4], reason="typo") == (4,)
    start = datetime.now(UTC)
    rate(study, 2, first=5)
    assert study.void(between=(start, datetime.now(UTC) + timedelta(1)), reason="a bad day") == (5, 6)
    for wrong in ({}, {"number": 1, "participant": "p1"}):
        with pytest.raises(tw.ParameterError, match="exactly one of number, participant, between and pseudonym"):
            study.void(reason="why", **wrong)
    with pytest.raises(tw.ParameterError, match="between must be two times with a time zone"):
        study.void(between=(datetime(2026, 1, 1), datetime(2026, 1, 2)), reason="why")
    with pytest.raises(tw.ParameterError, match="reason must say why"):
        study.void(number=1, reason=" ")
    with pytest.raises(TicketError, match="no decision 99"):
        study.void(number=99, reason="why")


def test_a_preview_says_what_a_void_would_change_and_changes_nothing(url, create, rate):
    study = create(url)
    rate(study, 9)
    before = study.estimates()
    preview = study.preview_void(number=[1, 2, 3])
    assert (preview.numbers, preview.ratings) == ((1, 2, 3), 3)
    assert preview.before.estimates == before == study.estimates()
    study.void(number=[1, 2, 3], reason="as foreseen")
    assert study.estimates() == pytest.approx(preview.after.estimates, nan_ok=True)
    assert study.probabilities() == preview.after.probabilities


def test_an_amended_reward_keeps_its_place_and_its_history(url, create, rate):
    study, twin = (
        create(url, policy=tw.CrUCB(tw.TrimmedMean(0.1), sigma=1)),
        create(url, "twin", policy=tw.CrUCB(tw.TrimmedMean(0.1), sigma=1)),
    )
    for each, first in ((study, 1), (twin, 5)):
        shown = [each.ask(participant=f"p{i}") for i in range(6)]
        for i, decision in enumerate(shown):
            each.tell(decision, first if i == 0 else 3)
    study.amend(1, 5, reason="typo")
    assert study.estimates() == twin.estimates()
    assert study.decisions().filter(pl.col("number") == 1)["revision"].item() == 2
    study.tell(1, 5)  # the same as it is now
    study.void(number=1, reason="why")
    with pytest.raises(ConflictError, match="decision 1 is void; restore it first"):
        study.amend(1, 4, reason="typo")
    study.restore(number=1, reason="why not")
    assert study.decisions()["reward"][0] == 5
    study.ask(participant="p9")
    with pytest.raises(ConflictError, match="decision 7 has no reward to amend"):
        study.amend(7, 4, reason="typo")
    assert study.verify().ok


def test_arms_come_and_go(url, create, reopen, rate):
    study = create(url, arms={"video": {"url": "a.mp4"}, "text": "Read."})
    rate(study, 6)
    study.add_arm("song", {"url": "b.mp3"})
    study.retire_arm("text", reason="dull")
    other = reopen(url)
    rate(other, 10, first=7)
    assert set(other.decisions()["arm"][6:]) == {"video", "song"}
    assert list(other.arms.items()) == [("video", {"url": "a.mp4"}), ("text", "Read."), ("song", {"url": "b.mp3"})]
    assert [(arm.arm, arm.retired) for arm in study.summary()] == [("video", False), ("text", True), ("song", False)]
    with pytest.raises(ConflictError, match="has an arm 'song' already; what is edited is a new arm"):
        study.add_arm("song")
    with pytest.raises(tw.TruewardError, match="'text' is retired already"):
        study.retire_arm("text")
    study.retire_arm("song")
    with pytest.raises(ConflictError, match="'video' is the last one"):
        study.retire_arm("video")
    assert study.verify().ok


def test_a_study_that_rests_returns_decisions_and_takes_their_rewards(url, create):
    study = create(url)
    study.ask(participant="p1")
    study.ask(participant="p2")
    study.pause(reason="holidays")
    study.pause()
    assert (study.state, study.ask(participant="p1").number) == ("paused", 1)
    study.tell(1, 3)
    with pytest.raises(StudyError, match="study 'explanations' is paused: this needs it to be running"):
        study.ask(participant="p3")
    study.resume()
    assert study.ask(participant="p3").number == 3
    study.end(reason="enough")
    study.tell(2, 3)
    with pytest.raises(StudyError, match="is ended"):
        study.resume()
    assert study.state == "ended"
    assert study.verify().ok


def test_erasing_a_participant_keeps_what_happened(url, create):
    study = create(url)
    study.tell(study.ask(participant="p1"), 4)
    study.void(participant="p1", reason="withdrew")
    pseudonym = study.decisions()["participant"][0]
    assert study.erase(participant="p1", reason="asked for it", actor="ann")
    assert not study.erase(participant="p1")
    assert study.ask(participant="p1").number == 2  # nobody knows that they have been here
    study.tell(2, 3)
    assert study.decisions()["status"].to_list() == ["void", "rated"]
    assert study.verify().ok
    with connected(url) as database, database.read() as connection:
        events = connection.execute(sa.select(tables.event)).all()
        known = connection.execute(sa.select(tables.participant.c.pseudonym)).scalars().all()
    assert not any("p1" in event.body for event in events)
    assert pseudonym not in known
    (erased,) = [event for event in events if event.kind == "erase"]
    assert (json.loads(erased.body), erased.actor) == ({"erase": pseudonym, "reason": "asked for it"}, "ann")


def test_a_policy_of_the_users_own_must_be_given_again(url, create, reopen):
    class Mine(tw.UCB):
        pass

    study = create(url, policy=Mine(sigma=1.0))
    study.ask()
    with pytest.raises(LogError, match="policy has no name"):
        reopen(url).ask()
    assert reopen(url, policy=Mine(sigma=1.0)).ask().number == 2
    create(url, "named")
    with pytest.raises(tw.ParameterError, match="policy must be the one that was saved"):
        reopen(url, "named", policy=tw.UCB(sigma=2.0)).ask()


def nested(depth):
    return [nested(depth - 1)] if depth else 1


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"arms": "video"}, "arms must be a list of names"),
        ({"arms": ["a", "a"]}, "arms must be different names"),
        ({"arms": ["a", 2]}, "arm must be a name of 1 to 200"),
        ({"arms": ["a", "  "]}, "arm must be a name of 1 to 200"),
        ({"policy": "ucb"}, "policy must be a Policy"),
        ({"window": "2 weeks"}, "window must be such as '48h'"),
        ({"uniform_share": 1.5}, "uniform_share must be at least 0 and at most 1"),
        ({"stop_at_horizon": True}, "stop_at_horizon needs a horizon"),
        ({"rules": [object()]}, "must be such as JSON can hold"),
        ({"name": "x" * 101}, "name must be a name of 1 to 100"),
        ({"window": "99999999999d"}, "window must be at most 100 years, got 1e\\+11 days"),
        ({"arms": {"a": 1, "b": nested(51)}}, "payload must not be nested more than 50 deep"),
        ({"rules": [nested(51)]}, "rules must not be nested more than 50 deep"),
        ({"name": ".."}, "name must not have / in it, nor be . or .."),
        ({"name": "."}, "name must not have / in it, nor be . or .."),
        ({"name": "songs/2026"}, "name must not have / in it, nor be . or .."),
        ({"policy": tw.EXP3((0, 1))}, "needs a horizon"),
    ],
)
def test_a_study_that_cannot_be_is_refused_and_nothing_is_written(sqlite, create, settings, words):
    with pytest.raises(tw.ParameterError, match=words):
        create(sqlite, **settings)
    with pytest.raises(StorageError, match="there is no database"):
        tw.Study.list(sqlite)


def test_an_export_holds_log_table_and_codebook(url, create, rate, tmp_path):
    study = create(url, rules=["exclude who fails both checks"])
    rate(study, 4)
    study.void(number=2, reason="a test")
    files = study.export(tmp_path / "out")
    assert [file.name for file in files] == ["events.jsonl", "decisions.csv", "decisions.parquet", "codebook.md"]
    events = [json.loads(line) for line in files[0].read_text().splitlines()]
    assert [event["kind"] for event in events] == ["create", *["ask", "tell"] * 4, "void"]
    assert json.loads(events[0]["body"])["settings"]["rules"] == ["exclude who fails both checks"]
    assert pl.read_parquet(files[2]).equals(study.decisions())
    assert pl.read_csv(files[1]).columns == study.decisions().columns
    codebook = files[3].read_text()
    assert events[-1]["hash"] in codebook
    assert all(f"`{name}`" in codebook for name in study.decisions().columns)


def test_an_export_that_cannot_be_written_says_so_in_one_line(sqlite, create, rate, tmp_path):
    study = create(sqlite)
    rate(study, 2)
    (tmp_path / "taken").write_text("a file")
    with pytest.raises(StorageError, match="taken cannot be written: File exists"):
        study.export(tmp_path / "taken")
    assert (tmp_path / "taken").read_text() == "a file"


def test_a_part_of_the_log_that_is_not_there_is_empty_and_a_bad_one_is_refused(url, create, rate):
    study = create(url)
    rate(study, 3)
    assert study.events(after=10**30) == ()
    assert study.decisions(after=10**30).height == study.decisions(limit=0).height == 0
    assert study.decisions(after=1, limit=10**30)["number"].to_list() == [2, 3]
    for look in (study.events, study.decisions):
        for bad in ({"after": -1}, {"after": "2"}, {"limit": -1}, {"limit": 1.5}):
            with pytest.raises(tw.ParameterError, match=f"{next(iter(bad))} must be a whole number of at least 0"):
                look(**bad)


def test_another_policy_learns_the_same_ratings(url, create, rate):
    study = create(url)
    rate(study, 8)
    study.void(number=3, reason="why")
    study.add_arm("song")
    other = study.replay(tw.BetaThompson((1, 5)))
    assert other.arms == ("video", "text", "quiz", "song")
    assert sum(arm.ratings for arm in other.explain().arms) == 7


@pytest.mark.parametrize("arms", [["a", " a"], ["caf\u00e9", "cafe\u0301"]])
def test_arms_that_look_the_same_are_not_two_arms(arms, sqlite, create):
    with pytest.raises(ParameterError, match="different names"):
        create(sqlite, arms=arms)
    study = create(sqlite, arms=arms[:1])
    with pytest.raises(ConflictError, match="already"):
        study.add_arm(arms[1])


def test_a_participant_is_one_however_their_letters_are_composed(url, create):
    study = create(url)
    shown = study.ask(participant="Zo\u00eb")
    again = study.ask(participant="Zoe\u0308")
    assert (again.number, again.again) == (shown.number, True)
    assert study.void(participant="Zoe\u0308", reason="bot") == (shown.number,)


def test_a_closed_study_says_so(url, create):
    study = create(url)
    shown = study.ask(participant="ann")
    study.close()
    for use in (lambda: study.ask(participant="ann"), lambda: study.tell(shown, 3), study.decisions, study.estimates):
        with pytest.raises(StorageError, match="was closed: open the study again"):
            use()
    study.close()
