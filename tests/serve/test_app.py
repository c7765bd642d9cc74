import sqlalchemy as sa
from fastapi.testclient import TestClient

import trueward as tw
from trueward.serve.app import create_app
from trueward.serve.settings import Settings
from trueward.serve.studies import Studies
from trueward.study.database import connected


def test_it_says_that_it_runs_and_whether_the_database_answers(tmp_path):
    with TestClient(create_app(Settings(db=f"sqlite:///{tmp_path}/ratings.db")), base_url="http://localhost") as client:
        assert client.get("/healthz").json() == {"status": "ok"}
        assert client.get("/readyz").status_code == 200
        (tmp_path / "ratings.db").unlink()
        gone = client.get("/readyz")
    assert (gone.status_code, gone.headers["content-type"]) == (503, "application/problem+json")
    assert gone.json()["detail"] == "the database does not answer"


def test_what_is_not_there_is_a_problem(tmp_path):
    with TestClient(create_app(Settings(db=f"sqlite:///{tmp_path}/ratings.db")), base_url="http://localhost") as client:
        gone = client.get("/nothing")
    assert gone.json() == {"type": "about:blank", "title": "Not found", "status": 404, "detail": "Not Found"}


def connections(url):
    """Return how many connections a server has now: a transaction sees those of its beginning."""
    with connected(url) as database, database.read() as connection:
        return connection.execute(sa.text("SELECT count(*) FROM pg_stat_activity")).scalar_one()


def test_all_studies_of_a_process_share_its_connections(postgresql):
    with Studies(postgresql) as studies:
        before = connections(postgresql)
        for name in [f"study {number}" for number in range(12)]:
            studies.create(name, ["video", "text"], policy=tw.BetaThompson((1, 5)), actor="test")
            studies[name].ask(participant="p17")
        assert connections(postgresql) - before <= 4


def test_to_look_at_a_study_makes_no_new_connection(sqlite):
    made = []
    with Studies(sqlite) as studies:
        studies.create("explanations", ["video", "text"], policy=tw.BetaThompson((1, 5)), actor="test")
        assert [each.asks for each in studies.list()] == [0]
        sa.event.listen(sa.pool.Pool, "connect", lambda *_: made.append(1))
        for _ in range(3):
            assert studies.listed("explanations").state == "running"
    assert made == []
