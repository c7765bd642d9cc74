"""A study over HTTP does what a study does, also when answers are lost."""

import inspect
from datetime import UTC, datetime, timedelta

import pytest

import trueward as tw
from serving import free_port, in_a_thread
from trueward.analysis.analyse import analyse
from trueward.analysis.exclusion import FasterThan
from trueward.errors import ConflictError, ParameterError, StorageError, StudyError, TicketError
from trueward.serve.settings import Settings

RULES = (FasterThan(1.0), "whoever says so")


@pytest.fixture
def remote(serve, sqlite):
    service = serve(sqlite, rules=RULES)
    with in_a_thread(Settings(db=sqlite)) as url, tw.Remote(url, service.key) as remote:
        yield remote, service.app.state.studies["explanations"]


def test_every_method_gives_what_the_study_gives(remote, tmp_path):
    remote, study = remote
    assert remote.name == "explanations"
    for i in range(6):
        shown = remote.ask(participant=f"p{i}")
        remote.tell(shown, 1 + i % 5, evidence={"seconds": i})
    assert study.ask(participant="p3").number == remote.ask(participant="p3").number == 4
    assert remote.ask(participant="p3").again
    remote.amend(1, 5, reason="typo")
    assert repr(remote.preview_void(number=[2, 3])) == repr(study.preview_void(number=[2, 3]))
    assert remote.void(participant="p1", reason="bot") == (2,)
    assert remote.restore(participant="p1", reason="no bot") == (2,)
    hour = timedelta(hours=1)
    now = datetime.now(UTC)
    assert remote.void(between=(now - hour, now + hour), reason="test") == (1, 2, 3, 4, 5, 6)
    assert remote.restore(number=range(1, 7), reason="no test") == (1, 2, 3, 4, 5, 6)
    remote.add_arm("song", {"file": "song.mp3"})
    remote.retire_arm("text", reason="too long")
    assert remote.import_ratings([{"arm": "song", "reward": 4.0}]) == (7,)
    assert remote.expire() == ()
    assert remote.ask(participant="silent").number == 8
    assert remote.expire(now=datetime.now(UTC) + timedelta(hours=49)) == (8,)
    assert remote.erase(participant="p0")
    assert not remote.erase(participant="p0")
    assert remote.arms == study.arms
    assert remote.estimates() == study.estimates()
    assert remote.probabilities() == study.probabilities()
    assert remote.summary() == study.summary()
    assert remote.decisions().equals(study.decisions())
    assert remote.decisions(after=2, limit=3).equals(study.decisions(after=2, limit=3))
    assert remote.events() == study.events()
    assert remote.events(after=3, limit=2) == study.events(after=3, limit=2)
    assert remote.head == study.head
    assert repr(remote.explain()) == repr(study.explain())
    assert remote.policy == study.policy
    assert remote.rules == study.rules == RULES
    other = tw.BetaThompson((1, 5))
    assert remote.replay(other).estimates() == study.replay(other).estimates()
    assert analyse(remote).verdict == analyse(study).verdict
    assert remote.verify() == study.verify()
    assert remote.results(epsilon=0.2)["epsilon"] == 0.2
    for there, here in zip(remote.export(tmp_path / "there"), study.export(tmp_path / "here"), strict=True):
        assert there.name == here.name
        assert there.read_bytes() == here.read_bytes()
    remote.pause(reason="holidays")
    assert remote.state == "paused"
    with pytest.raises(StudyError, match="is paused"):
        remote.ask(participant="new")
    remote.resume()
    remote.end()
    assert remote.state == "ended"


def test_what_the_service_refuses_is_raised(remote):
    remote, _ = remote
    shown = remote.ask(participant="p1")
    remote.tell(shown, 4)
    with pytest.raises(ConflictError, match="has the reward 4, got 5; use amend"):
        remote.tell(shown, 5)
    with pytest.raises(TicketError, match="has no decision 9"):
        remote.tell(9, 5)
    with pytest.raises(ParameterError, match="participant must be a name"):
        remote.ask(participant="a\nb")
    with pytest.raises(ParameterError, match="exactly one of number, participant, pseudonym and between"):
        remote.void(reason="nobody named")
    with pytest.raises(ParameterError, match="such as JSON can hold"):
        remote.tell(shown, float("nan"))


def test_a_lost_answer_is_asked_for_again_and_nothing_is_done_twice(serve, sqlite, monkeypatch):
    monkeypatch.setattr("trueward.serve.transport.PAUSES", (0.001,))
    service, calls = serve(sqlite), []

    def lossy(app):
        async def around(scope, receive, send):
            lost = scope["type"] == "http" and len(calls) % 3 != 2

            async def pass_on(message):
                await send({**message, "status": 502} if lost and "status" in message else message)

            calls.append(scope["type"])
            await app(scope, receive, pass_on)

        return around

    with in_a_thread(Settings(db=sqlite), lossy) as url:
        remote = tw.Remote(url, service.key, "explanations")
        numbers = [remote.ask().number for _ in range(5)]
        for number in numbers:
            remote.tell(number, 3)
        assert remote.void(number=2, reason="odd") == (2,)
        remote.add_arm("song")
        remote.close()
    assert numbers == [1, 2, 3, 4, 5]
    assert len(calls) > 30
    kinds = [event.kind for event in service.app.state.studies["explanations"].events()]
    assert kinds == ["create", *["ask"] * 5, *["tell"] * 5, "void", "add"]


def test_where_nobody_answers_it_is_said(monkeypatch):
    monkeypatch.setattr("trueward.serve.transport.PAUSES", (0.001,))
    remote = tw.Remote(f"http://127.0.0.1:{free_port()}", "tw_sk_1_2", "explanations", patience=0.01)
    with pytest.raises(StorageError, match=r"nobody answers at 127\.0\.0\.1"):
        remote.ask()
    with pytest.raises(ParameterError, match="url must be such as"):
        tw.Remote("study.example.org", "tw_sk_1_2")


def test_a_key_for_several_studies_needs_the_name_of_one(remote, serve, sqlite, make_key):
    here, study = remote
    key = make_key(study._database.url.render_as_string(), study=None)
    tw.Study.create(study._database.url.render_as_string(), "second", ["a"], policy=tw.UCB(sigma=1.0)).close()
    other = tw.Remote(f"http://{here._transport._host}", key)
    with pytest.raises(ParameterError, match="study must be named: the key is for 'explanations', 'second'"):
        other.ask()
    other.close()


NOT_REMOTE = {
    "create": "POST /v1/studies, with a key for all studies",
    "open": "a Remote is made with an address and a key",
    "from_bandit": "a database of one's own, in the same program",
    "list": "GET /v1/studies",
    "delete": "nothing is deleted from elsewhere",
    "acting_as": "whose key it is says who acts",
    "waiting": "of the process that serves: see /metrics",
}
ONLY_REMOTE = {"results": "is computed there", "sign": "needs the key"}


def public(cls):
    return {name for name in dir(cls) if not name.startswith("_")}


def test_a_remote_study_has_the_methods_of_a_study():
    assert public(tw.Study) - public(tw.Remote) == {*NOT_REMOTE}
    assert public(tw.Remote) - public(tw.Study) - {"name"} == {*ONLY_REMOTE}
    for name in public(tw.Study) & public(tw.Remote):
        here, there = getattr(tw.Study, name), getattr(tw.Remote, name)
        assert isinstance(here, property) == isinstance(there, property), name
        if not isinstance(here, property):
            taken, known = inspect.signature(here).parameters, dict(inspect.signature(there).parameters)
            assert {each: str(p) for each, p in known.items()} == {
                each: str(p)
                for each, p in taken.items()
                if each != "actor"  # whose key it is says who acts
            }, name
