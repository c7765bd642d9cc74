"""The commands of a durable study."""

import json

import pytest
from typer.testing import CliRunner

from trueward.cli.app import app

UCB = json.dumps({"name": "ucb", "sigma": 1})


@pytest.fixture
def run(tmp_path):
    """Return a way to run a command on a database of its own; it returns what was said."""

    def command(*words, code=0):
        done = CliRunner().invoke(app, ["study", *words, "--db", f"sqlite:///{tmp_path}/ratings.db"])
        assert done.exit_code == code, done.output
        return done.output

    return command


def test_a_study_from_beginning_to_end(run, tmp_path):
    assert (
        run("create", "songs", "--arm", "a", "--arm", "b", "--policy", UCB)
        == "created songs: a, b; UCB(sigma=1, c=4.0)\n"
    )
    first = run("ask", "songs", "--participant", "p1")
    assert first.startswith("decision 1: ")
    assert run("ask", "songs", "--participant", "p1") == first.rstrip() + ", as before\n"
    run("tell", "songs", "1", "4", "--evidence", '{"check": true}')
    run("amend", "songs", "1", "5", "--reason", "typo")
    assert run("void", "songs", "--participant", "p1", "--reason", "bot") == "1 void: 1\n"
    assert run("restore", "songs", "--number", "1", "--reason", "no bot") == "1 restored: 1\n"
    run("add-arm", "songs", "c", "--payload", '{"url": "c.mp3"}')
    run("retire-arm", "songs", "a")
    assert run("pause", "songs") == "songs: paused\n"
    assert run("resume", "songs") == "songs: running\n"
    assert run("end", "songs", "--reason", "enough") == "songs: ended\n"
    assert "1 rating, estimate 5" in run("show", "songs")
    assert "songs" in run("list")
    assert run("verify", "songs").startswith("verified: 11 events, 1 decisions computed again")
    assert "wrote" in run("export", "songs", str(tmp_path / "out"))
    assert (tmp_path / "out" / "events.jsonl").exists()


def test_a_test_study_is_deleted_and_another_is_not(run):
    run("create", "trial", "--arm", "a", "--policy", "beta-thompson", "--range", "1", "5", "--test")
    run("create", "songs", "--arm", "a", "--policy", UCB)
    assert run("delete", "trial") == "deleted trial\n"
    assert "is not a test study" in run("delete", "songs", code=2)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["ask", "nothing"], "there is no study 'nothing'"),
        (["tell", "songs", "7", "4"], "has no decision 7"),
        (["tell", "songs", "1", "4", "--evidence", "{"], "--evidence must be JSON"),
        (["create", "songs", "--arm", "a", "--policy", UCB], "there is a study 'songs' already"),
        (["create", "x", "--arm", "a", "--policy", "ucbb"], "did you mean 'ucb'?"),
        (["create", "x", "--arm", "a", "--policy", UCB, "--window", "soon"], "window must be such as"),
        (["void", "songs", "--reason", "why"], "exactly one of number, participant and between"),
    ],
)
def test_what_a_user_can_cause_ends_in_one_line(run, words, said):
    run("create", "songs", "--arm", "a", "--policy", UCB)
    output = run(*words, code=2)
    assert said in output
    assert output.startswith("trueward: ")
    assert output.count("\n") == 1


def test_a_changed_log_ends_in_exit_code_1(run, tmp_path):
    import sqlite3

    run("create", "songs", "--arm", "a", "--policy", UCB)
    with sqlite3.connect(tmp_path / "ratings.db") as connection:
        connection.execute("DROP TRIGGER event_kept_as_it_is")
        connection.execute("UPDATE event SET actor = 'nobody'")
    connection.close()
    assert "event 1 (create) was changed" in run("verify", "songs", code=1)
