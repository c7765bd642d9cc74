"""The log cannot be changed through the database, and a change past it is found and named."""

import json
import math

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

import trueward as tw
from trueward.errors import ParameterError, StorageError, StudyError
from trueward.study import tables
from trueward.study.chain import body_of, digest, hash_of, new_event, text_of
from trueward.study.database import connected
from trueward.study.migrations import HEAD, migrate


def execute(url, *statements):
    """Execute statements as somebody with all rights would; the triggers stay."""
    with connected(url) as database, database.write() as connection:
        for statement in statements:
            connection.exec_driver_sql(statement)


def without_triggers(url):
    """Take the guards away, as somebody with all rights could."""
    tables_of = {"event_kept_as_it_is": "event", "event_kept": "event", "test_kept": "study"}
    on = (lambda table: "") if url.startswith("sqlite") else (lambda table: f" ON {table}")
    execute(url, *[f"DROP TRIGGER {name}{on(table)}" for name, table in tables_of.items()])


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET body = '{}' WHERE seq = 2",
        "DELETE FROM event WHERE seq = 2",
        "UPDATE study SET test = (1 = 1)",
    ],
)
def test_the_database_refuses_to_change_or_delete_an_event(url, create, rate, statement):
    study = create(url)
    rate(study, 2)
    with pytest.raises(StorageError, match="events are never changed or deleted"):
        execute(url, statement)
    assert study.verify().ok


def test_the_hash_is_of_the_json_text_of_all_that_an_event_says():
    parts = ["0f", 'a "study"', 7, "tell", "2026-01-01T00:00:00.000000+00:00", "é\n\x00😀", '{"tell":1,"why":"\\"}']
    for secret in (None, "key"):
        assert hash_of(*parts, secret=secret) == digest(text_of(parts), secret)


BODIES = [
    {"ask": 7, "arm": 'vidéo \u2028 \x7f "', "p": [0.1 + 0.2, 1e-07, 5e-324, 1.0], "among": [], "participant": None},
    {"tell": 7, "reward": -4.0, "evidence": {"check": True, "seconds": 1e22}},
    {"settings": {"seed": 2**200, "arms": {"a": {"text": "null", "deep": [[], {}]}}}, "number": -(2**63)},
]


@pytest.mark.parametrize("body", BODIES, ids=["an ask", "a reward", "long numbers"])
@pytest.mark.parametrize("kind", ["ask", "create"])
def test_what_is_written_down_is_read_again_by_any_reader_of_json(body, kind):
    text = text_of(body)
    assert json.loads(text) == body
    if kind == "create" or "settings" not in body:
        assert body_of(kind, text) == body
    assert text_of(json.loads(text)) == text  # so that who has an event from elsewhere has its hash


@pytest.mark.parametrize("body", [{"p": [math.nan]}, {"reward": math.inf}, {"payload": object()}, {"name": "\ud800"}])
def test_what_json_cannot_hold_is_refused(body):
    with pytest.raises(ParameterError, match="such as JSON can hold"):
        new_event("study", 2, "ask", "2026-01-01", "library", body, "", None)


def test_sqlite_refuses_to_replace_an_event(sqlite, create, rate):
    rate(create(sqlite), 1)
    columns = "study, 2, kind, at, actor, '{}', previous_hash, hash"
    with pytest.raises(StorageError, match="events are never changed or deleted"):
        execute(sqlite, f"INSERT OR REPLACE INTO event SELECT {columns} FROM event WHERE seq = 2")


def test_postgresql_refuses_to_truncate_the_log(postgresql, create, rate):
    rate(create(postgresql), 1)
    with pytest.raises(StorageError, match="events are never changed or deleted"):
        execute(postgresql, "TRUNCATE event CASCADE")


@pytest.mark.parametrize(
    ("change", "found"),
    [
        (
            "UPDATE event SET body = replace(body, '\"reward\":3.0', '\"reward\":4.0') WHERE seq = 5",
            r"event 5 \(tell\) was",
        ),
        ("UPDATE event SET at = replace(at, '20', '19') WHERE seq = 4", r"event 4 \(ask\) was changed"),
        ("UPDATE event SET actor = 'nobody' WHERE seq = 1", r"event 1 \(create\) was changed"),
        ("UPDATE event SET body = 'x' WHERE seq = 3", r"event 3 \(tell\) was changed"),
        ("DELETE FROM event WHERE seq = 4", "event 4 is missing"),
        ("DELETE FROM event WHERE seq >= 8", "the log ends at event 7, and the study at event 9"),
    ],
)
def test_a_changed_log_is_found_and_the_event_named(url, create, rate, change, found):
    study = create(url)
    rate(study, 4)
    assert study.verify().ok
    without_triggers(url)
    execute(url, change)
    checked = study.verify()
    assert not checked.ok
    assert len(checked.problems) == 1
    with pytest.raises(AssertionError, match=found):
        assert checked.ok, checked.problems[0]


def compute_anew(connection, old, new):
    """Change what events say, and all hashes with it, as somebody with all rights could."""
    previous = ""
    for row in connection.execute(sa.select(tables.event).order_by(tables.event.c.seq)).all():
        body = row.body.replace(old, new)
        digest = hash_of(previous, row.study, row.seq, row.kind, row.at, row.actor, body)
        changed = sa.update(tables.event).where(tables.event.c.seq == row.seq)
        connection.execute(changed.values(body=body, previous_hash=previous, hash=digest))
        previous = digest
    connection.execute(sa.update(tables.study).values(head=previous))


def test_a_chain_computed_anew_is_found_by_the_choices_that_follow(sqlite, create, rate):
    study = create(sqlite)
    rate(study, 12)
    without_triggers(sqlite)
    with connected(sqlite) as database, database.write() as connection:
        compute_anew(connection, '"reward":2.0', '"reward":5.0')
    problems = study.verify().problems
    assert any("is not the choice that the log leads to" in problem for problem in problems)
    assert "decision 1 stands otherwise in the tables than in the log" in problems


SECRET = "a secret of the study's owner"


def test_a_study_with_a_secret_needs_it(url, create, reopen, rate, tmp_path, monkeypatch):
    study = create(url, secret=SECRET)
    create(url, "plain")
    rate(study, 4)
    study.void(number=2, reason="odd")
    for given, words in ((None, "was created with a secret: give it"), (SECRET + "!", "with another secret")):
        with pytest.raises(StudyError, match=words):
            reopen(url, secret=given)
    with pytest.raises(StudyError, match="'plain' was created without a secret"):
        reopen(url, "plain", secret=SECRET)
    with pytest.raises(tw.ParameterError, match="secret must be a text of at least 16 characters"):
        reopen(url, secret="short")
    monkeypatch.setenv("TRUEWARD_SECRET", SECRET)
    other = reopen(url)
    rate(other, 2, first=5)
    assert other.verify().ok
    assert study.verify().ok
    assert "HMAC-SHA-256" in other.export(tmp_path)[3].read_text()
    with connected(url) as database, database.read() as connection:
        texts = str(connection.execute(sa.select(tables.event)).all()) + str(
            connection.execute(sa.select(tables.study)).all()
        )
    assert SECRET not in texts


def test_a_chain_computed_anew_without_the_secret_is_found(sqlite, create, reopen, rate):
    study = create(sqlite, secret=SECRET)
    rate(study, 3)
    without_triggers(sqlite)
    with connected(sqlite) as database, database.write() as connection:
        compute_anew(connection, '"reward":4.0', '"reward":5.0')
    assert "event 1 (create) was changed" in study.verify().problems[0]
    with pytest.raises(StudyError, match="or its first event was changed"):
        reopen(sqlite, secret=SECRET)
    with connected(sqlite) as database, database.write() as connection:
        compute_anew(connection, '"keyed":true', '"keyed":false')
    with pytest.raises(StudyError, match="was created without a secret"):
        reopen(sqlite, secret=SECRET)


def test_a_row_that_is_not_what_the_log_says_is_found(url, create, rate):
    study = create(url)
    rate(study, 3)
    execute(url, "UPDATE reward SET value = 1 WHERE decision = 2")
    assert study.verify().problems == ("decision 2 stands otherwise in the tables than in the log",)


def test_other_code_goes_on_by_an_upgrade_in_the_log(url, create, reopen, rate, monkeypatch):
    study = create(url)
    rate(study, 2)
    monkeypatch.setattr("trueward.study.settings.code_of", lambda *_: "0" * 64)
    other = reopen(url)
    rate(other, 2, first=3)
    checked = other.verify()
    assert checked.ok
    assert checked.notes == ("some choices were made by another version of the code, which may compute them otherwise",)
    with connected(url) as database, database.read() as connection:
        kinds = connection.execute(sa.select(tables.event.c.kind).order_by(tables.event.c.seq)).scalars().all()
    assert kinds == ["create", *["ask", "tell"] * 2, "upgrade", *["ask", "tell"] * 2]


def test_the_migrations_make_the_tables_that_the_code_uses(url):
    with connected(url) as database:
        migrate(database)
        migrate(database)
        with database.read() as connection:
            context = MigrationContext.configure(connection)
            assert compare_metadata(context, tables.metadata) == []
            assert context.get_current_revision() == HEAD


def test_a_database_of_a_later_version_is_refused(url, create, reopen):
    create(url)
    execute(url, "UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(StorageError, match="was made by a later version of trueward"):
        reopen(url)


def test_a_long_and_eventful_study_is_computed_again(sqlite, create, rate):
    study = create(sqlite, policy=tw.BetaThompson((1, 5)), uniform_share=0.2)
    rate(study, 20)
    study.void(participant="p3", reason="bot")
    study.amend(5, 1, reason="typo")
    study.add_arm("song")
    rate(study, 10, first=21)
    study.pause()
    study.resume()
    study.restore(participant="p3", reason="no bot")
    study.retire_arm("text")
    rate(study, 5, first=31)
    checked = study.verify()
    assert checked.ok, checked
    assert (checked.decisions, json.loads(f'"{checked.head}"')) == (35, checked.head)
    assert str(checked).startswith("verified: ")
