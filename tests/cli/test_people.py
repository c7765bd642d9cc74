"""The commands for the people of the dashboard."""

import pytest
from typer.testing import CliRunner

from trueward.cli.app import app
from trueward.serve.dashboard.people import link_holder
from trueward.study.database import connected


@pytest.fixture
def run(tmp_path):
    """Return a way to run a command on a database of its own; it returns what was said."""

    def command(*words, code=0):
        done = CliRunner().invoke(app, ["user", *words, "--db", f"sqlite:///{tmp_path}/ratings.db"])
        assert done.exit_code == code, done.output
        return done.output

    return command


def test_people_are_added_listed_given_links_and_removed(run, tmp_path):
    link = run("add", "ada", "--url", "https://study.example.org/").strip()
    where, held = link.rsplit("/", 1)
    assert where == "https://study.example.org/dashboard/sign-in"
    with connected(f"sqlite:///{tmp_path}/ratings.db") as database:
        assert link_holder(database, held) == "ada"
        new = run("link", "ada").strip().rsplit("/", 1)[1]
        assert (link_holder(database, held), link_holder(database, new)) == (None, "ada")
    run("add", "bob", "--role", "viewer")
    assert [line.split() for line in run("list").splitlines()] == [["ada", "editor"], ["bob", "viewer"]]
    assert run("remove", "ada") == "removed ada\n"
    assert "there is no user 'ada'" in run("link", "ada", code=2)
