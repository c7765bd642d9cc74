from fastapi.testclient import TestClient

from trueward.serve.app import create_app
from trueward.serve.settings import Settings


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
