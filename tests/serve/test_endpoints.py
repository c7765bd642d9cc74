"""The endpoints do what the methods of a study do, on both databases."""

import io
import itertools
import json
import os
import subprocess
import zipfile

import pytest

import trueward as tw
from trueward.serve import metrics


@pytest.fixture(params=["sqlite", "postgresql"])
def on_each(request, serve):
    return serve(request.getfixturevalue(request.param))


def test_a_decision_is_made_once_and_rated_once(on_each):
    first, again = on_each.ask("p17"), on_each.ask("p17")
    assert (first.status_code, again.status_code) == (201, 200)
    shown = first.json()
    assert again.json() == {**shown, "again": True}
    assert shown["payload"] == {"video": "intro.mp4", "text": None}[shown["arm"]]
    assert (shown["number"], shown["probability"], shown["verified"], shown["token"]) == (1, 0.5, True, None)
    assert on_each.rate(1, 4, evidence={"seconds": 12}).json() == {"number": 1, "value": 4.0}
    assert on_each.rate(1, 4).status_code == 200
    other = on_each.rate(1, 5)
    assert other.status_code == 409
    assert other.headers["content-type"] == "application/problem+json"
    assert other.json()["detail"] == "decision 1 has the reward 4, got 5; use amend"
    amended = on_each.call("PATCH", "decisions/1/reward", {"value": 5, "reason": "typo"})
    assert amended.json() == {"number": 1, "value": 5.0}


def test_what_is_sent_again_with_its_name_is_done_once(on_each):
    name = "a-request-of-mine"
    first, again = (on_each.call("POST", "decisions", {}, Idempotency_Key=name) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json() == again.json()
    assert on_each.call("POST", "decisions", {}).json()["number"] == 2
    other = on_each.call("POST", "decisions", {"participant": "p1"}, Idempotency_Key=name)
    assert other.status_code == 422
    assert other.json()["errors"][0]["field"] == "Idempotency-Key"
    void = [
        on_each.call("POST", "voids", {"number": 1, "reason": "odd"}, Idempotency_Key="void-number-one-1").json()
        for _ in range(2)
    ]
    assert void == [{"numbers": [1]}] * 2
    assert on_each.call("POST", "voids", {"number": 1, "reason": "odd"}).json() == {"numbers": []}


def test_a_refusal_is_not_kept_and_the_same_may_succeed_later(service):
    service.call("POST", "transitions", {"to": "paused"})
    body = {"participant": "p1"}
    assert service.call("POST", "decisions", body, Idempotency_Key="asked-while-paused").status_code == 409
    service.call("POST", "transitions", {"to": "running"})
    assert service.call("POST", "decisions", body, Idempotency_Key="asked-while-paused").status_code == 201


def test_old_answers_are_forgotten(serve, url):
    service = serve(url, answers_kept="0.000001s")
    for i in range(200):
        service.call("POST", "expirations", {}, Idempotency_Key=f"request-number-{i:04}")
    with service.app.state.studies.database.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM answered").scalar() < 200


def test_corrections_are_previewed_done_and_undone(on_each):
    for person, value in (("ann", 5), ("bot", 1), ("bea", 4)):
        on_each.rate(on_each.ask(person).json()["number"], value)
    preview = on_each.call("POST", "voids/preview", {"participant": "bot"}).json()
    assert (preview["numbers"], preview["ratings"]) == ([2], 1)
    assert on_each.call("GET", "decisions").json()["decisions"][1]["status"] == "rated"
    void = {"participant": "bot", "reason": "answers within a second"}
    assert on_each.call("POST", "voids", void).json() == {"numbers": [2]}
    assert on_each.call("GET", "results").json()["arms"][0]["void"] == 1
    assert on_each.ask("bot", occasion="2").json()["number"] == 4
    assert on_each.call("POST", "restorations", {**void, "reason": "no bot"}).json() == {"numbers": [2, 4]}
    assert on_each.call("GET", "verification").json()["ok"]


def test_arms_come_and_go_and_a_study_rests_and_ends(on_each):
    added = on_each.call("POST", "arms", {"name": "song", "payload": {"file": "song.mp3"}})
    assert added.status_code == 201
    assert added.json()["arms"] == {"video": "intro.mp4", "text": None, "song": {"file": "song.mp3"}}
    assert on_each.call("POST", "arms", {"name": "song"}).status_code == 409
    assert on_each.call("POST", "retirements", {"name": "video"}).status_code == 200
    assert on_each.ask("p1", among=["song"]).json()["payload"] == {"file": "song.mp3"}
    on_each.call("POST", "transitions", {"to": "paused", "reason": "holidays"})
    refused = on_each.ask("p2")
    assert (refused.status_code, "is paused" in refused.json()["detail"]) == (409, True)
    assert on_each.call("POST", "transitions", {"to": "ended"}).json() == {"to": "ended", "reason": ""}
    assert on_each.call("GET", "").status_code == 404
    assert on_each.call("GET", on_each.path).json()["state"] == "ended"


def test_the_log_and_the_decisions_come_in_pages(service):
    for i in range(5):
        service.rate(service.ask(f"p{i}").json()["number"], 3)
    seen, after = [], 0
    while after is not None:
        page = service.call("GET", f"events?after={after}&limit=4").json()
        seen, after = seen + page["events"], page["next"]
    assert [event["seq"] for event in seen] == list(range(1, 12))
    assert {event["actor"] for event in seen[1:]} == {f"key {service.key.split('_')[2]}"}
    assert all(b["previous_hash"] == a["hash"] for a, b in itertools.pairwise(seen))
    page = service.call("GET", "decisions?after=3&limit=1").json()
    assert ([row["number"] for row in page["decisions"]], page["next"]) == ([4], 4)
    assert service.call("GET", "decisions?after=4").json()["next"] is None


def test_results_say_what_may_be_concluded(service):
    empty = service.call("GET", "results").json()
    assert (empty["verdict"], empty["notes"]) == (None, ["there are no ratings to analyse yet"])
    assert empty["arms"][0]["estimate"] is None
    for i in range(40):
        shown = service.ask(f"p{i}").json()
        service.rate(shown["number"], 5 if shown["arm"] == "text" else 1 + i % 2)
    found = service.call("GET", "results?epsilon=0.05").json()
    study = service.app.state.studies["explanations"]
    analysis = tw.analysis.analyse(study, epsilon=0.05)
    assert found["verdict"] == analysis.verdict
    assert found["break_even"] == analysis.break_even.share
    assert {arm["arm"]: arm["low"] for arm in found["arms"]} == {
        arm: analysis.leaderboard[arm].low for arm in ("video", "text")
    }
    assert {arm["arm"]: arm["estimate"] for arm in found["arms"]} == study.estimates()


def test_results_take_a_study_with_ratings_of_a_pilot_alone(serve, sqlite):
    service = serve(sqlite, policy=tw.BetaThompson((1, 5)))
    service.call("POST", "imports", {"rows": [{"arm": "video", "reward": 3}]})
    service.ask("p1")  # its probabilities are known, and it is not rated yet
    found = service.call("GET", "results")
    assert found.status_code == 200
    assert found.json()["arms"][0]["rated"] == 1


def test_the_export_is_that_of_the_study(service, tmp_path):
    service.rate(service.ask("p1").json()["number"], 3)
    packed = zipfile.ZipFile(io.BytesIO(service.call("GET", "export").content))
    folder = tmp_path / "export"
    service.app.state.studies["explanations"].export(folder)
    assert sorted(packed.namelist()) == sorted(file.name for file in folder.iterdir())
    assert packed.read("events.jsonl") == (folder / "events.jsonl").read_bytes()
    assert len(packed.read("events.jsonl").splitlines()) == 3


def test_a_study_is_created_listed_and_used(on_each):
    key = on_each.new_key(study=None)
    new = {"name": "second", "arms": ["a", "b"], "policy": {"name": "beta-thompson", "range": [1, 5]}, "seed": 3}
    call = {"key": key, "Idempotency_Key": "create-the-second"}
    first, again = (on_each.call("POST", "/v1/studies", new, **call) for _ in range(2))
    assert first.status_code == again.status_code == 201
    assert first.json()["name"] == "second"
    assert on_each.call("POST", "/v1/studies", new, key=key).status_code == 409
    assert on_each.call("POST", "/v1/studies/second/decisions", {"participant": "p1"}, key=key).status_code == 201
    named = [study["name"] for study in on_each.call("GET", "/v1/studies", key=key).json()["studies"]]
    assert named == ["explanations", "second"]
    assert [s["name"] for s in on_each.call("GET", "/v1/studies").json()["studies"]] == ["explanations"]
    wrong = on_each.call("POST", "/v1/studies", {**new, "name": "third", "policy": "mine.py:Mine"}, key=key)
    assert wrong.status_code == 422
    assert wrong.json()["detail"].startswith("policy.name must be one of")


def test_a_pilot_is_imported_and_a_participant_forgotten(service):
    rows = [{"arm": "video", "reward": 4, "participant": "pilot 1"}, {"arm": "text", "reward": 2}]
    assert service.call("POST", "imports", {"rows": rows}).json() == {"numbers": [1, 2]}
    assert service.call("POST", "erasures", {"participant": "pilot 1"}).json() == {"erased": True}
    assert service.call("POST", "erasures", {"participant": "pilot 1"}).json() == {"erased": False}
    wrong = service.call("POST", "imports", {"rows": [*rows, {"arm": "song", "reward": 1}]})
    assert wrong.status_code == 422
    assert len(service.call("GET", "decisions").json()["decisions"]) == 2


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", "decisions", {"participant": ""}, "participant"),
        ("POST", "decisions", {"participant": "a\nb"}, "participant"),
        ("POST", "decisions", {"partisipant": "p1"}, "partisipant"),
        ("POST", "decisions", {"among": "video"}, "among"),
        ("PUT", "decisions/1/reward", {"value": "4"}, "value"),
        ("PUT", "decisions/1/reward", {"value": True}, "value"),
        ("PUT", "decisions/1/reward", {}, "value"),
        ("PUT", "decisions/x/reward", {"value": 4}, "number"),
        ("POST", "voids", {"reason": "none named"}, "body"),
        ("POST", "voids", {"number": 1, "reason": " "}, "reason"),
        ("POST", "transitions", {"to": "gone"}, "to"),
        ("GET", "events?after=-1", None, "after"),
        ("GET", "results?epsilon=0.7", None, "epsilon"),
    ],
)
def test_the_field_that_was_wrong_is_named(service, method, path, body, field):
    service.ask("p1")
    answer = service.call(method, path, body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_what_is_nested_too_deep_is_refused_and_all_can_be_read_afterwards(service):
    for depth, status in ((50, 201), (51, 422), (400, 422)):
        payload = json.loads("[" * depth + "1" + "]" * depth)
        assert service.call("POST", "arms", {"name": f"deep {depth}", "payload": payload}).status_code == status
    assert service.call("GET", "arms").status_code == 200
    assert service.call("GET", "events").status_code == 200


def test_times_at_the_ends_of_the_calendar_are_no_error_of_the_service(service):
    first, last = "0001-01-01T00:00:00", "9999-12-31T23:59:59"
    for now in (f"{first}+23:59", f"{first}Z", f"{last}Z", f"{last}-23:59"):
        assert service.call("POST", "expirations", {"now": now}).json() == {"numbers": []}, now
    beyond = {"between": [f"{first}+23:59", f"{last}Z"], "reason": "x"}
    assert service.call("POST", "voids", beyond).json()["detail"].startswith("time must lie in the years 1 to 9999")
    assert service.call("POST", "voids", {**beyond, "between": [f"{first}Z", f"{last}Z"]}).status_code == 200


def test_what_is_not_there_is_not_found(service):
    assert service.rate(7, 3).status_code == 404
    key = service.new_key(study=None)
    gone = service.call("GET", "/v1/studies/nothing/results", key=key)
    assert (gone.status_code, gone.json()["errors"][0]["field"]) == (404, "study")
    assert service.call("DELETE", "decisions").status_code == 405


def test_a_test_study_that_was_deleted_is_not_found_any_more(service):
    service.ask("p1")
    everywhere = service.new_key(study=None)
    tw.Study.delete(service.url, "explanations")  # with its keys
    for path in ("/v1/studies/explanations", "results", "decisions", "events"):
        gone = service.call("GET", path, key=everywhere)
        assert gone.status_code in (200, 404)
        assert gone.status_code == 404 or not any(gone.json().get(name) for name in ("decisions", "events")), path
    assert service.ask("p1", everywhere).status_code == 404
    assert service.ask("p1").status_code == 401


def test_gauges_of_workers_that_were_killed_are_forgotten(tmp_path, monkeypatch):
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    for name in (f"gauge_livesum_{gone.pid}.db", f"gauge_livesum_{os.getpid()}.db", f"counter_{gone.pid}.db"):
        (tmp_path / name).touch()
    metrics.forget_the_dead()
    kept = {file.name for file in tmp_path.iterdir()}
    assert kept == {f"gauge_livesum_{os.getpid()}.db", f"counter_{gone.pid}.db"}


def test_the_description_has_examples_and_every_refusal(service):
    described = service.client.get("/openapi.json").json()
    for name in ("Ask", "Decision", "Reward", "Void", "NewStudy", "Problem"):
        assert described["components"]["schemas"][name]["examples"], name
    decide = described["paths"]["/v1/studies/{study}/decisions"]["post"]
    assert {"200", "201", "401", "403", "404", "409", "413", "415", "422", "429", "503"} <= set(decide["responses"])
    assert "Idempotency-Key" in json.dumps(decide["parameters"])


def test_metrics_count_what_was_done(service):
    service.rate(service.ask("p1").json()["number"], 3)
    assert service.call("GET", "/metrics").status_code == 403
    text = service.call("GET", "/metrics", key=service.new_key(study=None, scopes=["read"])).text
    assert 'trueward_done_total{kind="tells",study="explanations"}' in text
    assert 'route="/v1/studies/{study}/decisions/{number}/reward",status="200"' in text
