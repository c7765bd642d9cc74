"""Who gets in, how, and what they may do."""

import re
import sqlite3
from datetime import timedelta

import pytest

from trueward.errors import ConflictError, ParameterError, StudyError
from trueward.serve.dashboard import people
from trueward.study.database import connected

SIGN_IN = "Hello, ada"


@pytest.fixture
def database(study, url):
    with connected(url) as database:
        yield database


def signed_in(browser, database, role="editor", name="ada"):
    browser.post(f"/dashboard/sign-in/{people.add_person(database, name, role)}")
    return browser


def test_opening_a_link_uses_nothing_up_and_the_button_does(browse, database):
    link = f"/dashboard/sign-in/{people.add_person(database, 'ada', 'editor')}"
    browser = browse()
    for _ in range(3):  # as programs do that show a preview
        assert SIGN_IN in browser.get(link).text
    assert "explanations" in browser.post(link).text
    again = browse().post(link)
    assert again.status_code == 410
    assert "does not work any more" in again.text


def test_nobody_sees_a_page_without_signing_in(browse, database):
    browser = browse()
    for path in ("", "new", "studies/explanations/overview", "studies/explanations/export.zip"):
        answer = browser.get(f"/dashboard/{path}")
        assert (answer.url.path, "explanations" in answer.text) == ("/dashboard/sign-in", False)
    assert browser.post("/dashboard/studies/explanations/turn", data={"to": "end"}).status_code == 401
    live = browser.get("/dashboard/studies/explanations/live", headers={"Accept": "text/event-stream"})
    assert live.status_code == 401


def test_a_viewer_looks_and_changes_nothing(browse, database, study):
    browser = signed_in(browse(), database, "viewer")
    assert "Leaderboard" in browser.get("/dashboard/studies/explanations/overview").text
    assert "Take out" not in browser.get("/dashboard/studies/explanations/raters").text
    before = study.verify().head
    for path, data in {
        "studies/explanations/void": {"number": 1, "reason": "because"},
        "studies/explanations/restore": {"numbers": "1"},
        "studies/explanations/amend": {"number": 1, "value": 1, "reason": "because"},
        "studies/explanations/arms": {"arm": "song"},
        "studies/explanations/turn": {"to": "end"},
        "studies/explanations/keys": {"scope": "decide"},
        "studies/explanations/revoke": {"key": "x"},
        "new/create": {"name": "another"},
    }.items():
        assert browser.post(f"/dashboard/{path}", data=data).status_code == 403
    assert study.verify().head == before


def test_a_cookie_cannot_be_read_by_scripts_nor_sent_from_elsewhere(browse, database):
    held = people.add_person(database, "ada", "editor")
    browser = browse()
    answer = browser.post(f"/dashboard/sign-in/{held}", follow_redirects=False)
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=lax", "Path=/dashboard", "Max-Age=1209600"} <= set(cookie.split("; "))
    assert "Secure" not in cookie  # 127.0.0.1 has no certificate


def test_elsewhere_than_on_this_machine_the_cookie_is_secure(browse, database):
    held = people.add_person(database, "ada", "editor")
    host = {"Host": "study.example.org", "Origin": "https://study.example.org"}
    answer = browse(hosts=("study.example.org",)).post(
        f"/dashboard/sign-in/{held}", headers=host, follow_redirects=False
    )
    assert "; Secure" in answer.headers["set-cookie"]


def test_what_the_database_holds_signs_nobody_in(browse, database, url):
    held = people.add_person(database, "ada", "editor")
    browser = browse()
    browser.post(f"/dashboard/sign-in/{held}")
    with sqlite3.connect(url.removeprefix("sqlite:///")) as connection:
        told = str([connection.execute(f"SELECT * FROM {name}").fetchall() for name in ("sign_in_link", "signed_in")])
        digests = re.findall(r"[0-9a-f]{64}", told)
    assert held not in told
    assert browser.cookies["trueward-person"] not in told
    assert len(digests) == 2
    for digest in digests:
        stranger = browse()
        stranger.cookies.set("trueward-person", digest, path="/dashboard")
        assert stranger.get("/dashboard/").url.path == "/dashboard/sign-in"


def test_links_and_cookies_expire(browse, database, monkeypatch):
    monkeypatch.setattr(people, "LINK_LASTS", timedelta(0))
    assert people.sign_in(database, people.add_person(database, "ada", "editor")) is None
    monkeypatch.setattr(people, "LINK_LASTS", timedelta(hours=1))
    monkeypatch.setattr(people, "STAYS", timedelta(0))
    cookie = people.sign_in(database, people.new_link(database, "ada"))
    assert people.who(database, cookie) is None


def test_a_new_link_replaces_the_old_one_and_who_is_removed_is_out_at_once(browse, database):
    old = people.add_person(database, "ada", "editor")
    browser = browse()
    browser.post(f"/dashboard/sign-in/{people.new_link(database, 'ada')}")
    assert people.link_holder(database, old) is None
    assert browser.get("/dashboard/").url.path == "/dashboard/"
    people.remove_person(database, "ada")
    assert browser.get("/dashboard/").url.path == "/dashboard/sign-in"


def test_who_signs_out_is_out(browse, database):
    browser = signed_in(browse(), database)
    cookie = browser.cookies["trueward-person"]
    browser.post("/dashboard/sign-out")
    assert people.who(database, cookie) is None


def test_people_who_cannot_be_are_refused(database):
    people.add_person(database, "ada", "viewer")
    with pytest.raises(ConflictError, match="user link ada"):
        people.add_person(database, "ada", "editor")
    with pytest.raises(ParameterError, match="role must be viewer or editor, got 'king'"):
        people.add_person(database, "bob", "king")
    with pytest.raises(StudyError, match="no user 'eve'"):
        people.new_link(database, "eve")


def test_a_page_of_another_host_changes_nothing(browse, database, study):
    browser = signed_in(browse(), database)
    before = study.verify().head
    for origin in ("https://evil.example", "null", "http://127.0.0.1.evil.example", "http://127.0.0.1:1"):
        answer = browser.post("/dashboard/studies/explanations/turn", data={"to": "end"}, headers={"Origin": origin})
        assert answer.status_code == 403
    del browser.headers["Origin"]
    assert browser.post("/dashboard/studies/explanations/turn", data={"to": "end"}).status_code == 403
    assert study.verify().head == before


def test_every_answer_is_guarded(browse, database):
    browser = signed_in(browse(), database)
    for path in ("", "studies/explanations/overview", "nothing", "static/dashboard.js", "sign-in"):
        headers = browser.get(f"/dashboard/{path}").headers
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
        assert headers["x-frame-options"] == "DENY"
    assert browser.get("/dashboard/").headers["cache-control"] == "no-store"
