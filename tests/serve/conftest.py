"""A service in this process, with a study and keys."""

import itertools
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from playwright.sync_api import sync_playwright

import trueward as tw
from trueward.serve import keys
from trueward.serve.app import create_app
from trueward.serve.settings import Settings
from trueward.study.database import connected

SURVEY = "https://survey.example.org"
FLAGS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync"
)
counted = itertools.count()


@pytest.fixture
def make_key():
    """Return a maker of keys, which returns their texts."""

    def make(url, study="explanations", scopes=("decide", "reward", "read", "void", "manage"), **more):
        with connected(url) as database, database.write() as connection:
            return keys.create(connection, study=study, scopes=() if "origins" in more else scopes, **more)[1]

    return make


class Service:
    """An application on a database with one study, called in this process."""

    def __init__(self, url, make_key, **settings):
        self.url, self._make_key = url, make_key
        self.app = create_app(Settings(db=url, **settings))
        self.client = TestClient(self.app, base_url="http://127.0.0.1", raise_server_exceptions=True)
        self.key = make_key(url)
        self.path = "/v1/studies/explanations"

    def new_key(self, **given):
        return self._make_key(self.url, **given)

    def call(self, method, path, body=None, key=None, **headers):
        """Return the answer to a call; `path` is within the study, unless it begins with a slash."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        given = {"Authorization": f"Bearer {key or self.key}", **named}
        where = path if path.startswith("/") else f"{self.path}/{path}"
        return self.client.request(method, where, json=body, headers=given)

    def ask(self, participant=None, key=None, origin=None, **more):
        body = {**({} if participant is None else {"participant": participant}), **more}
        return self.call("POST", "decisions", body, key, **({} if origin is None else {"Origin": origin}))

    def rate(self, number, value, key=None, origin=None, **more):
        body = {"value": value, **more}
        headers = {} if origin is None else {"Origin": origin}
        return self.call("PUT", f"decisions/{number}/reward", body, key, **headers)


@pytest.fixture
def serve(make_key):
    """Return a maker of services."""
    running = []

    def start(url, *, policy=None, rules=(), **settings):
        study = {"arms": {"video": "intro.mp4", "text": None}, "policy": policy or tw.UCB(sigma=1.0), "seed": 7}
        tw.Study.create(url, "explanations", window="48h", test=True, rules=rules, **study).close()
        service = Service(url, make_key, **settings)
        service.client.__enter__()
        running.append(service)
        return service

    yield start
    for service in running:
        service.client.__exit__(None, None, None)


@pytest.fixture
def service(serve, sqlite):
    """Return a service on a SQLite file."""
    return serve(sqlite)


@pytest.fixture(scope="module")
def chromium():
    """Return a browser."""
    if not Path("/usr/bin/chromium").exists():
        pytest.skip("no Chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS.split())
        yield browser
        browser.close()
