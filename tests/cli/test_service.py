import pytest
from typer.testing import CliRunner

import trueward as tw
from trueward.cli.app import app


@pytest.fixture
def run(sqlite):
    tw.Study.create(sqlite, "songs", ["a", "b"], policy=tw.UCB(sigma=1.0)).close()

    def call(*words, code=0):
        result = CliRunner().invoke(app, [*words, "--db", sqlite], env={"COLUMNS": "160"})
        assert result.exit_code == code, result.output
        return result.output.strip()

    return call


def test_a_key_is_shown_once_listed_and_revoked(run):
    key = run("key", "create", "--study", "songs", "--scope", "decide", "--scope", "read", "--label", "survey server")
    assert key.startswith("tw_sk_")
    page = run("key", "create", "--study", "songs", "--origin", "https://survey.example.org", "--expires", "90d")
    assert page.startswith("tw_pk_")
    listed = run("key", "list")
    assert "secret  active   songs: decide read  survey server" in listed
    assert "public  active   songs: decide https://survey.example.org, until 20" in listed
    assert key.rpartition("_")[2] not in listed
    run("key", "revoke", key.split("_")[2])
    assert "secret  revoked  songs: decide read" in run("key", "list", "--study", "songs")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["create", "--study", "songs"], "scope must be at least one of decide"),
        (["create", "--study", "songs", "--scope", "all"], "scope must be of decide"),
        (["create", "--study", "nothing", "--scope", "read"], "there is no study 'nothing'"),
        (["create", "--origin", "https://a.org"], "study must be given for a browser key"),
        (["create", "--study", "songs", "--origin", "a.org"], "origin must be such as https://"),
        (["create", "--study", "songs", "--origin", "https://*.org"], "origin must be such as https://"),
        (["create", "--study", "songs", "--origin", "https://a.org", "--scope", "read"], "scope must be decide"),
        (["create", "--study", "songs", "--scope", "read", "--expires", "soon"], "must be such as '48h'"),
        (["revoke", "nothing"], "there is no key 'nothing'"),
    ],
)
def test_what_a_user_can_cause_ends_in_one_line(run, words, said):
    output = run("key", *words, code=2)
    assert said in output
    assert output.startswith("trueward: ")
    assert len(output.splitlines()) == 1
