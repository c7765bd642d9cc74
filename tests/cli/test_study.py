"""The commands of a durable study."""

import json

import pytest
from typer.testing import CliRunner

import trueward as tw
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
    shown, verified = run("show", "songs"), run("verify", "songs")
    assert "1 rating, estimate 5" in shown
    assert "songs" in run("list")
    assert verified.startswith("verified: 11 events, 1 decision computed again")
    assert shown.splitlines()[0].removeprefix("songs: ended, ") == "head of the log " + verified.split()[-1]
    assert "wrote" in run("export", "songs", str(tmp_path / "out"))
    assert (tmp_path / "out" / "events.jsonl").exists()


def test_decisions_are_previewed_and_void_by_time(run):
    run("create", "songs", "--arm", "a", "--arm", "b", "--policy", UCB)
    for i in (1, 2):
        run("ask", "songs", "--participant", f"p{i}")
    run("tell", "songs", "1", "4")
    ever = ("--between", "2020-01-01", "2100-01-01T00:00+02:00")
    lines = run("preview", "songs", *ever).splitlines()
    assert lines[0] == "2 would be void: 1, 2"
    assert lines[1].startswith("1 of them rated; the best arm: ")
    assert "estimate 4, then nan" in "".join(lines)
    assert run("void", "songs", *ever, "--reason", "a bad day") == "2 void: 1, 2\n"
    assert run("restore", "songs", *ever, "--reason", "not so bad") == "2 restored: 1, 2\n"
    assert run("erase", "songs", "p1", "--reason", "asked for it") == "erased\n"
    assert run("erase", "songs", "p1") == "songs knows no such participant\n"
    assert run("verify", "songs").startswith("verified")


def test_a_pilot_and_the_log_of_a_bandit_are_imported(run, tmp_path):
    run("create", "songs", "--arm", "a", "--arm", "b", "--policy", UCB)
    table = tmp_path / "pilot.csv"
    table.write_text('arm,reward,participant,occasion,evidence\na,4,p1,,"{""check"": true}"\nb,2.5,,,\n')
    assert run("import", "songs", str(table)) == "2 imported: 1, 2\n"
    assert "as before" in run("ask", "songs", "--participant", "p1")
    bandit = tw.Bandit(tw.UCB(sigma=1.0), ["a", "b"], seed=3)
    for reward in (1, 5, 3):
        bandit.tell(bandit.ask(), reward)
    log = tmp_path / "bandit.json"
    log.write_text(json.dumps(bandit.to_dict()))
    said = run("import", "more songs", str(log), "--window", "48h")
    assert said == "created more songs with 3 decisions; UCB(sigma=1.0, c=4.0)\n"
    for name in ("songs", "more songs"):
        assert run("verify", name).startswith("verified")


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
        (["void", "songs", "--reason", "why"], "exactly one of number, participant, between and pseudonym"),
        (["void", "songs", "--reason", "why", "--number", "3"], "has no decision 3"),
        (["preview", "songs", "--between", "then", "now"], "--between must be two times such as"),
        (["restore", "songs", "--reason", " ", "--participant", "p1"], "has no participant 'p1'"),
        (["amend", "songs", "1", "4", "--reason", "typo"], "has no decision 1"),
        (["retire-arm", "songs", "b"], "there is no arm 'b'"),
        (["erase", "songs", ""], "participant must be a name"),
        (["import", "songs", "{}/nowhere.csv"], "No such file"),
        (["import", "songs", "{}/wrong.csv"], "row 1: reward must be a number or JSON, got 'four'"),
        (["import", "songs", "{}/wrong.json"], "wrong.json must be JSON, got"),
        (["import", "songs", "{}/other.json"], "must be of format 'trueward.bandit'"),
        (["import", "songs", "{}/binary.csv"], "must be a table as CSV"),
    ],
)
def test_what_a_user_can_cause_ends_in_one_line(run, words, said, tmp_path):
    (tmp_path / "wrong.csv").write_text("arm,reward\na,4\na,four\n")
    (tmp_path / "wrong.json").write_text("arm,reward")
    (tmp_path / "other.json").write_text("[1, 2]")
    (tmp_path / "binary.csv").write_bytes(b"arm,reward\n\xff\xfe,3")
    words = [word.replace("{}", str(tmp_path)) if "{}/" in word else word for word in words]
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


def test_rules_are_read_back_when_a_study_begins(run):
    rules = ["--rule", "faster than 2 s", "--rule", "who says so"]
    said = run("create", "songs", "--arm", "a", "--arm", "b", "--policy", UCB, *rules)
    assert "rule: faster than 2 s\n" in said
    assert "rule: who says so (in words: to be applied by hand)\n" in said
