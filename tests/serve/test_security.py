"""Who may do what: everything that is refused, one by one."""

import http.client
import json
import logging
import time

import pytest
import sqlalchemy as sa
from itsdangerous import TimestampSigner

from serving import in_a_thread
from soak_size import size
from trueward.serve.door import Lines
from trueward.serve.problems import RefusedError
from trueward.serve.settings import Settings
from trueward.serve.signing import sign_participant
from trueward.serve.tokens import Rating, Tokens
from trueward.study import reading as study_reading
from trueward.study.database import connected

SURVEY = "https://survey.example.org"
SCRIPT = "<script>alert('p17')</script>"
INJECTIONS = [
    "'; DROP TABLE event; --",
    "' OR '1'='1",
    '"; DELETE FROM reward; --',
    "p1') ; UPDATE study SET state='x'",
]


@pytest.fixture
def browser(service):
    """Return a way to ask and rate as a page of the survey does."""
    key = service.new_key(origins=[SURVEY])

    class Browser:
        def ask(self, participant=None, **more):
            return service.ask(participant, key, SURVEY, **more)

        def rate(self, shown, value, **more):
            return service.rate(shown["number"], value, key, SURVEY, **{"token": shown["token"], **more})

    return Browser()


# Keys


def test_without_a_key_nothing_is_answered(service):
    for method, path in [("GET", "results"), ("POST", "decisions"), ("PUT", "decisions/1/reward"), ("POST", "voids")]:
        for authorization in ({}, {"Authorization": "Basic abc"}, {"Authorization": "Bearer tw_sk_1_2"}):
            answer = service.client.request(method, f"{service.path}/{path}", json={"value": 1}, headers=authorization)
            assert answer.status_code in (401, 422), path
            if answer.status_code == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
    assert service.client.get("/metrics").status_code == 401
    assert service.client.get(f"{service.path}/results").status_code == 401


@pytest.mark.parametrize(
    ("scope", "method", "path", "body"),
    [
        ("decide", "POST", "decisions", {}),
        ("reward", "PUT", "decisions/1/reward", {"value": 1}),
        ("void", "PATCH", "decisions/1/reward", {"value": 1, "reason": "x"}),
        ("void", "POST", "voids", {"number": 1, "reason": "x"}),
        ("void", "POST", "voids/preview", {"number": 1}),
        ("void", "POST", "restorations", {"number": 1, "reason": "x"}),
        ("manage", "POST", "arms", {"name": "song"}),
        ("manage", "POST", "retirements", {"name": "video"}),
        ("manage", "POST", "transitions", {"to": "ended"}),
        ("manage", "POST", "expirations", {}),
        ("manage", "POST", "imports", {"rows": [{"arm": "video", "reward": 1}]}),
        ("manage", "POST", "erasures", {"participant": "p1"}),
        ("manage", "POST", "/v1/studies", {"name": "x", "arms": ["a"], "policy": "ucb"}),
        ("read", "GET", "/v1/studies", None),
        ("read", "GET", "/v1/studies/explanations", None),
        ("read", "GET", "arms", None),
        ("read", "GET", "decisions", None),
        ("read", "GET", "events", None),
        ("read", "GET", "results", None),
        ("read", "GET", "explanation", None),
        ("read", "GET", "verification", None),
        ("read", "GET", "export", None),
        ("read", "GET", "/metrics", None),
    ],
)
def test_every_endpoint_needs_its_scope_and_its_study(service, scope, method, path, body):
    others = [name for name in ("decide", "reward", "read", "void", "manage") if name != scope]
    refused = service.call(method, path, body, key=service.new_key(scopes=others))
    assert refused.status_code == 403
    assert f"has not the scope {scope}" in refused.json()["detail"]
    service.app.state.studies.create(
        "second", ["a"], policy=service.app.state.studies["explanations"].policy, actor="x"
    )
    elsewhere = service.call(method, path, body, key=service.new_key(study="second"))
    if path == "/v1/studies" and method == "GET":  # each key sees its own
        assert [study["name"] for study in elsewhere.json()["studies"]] == ["second"]
    else:
        assert elsewhere.status_code == 403
        assert "is for" in elsewhere.json()["detail"]


def test_every_endpoint_is_in_the_test_above(service):
    paths = service.client.get("/openapi.json").json()["paths"]
    known = {(m.upper(), p) for p, methods in paths.items() for m in methods if p.startswith("/v1/")}
    marked = test_every_endpoint_needs_its_scope_and_its_study.pytestmark[0].args[1]
    tried = {(m, p if p.startswith("/") else f"/v1/studies/explanations/{p}") for _, m, p, _ in marked}
    named = {(m, p.replace("{study}", "explanations").replace("{number}", "1")) for m, p in known}
    assert named == tried - {("GET", "/metrics")}


def test_a_key_that_has_expired_or_was_revoked_is_of_no_use(service):
    old = service.new_key(expires="0.01s")
    time.sleep(0.02)
    assert service.call("GET", "results", key=old).json()["detail"] == "this key is expired"
    gone = service.new_key()
    assert service.call("GET", "results", key=gone).status_code == 200
    from trueward.serve import keys

    with service.app.state.studies.database.write() as connection:
        keys.revoke(connection, gone.split("_")[2])
    answer = service.call("GET", "results", key=gone)
    assert (answer.status_code, answer.json()["detail"]) == (401, "this key is revoked")


def test_the_database_holds_no_key(service):
    secret = service.key.rpartition("_")[2]
    with service.app.state.studies.database.read() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM api_key").all()
    assert rows
    assert secret not in str(rows)
    almost = service.key[:-1] + ("0" if service.key[-1] != "0" else "1")
    assert service.call("GET", "results", key=almost).json()["detail"] == "this key is unknown"


# Browsers: tokens and participants


def test_a_token_rates_its_decision_once(browser):
    shown = browser.ask("p17").json()
    assert browser.rate(shown, 4).status_code == 200
    assert browser.rate(shown, 4).status_code == 200
    again = browser.rate(shown, 1)
    assert (again.status_code, "has the reward 4, got 1" in again.json()["detail"]) == (409, True)


def test_a_browser_key_rates_nothing_without_the_token_of_that_decision(service, browser):
    mine, other = browser.ask("p1").json(), browser.ask("p2").json()
    assert browser.rate({**other, "token": None}, 1).status_code == 403
    swapped = browser.rate({**other, "token": mine["token"]}, 1)
    assert (swapped.status_code, swapped.json()["detail"]) == (403, "the token is for another decision")
    service.app.state.studies.create(
        "second", ["a"], policy=service.app.state.studies["explanations"].policy, actor="x"
    )
    elsewhere = service.new_key(study="second", origins=[SURVEY])
    body = {"value": 1, "token": mine["token"]}
    assert (
        service.call("PUT", "/v1/studies/second/decisions/1/reward", body, elsewhere, Origin=SURVEY).status_code == 403
    )
    statuses = [row["status"] for row in service.call("GET", "decisions").json()["decisions"]]
    assert statuses == ["pending", "pending"]


def test_a_token_that_was_tampered_with_is_refused(browser):
    shown = browser.ask("p17").json()
    head, middle, tail = shown["token"].split(".")
    forged = browser.ask("p18").json()["token"].split(".")[0]
    for token in (
        f"{head}.{middle}.{tail[:-2]}xx",
        f"{forged}.{middle}.{tail}",
        "nothing",
        ".",
        "a.b.c",
        SCRIPT,
        "é.é.é",
    ):
        answer = browser.rate({**shown, "token": token}, 1)
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (403, "token"), token


def test_a_token_expires(browser, monkeypatch):
    now = int(time.time())
    monkeypatch.setattr(TimestampSigner, "get_timestamp", lambda _: now - 48 * 3600 - 5)
    shown = browser.ask("p17").json()
    monkeypatch.undo()
    answer = browser.rate(shown, 4)
    assert (answer.status_code, answer.json()["detail"]) == (403, "the token has expired")


def test_a_new_signing_secret_goes_in_front_of_the_old_one():
    old, new, both = (Tokens(secrets, 60) for secrets in (["o" * 16], ["n" * 16], ["n" * 16, "o" * 16]))
    rating = Rating("explanations", 1, vouched=True)
    assert both.read(old.sign(rating)) == both.read(new.sign(rating)) == new.read(both.sign(rating)) == rating
    with pytest.raises(RefusedError, match="not one of this service"):
        new.read(old.sign(rating))


def test_who_guesses_a_participant_gets_no_token(browser):
    shown = browser.ask("p17").json()
    guessed = browser.ask("p17").json()
    assert (guessed["number"], guessed["token"], guessed["verified"]) == (shown["number"], None, False)
    assert browser.ask("p17", token="made.up.token").status_code == 403
    other = browser.ask("p18").json()
    assert browser.ask("p17", token=other["token"]).status_code == 403
    renewed = browser.ask("p17", token=shown["token"]).json()
    assert browser.rate(renewed, 4).status_code == 200


def test_a_participant_whom_the_server_signed_cannot_be_guessed(service, browser):
    signature = sign_participant(service.key, "explanations", "p17")
    shown = browser.ask("p17", signature=signature).json()
    assert shown["verified"]
    for more in ({}, {"occasion": "2"}):  # nor may anybody begin another occasion for them
        refused = browser.ask("p17", **more)
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (403, "signature")
    again = browser.ask("p17", signature=signature).json()
    assert again["again"]
    assert browser.rate(again, 4).status_code == 200


def test_who_came_first_under_the_id_of_another_can_rate_no_more(service, browser):
    taken = browser.ask("p17").json()
    shown = browser.ask("p17", signature=sign_participant(service.key, "explanations", "p17")).json()
    assert shown["number"] == taken["number"]
    assert browser.rate(taken, 1).status_code == 403
    assert browser.rate(shown, 5).status_code == 200


def test_a_signature_is_of_one_participant_of_one_study_by_a_key_that_may_decide(service, browser):
    for text, study, name in [
        (service.key, "explanations", "p18"),
        (service.key, "second", "p17"),
        (service.new_key(scopes=["read"]), "explanations", "p17"),
        (service.new_key(origins=[SURVEY]), "explanations", "p17"),
        ("tw_sk_nobody_x", "explanations", "p17"),
    ]:
        refused = browser.ask("p17", signature=sign_participant(text, study, name))
        assert (refused.status_code, refused.json()["errors"][0]["field"]) == (403, "signature")
    assert browser.ask("p17", signature="é.é").status_code == 403


def test_a_browser_key_may_demand_signatures(service):
    key = service.new_key(origins=[SURVEY], signed_only=True)
    assert service.ask("p17", key, SURVEY).status_code == 403
    assert service.ask(None, key, SURVEY).status_code == 403
    signature = sign_participant(service.key, "explanations", "p17")
    assert service.ask("p17", key, SURVEY, signature=signature).status_code == 201


def test_a_browser_key_only_decides(service):
    key = service.new_key(origins=[SURVEY])
    for path in ("results", "events", "decisions", "export"):
        assert service.call("GET", path, key=key, Origin=SURVEY).status_code == 403
    assert service.call("POST", "voids", {"number": 1, "reason": "x"}, key, Origin=SURVEY).status_code == 403


def test_nothing_can_be_told_of_an_arm_that_was_not_shown(service):
    shown = service.ask("p1").json()
    other = {"video": "text", "text": "video"}[shown["arm"]]
    refused = service.rate(shown["number"], 5, arm=other)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "arm")


# The door


def test_a_browser_key_is_refused_from_another_origin(service):
    key = service.new_key(origins=[SURVEY])
    for origin in (None, "https://evil.example", f"{SURVEY}.evil.example", "null", "http://survey.example.org"):
        assert service.ask("p1", key, origin).status_code == 403, origin
    assert service.ask("p1", key, SURVEY).headers["access-control-allow-origin"] == SURVEY


def test_a_page_of_another_origin_is_not_let_in(service):
    service.new_key(origins=[SURVEY])
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,content-type"}
    path = f"{service.path}/decisions"
    let_in = service.client.options(path, headers={"Origin": SURVEY, **asks})
    assert (let_in.status_code, let_in.headers["access-control-allow-origin"]) == (200, SURVEY)
    assert "access-control-allow-credentials" not in let_in.headers
    other = service.client.options(path, headers={"Origin": "https://evil.example", **asks})
    assert other.status_code == 400
    assert "access-control-allow-origin" not in other.headers


def test_a_forged_host_is_refused(serve, sqlite):
    service = serve(sqlite, hosts=("study.example.org",))
    for host in ("study.example.org", "study.example.org:8000", "LOCALHOST", "127.0.0.1:8000", "[::1]:8000"):
        assert service.client.get("/healthz", headers={"Host": host}).status_code == 200, host
    for host in ("evil.example", "study.example.org.evil.example", "127.0.0.1.evil.example", "", "localhost:x"):
        answer = service.client.get("/healthz", headers={"Host": host})
        assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json"), host


def test_two_hosts_are_none(service):
    for hosts in (("127.0.0.1", "evil.example"), ("evil.example", "127.0.0.1"), ("127.0.0.1", "127.0.0.1")):
        answer = service.client.get("/healthz", headers=[("Host", host) for host in hosts])
        assert answer.status_code == 400, hosts


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_only_json_is_taken(service, kind):
    headers = {"Authorization": f"Bearer {service.key}", "Content-Type": kind}
    for method, path in (("POST", "decisions"), ("PUT", "decisions/1/reward"), ("PATCH", "decisions/1/reward")):
        answer = service.client.request(method, f"{service.path}/{path}", content="{}", headers=headers)
        assert (answer.status_code, answer.headers["content-type"]) == (415, "application/problem+json")


@pytest.mark.parametrize(
    "content", ["{", "[1]", '"x"', "null", '{"value": NaN}', '{"value": 1e999}', "{" * 5000, b"\xff"]
)
def test_what_is_no_proper_json_is_refused(service, content):
    headers = {"Authorization": f"Bearer {service.key}", "Content-Type": "application/json"}
    service.ask("p1")
    answer = service.client.put(f"{service.path}/decisions/1/reward", content=content, headers=headers)
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"


def test_a_body_of_100_megabytes_is_refused_before_it_is_read(serve, sqlite):
    service = serve(sqlite)
    headers = {"Authorization": f"Bearer {service.key}", "Content-Type": "application/json"}
    with in_a_thread(Settings(db=sqlite)) as url:
        address = url.removeprefix("http://")
        told = http.client.HTTPConnection(address, timeout=20)
        told.putrequest("POST", f"{service.path}/decisions")
        for name, value in {**headers, "Content-Length": str(100 * 10**6)}.items():
            told.putheader(name, value)
        told.endheaders()  # and not one byte of the body
        answer = told.getresponse()
        assert (answer.status, answer.headers["content-type"]) == (413, "application/problem+json")
        told.close()
        silent = http.client.HTTPConnection(address, timeout=20)  # in chunks: it does not say how much will come
        silent.putrequest("POST", f"{service.path}/decisions")
        for name, value in {**headers, "Transfer-Encoding": "chunked"}.items():
            silent.putheader(name, value)
        silent.endheaders()
        sent, chunk = 0, b" " * 65_536
        try:
            while sent < 100 * 10**6:
                silent.send(b"10000\r\n" + chunk + b"\r\n")
                sent += len(chunk)
        except OSError:
            pass  # it was cut off, as it should be
        assert sent < 50 * 10**6
        silent.close()
    assert service.call("GET", "decisions").json()["decisions"] == []


def test_a_browser_key_makes_no_more_decisions_than_it_may(serve, sqlite):
    service = serve(sqlite, decisions_per_minute=20)
    key = service.new_key(origins=[SURVEY])
    minutes, answers = {int(time.time()) // 60}, []
    for i in range(60):
        answers.append(service.ask(f"p{i}", key, SURVEY))
        minutes.add(int(time.time()) // 60)
    made = [answer for answer in answers if answer.status_code == 201]
    assert 20 <= len(made) <= 20 * len(minutes)
    refused = answers[-1] if len(minutes) == 1 else next(a for a in answers if a.status_code == 429)
    assert (refused.status_code, 1 <= int(refused.headers["retry-after"]) <= 60) == (429, True)
    shown = made[0].json()
    assert service.rate(shown["number"], 4, key, SURVEY, token=shown["token"]).status_code == 200  # never a reward
    assert service.ask("server", service.key).status_code == 201


@pytest.mark.soak
def test_10000_requests_from_one_browser_key_make_a_few_decisions(serve, sqlite):
    service = serve(sqlite)
    key, begun, statuses = service.new_key(origins=[SURVEY], per_minute=30), int(time.time()) // 60, set()
    for i in range(size(full=10_000, short=200)):
        statuses.add(service.ask(f"p{i}", key, SURVEY).status_code)
    minutes = int(time.time()) // 60 - begun + 1
    assert statuses == {201, 429}
    assert service.app.state.studies["explanations"].decisions().height <= 30 * minutes


def test_a_participant_makes_no_more_decisions_than_they_may(serve, sqlite):
    service = serve(sqlite, decisions_per_participant=3)
    statuses = [service.ask("p1", occasion=str(i)).status_code for i in range(5)]
    assert statuses == [201, 201, 201, 429, 429]
    assert service.ask("p1", occasion="0").status_code == 200
    assert service.ask("p2").status_code == 201


# What is stored and said


def test_scripts_come_back_as_plain_values_of_json(service):
    service.call("POST", "arms", {"name": SCRIPT, "payload": SCRIPT})
    shown = service.ask(SCRIPT, among=[SCRIPT])
    assert shown.headers["content-type"] == "application/json"
    assert shown.headers["x-content-type-options"] == "nosniff"
    assert (shown.json()["arm"], shown.json()["payload"]) == (SCRIPT, SCRIPT)
    service.rate(1, 4, evidence={SCRIPT: 1})
    assert service.rate(1, 4, evidence={"note": SCRIPT}).status_code == 422
    service.call("POST", "voids", {"participant": SCRIPT, "reason": SCRIPT})
    logged = service.call("GET", "events").json()["events"]
    assert logged[-1]["body"]["reason"] == SCRIPT
    assert json.loads(service.call("GET", "decisions").json()["decisions"][0]["evidence"]) == {SCRIPT: 1}
    refused = service.ask("x" * 300 + SCRIPT)
    assert refused.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_sql_in_any_text_is_a_text(kind, request, serve):
    service = serve(request.getfixturevalue(kind))
    for i, sql in enumerate(INJECTIONS):
        service.call("POST", "arms", {"name": sql, "payload": sql})
        number = service.ask(sql, occasion=sql, among=[sql]).json()["number"]
        assert service.rate(number, 3, evidence={sql: 1}).status_code == 200
        service.call("PATCH", f"decisions/{number}/reward", {"value": 4, "reason": sql})
        called = f"injection-{i}-{sql}"
        body = {"participant": sql, "reason": sql}
        assert service.call("POST", "voids", body, Idempotency_Key=called.replace(" ", "_")).json() == {
            "numbers": [number]
        }
        service.call("POST", "restorations", body)
        service.call("POST", "transitions", {"to": "running", "reason": sql})
        service.call("POST", "retirements", {"name": sql, "reason": sql})
        service.call("POST", "imports", {"rows": [{"arm": "video", "reward": 1, "participant": sql, "occasion": "2"}]})
        assert service.call("POST", "erasures", {"participant": sql, "reason": sql}).json() == {"erased": True}
        assert service.call("GET", f"/v1/studies/{sql}/results", key=service.new_key(study=None)).status_code == 404
        assert service.call("GET", "results", key=f"tw_sk_{sql.replace('_', '')}_x").status_code == 401
        assert service.call("GET", f"events?after={sql}").status_code == 422
    found = service.call("GET", "verification").json()
    assert (found["ok"], found["decisions"]) == (True, 2 * len(INJECTIONS))


def test_no_id_and_no_rating_is_in_the_log(service, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    person, rating = "person-4711", 3.14159
    service.rate(service.ask(person).json()["number"], rating)
    service.rate(1, 2.71828)
    service.call("POST", "voids", {"participant": person, "reason": f"{person} again"})
    service.ask("x" * 300 + person)
    with connected(service.url) as database, database.write() as connection:
        connection.execute(sa.text("DROP TABLE reward"))
    broken = service.rate(service.ask(f"{person} 2").json()["number"], rating)
    assert broken.status_code == 503
    monkeypatch.setattr(study_reading, "arms", lambda *_: 1 / 0)
    assert service.call("GET", "arms").status_code == 500
    assert "ZeroDivisionError" not in service.call("GET", "arms").text
    lines = [Lines().format(record) for record in caplog.records if record.name.startswith("trueward")]
    assert len(lines) >= 8
    assert any("ZeroDivisionError at test_security.py" in line for line in lines)
    said = "\n".join(lines) + caplog.text
    for secret in (person, "4711", "3.14159", "2.71828", service.key):
        assert secret not in said
    assert json.loads(lines[0])["route"] == "/v1/studies/{study}/decisions"
