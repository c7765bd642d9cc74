"""A dashboard in this process, over a study in which a bot has rated."""

import shutil

import numpy as np
import pytest
from fastapi.testclient import TestClient

import trueward as tw
from trueward.serve.app import create_app
from trueward.serve.dashboard.views.look import look_at
from trueward.serve.settings import Settings
from trueward.study.database import connected

ARMS = ["video", "text", "quiz"]
TRUE = {"video": 0.9, "text": 0.4, "quiz": 0.3}
PEOPLE, BOT = 60, 8  # raters with one rating of each arm's kind, and ratings of the bot
HERE = "http://127.0.0.1"


def fill(study, *, bot=True, seed=5):
    """Let honest people rate, and a bot who always says 1 within a second."""
    rng = np.random.default_rng(seed)
    for person in range(PEOPLE):
        for occasion in "12":
            shown = study.ask(participant=f"p{person}", occasion=occasion)
            seconds = round(float(rng.lognormal(2.3, 0.3)), 1)
            study.tell(shown, 1 + int(rng.binomial(4, TRUE[shown.arm])), evidence={"seconds": seconds, "check": True})
        if bot and person == PEOPLE // 2:
            for occasion in range(BOT):
                study.tell(study.ask(participant="bot", occasion=str(occasion)), 1, evidence={"seconds": 0.5})


def create_filled(url):
    """Create a study that everybody has rated; its policy compiles nothing, and decides little."""
    policy = tw.CrUCB(tw.TrimmedMean(alpha=0.1), sigma=1.0)
    settings = {"uniform_share": 0.9, "window": "48h", "rules": ["exclude who answers within a second"]}
    with tw.Study.create(url, "explanations", arms=ARMS, policy=policy, **settings) as study:
        fill(study)


@pytest.fixture(scope="session")
def filled(tmp_path_factory):
    """A database file with a study that everybody has rated."""
    file = tmp_path_factory.mktemp("filled") / "ratings.db"
    create_filled(f"sqlite:///{file}")
    return file


@pytest.fixture
def url(request, filled, tmp_path):
    """The address of a copy; or of the same study in PostgreSQL, for a test that says so."""
    if getattr(request, "param", "sqlite") == "postgresql":
        address = request.getfixturevalue("postgresql")
        create_filled(address)
        return address
    return f"sqlite:///{shutil.copy(filled, tmp_path / 'ratings.db')}"


@pytest.fixture
def study(url):
    with tw.Study.open(url, "explanations") as study:
        yield study


@pytest.fixture
def look(study, url):
    with connected(url) as database:
        yield look_at(study, database)


@pytest.fixture
def bot(study):
    """The bot's pseudonym."""
    counts = study.decisions()["participant"].value_counts(sort=True)
    return counts["participant"][0]


@pytest.fixture
def browse(url):
    """Return a maker of browsers: clients that send the Origin of the service's own pages."""
    opened = []

    def browse(**settings):
        app = create_app(Settings(db=url, **settings))
        client = TestClient(app, base_url=HERE, headers={"Origin": HERE}, follow_redirects=True)
        opened.append(client)
        return client.__enter__()

    yield browse
    for client in opened:
        client.__exit__(None, None, None)
