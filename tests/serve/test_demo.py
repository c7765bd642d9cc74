"""The demonstration: what the page finds in the simulated class."""

import itertools

import pytest
from fastapi.testclient import TestClient
from starlette.responses import PlainTextResponse

from trueward.serve.app import create_app
from trueward.serve.dashboard.views.bursts import bursts_of
from trueward.serve.dashboard.views.look import look_at
from trueward.serve.demo import classroom
from trueward.serve.demo.waiting import Waiting
from trueward.serve.settings import Settings
from trueward.study.database import connected

HERE = "http://127.0.0.1"
SEEN = (classroom.BOT - 1) * classroom.RATINGS + classroom.BOT_RATINGS + 20  # some students after the bot


def test_the_same_seed_gives_the_same_class():
    assert list(classroom.visits(1)) == list(classroom.visits(1))
    assert list(classroom.visits(1)) != list(classroom.visits(2))


def test_the_page_finds_the_bot(tmp_path):
    url = f"sqlite:///{tmp_path}/class.db"
    with classroom.create(url, seed=1) as study:
        for visit in itertools.islice(classroom.visits(1), SEEN):
            classroom.take(study, visit)
        bot = study.decisions()["participant"].value_counts(sort=True)["participant"][0]
        with connected(url) as database:
            burst = bursts_of(look_at(study, database)).groups[0]
    assert (burst.givers[0].pseudonym, burst.givers[0].inside) == (bot, classroom.BOT_RATINGS)
    assert burst.mean < 1.5 < 3.5 < burst.mean_of_others
    with TestClient(create_app(Settings(db=url, open=True)), base_url=HERE) as client:
        raters = client.get("/dashboard/studies/explanations/raters").text
    first = raters[raters.index("<tbody>") : raters.index("</tr>", raters.index("<tbody>"))]
    assert bot in first
    for flag in ("same answer many times in a row", "answers very fast", "failed an attention check"):
        assert flag in first


@pytest.mark.filterwarnings("ignore:.*lifespan")
def test_whoever_comes_too_early_is_asked_to_wait_and_then_let_in():
    waiting = Waiting("Compiling.")
    client = TestClient(waiting, base_url=HERE)
    early = client.get("/dashboard/")
    assert "Compiling." in early.text
    assert 'http-equiv="refresh"' in early.text
    waiting.ready = PlainTextResponse("there")
    assert client.get("/dashboard/").text == "there"
