"""The applications in examples/ run: two workers, many participants at once, late and wrong ratings."""

import importlib.util
import itertools
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

ROOT = Path(__file__).parents[1]
names = itertools.count()


class Fastapi:
    """A browser of one participant, at a worker of the FastAPI application."""

    def __init__(self, worker, participant):
        self.client = TestClient(worker.app, cookies={"participant": participant})

    def decision(self):
        return self.client.post("/decision").json()

    def rate(self, **rating):
        return self.client.put("/rating", json=rating)

    def results(self):
        return self.client.get("/results").json()


class Flask:
    """The same for the Flask application."""

    def __init__(self, worker, participant):
        self.client, self.path = worker.app.test_client(), f"/participants/{participant}"

    def decision(self):
        return self.client.post(f"{self.path}/decision").get_json()

    def rate(self, **rating):
        return self.client.put(f"{self.path}/rating", json=rating)

    def results(self):
        return self.client.get("/results").get_json()


@pytest.fixture(params=[Fastapi, Flask], ids=["fastapi_app", "flask_app"])
def browser(request):
    return request.param


@pytest.fixture
def workers(browser, tmp_path, monkeypatch):
    """Return two workers of an application: each has loaded it, on one database."""
    monkeypatch.setenv("TRUEWARD_DB", f"sqlite:///{tmp_path}/ratings.db")
    with ThreadPoolExecutor(2) as both:  # at the same time, as a server starts them
        loaded = list(both.map(_loaded, [f"{browser.__name__.lower()}_app"] * 2))
    yield loaded
    for worker in loaded:
        worker.study.close()


def _loaded(name):
    known_as = f"{name}_{next(names)}"
    spec = importlib.util.spec_from_file_location(known_as, ROOT / "examples" / f"{name}.py")
    sys.modules[known_as] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_two_workers_serve_many_participants_at_once(browser, workers):
    def visit(i):
        shown = browser(workers[i % 2], f"p{i}").decision()
        assert browser(workers[1 - i % 2], f"p{i}").decision() == shown  # a reload, at the other worker
        assert browser(workers[1 - i % 2], f"p{i}").rate(stars=1 + i % 5).status_code == 204
        return shown["arm"]

    with ThreadPoolExecutor(8) as threads:
        arms = list(threads.map(visit, range(24)))
    assert set(arms) == {"video", "text", "quiz"}
    assert browser(workers[0], "p0").results()["rated"] == 24
    assert "expected share of bad ratings" in browser(workers[0], "p0").results()["believed"]
    assert workers[1].study.verify().ok


def test_wrong_ratings_and_rests_are_answered_in_one_line(browser, workers):
    visitor = browser(workers[0], "p1")
    visitor.decision()
    assert visitor.rate(stars=4).status_code == 204
    assert visitor.rate(stars=4).status_code == 204  # sent again
    assert visitor.rate(stars=2).status_code == 409
    assert visitor.rate(stars=6).status_code == 422
    assert visitor.rate().status_code == 422
    workers[1].study.pause()
    assert visitor.decision()["arm"] in ("video", "text", "quiz")
    refused = browser(workers[0], "new").rate(stars=3)
    assert refused.status_code == 503
    assert "is paused" in refused.text


def test_a_new_visitor_gets_a_cookie(tmp_path, monkeypatch):
    monkeypatch.setenv("TRUEWARD_DB", f"sqlite:///{tmp_path}/ratings.db")
    worker = _loaded("fastapi_app")
    with TestClient(worker.app) as client:
        first = client.post("/decision").json()
        assert client.post("/decision").json() == first
        assert client.put("/rating", json={"stars": 5, "seconds": 3.5}).status_code == 204
        assert client.get("/results").json()["rated"] == 1
    worker.study.close()


@pytest.mark.parametrize("name", ["fastapi_app", "flask_app"])
def test_the_page_shows_the_application_as_it_is(name):
    page = (ROOT / "docs" / "live-study.md").read_text()
    assert f"```python\n{(ROOT / 'examples' / f'{name}.py').read_text()}```" in page
