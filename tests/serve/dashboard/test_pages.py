"""What people see and do, from page to page; their words are never taken for more than words."""

import io
import re
import time
import zipfile
from html.parser import HTMLParser

import pytest

import trueward as tw

NASTY = "<script>alert(1)</script>\"'><img src=x onerror=alert(2)>"
PAGES = ("overview", "bursts", "raters", "log", "what-if", "settings")


class Tags(HTMLParser):
    """The elements of a page with their attributes, as a browser would find them."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


@pytest.fixture
def browser(study, browse):
    return browse(open=True)


def seen(browser, part, study="explanations"):
    answer = browser.get(f"/dashboard/studies/{study}/{part}")
    assert answer.status_code == 200
    return answer.text


def test_every_page_of_a_study_is_there(browser):
    assert "explanations" in browser.get("/").text
    for part in PAGES:
        assert "<h1>explanations</h1>" in seen(browser, part)
    assert "break-even" in seen(browser, "overview").lower()
    assert 'class="pill lead"' in seen(browser, "overview")


def test_a_study_without_a_rating_says_so_on_every_page(browser, url):
    tw.Study.create(url, "empty", arms=["a", "b"], policy=tw.UCB(sigma=1.0)).close()
    words = {
        "overview": "Nobody has been asked yet",
        "bursts": "No ratings yet",
        "raters": "No rater can be judged yet",
        "log": "No decisions yet",
        "what-if": "Nothing to ask yet",
        "settings": "No key yet",
    }
    for part, sentence in words.items():
        assert sentence in seen(browser, part, "empty")
    with tw.Study.open(url, "empty") as study:
        study.tell(study.ask(participant="one"), 3)
    for part in PAGES:  # one rating, of one arm, on a scale that nobody declared
        seen(browser, part, "empty")


def test_a_rater_is_taken_out_with_a_reason_and_brought_back(browser, study, bot):
    form = seen(browser, f"void?rater={bot}")
    assert "8 decisions" in form
    assert not any(arm in form for arm in ("video", "text<", "quiz"))  # blind to the arm
    refused = browser.post("/dashboard/studies/explanations/void", data={"rater": bot, "reason": "  "})
    assert refused.status_code == 400
    assert "Please say why" in refused.text
    done = browser.post("/dashboard/studies/explanations/void", data={"rater": bot, "reason": "a bot"})
    assert f"Rater {bot} taken out: 8 decisions" in done.text
    assert study.decisions().filter(participant=bot)["status"].unique().to_list() == ["void"]
    assert "taken out" not in seen(browser, "settings")  # said once
    undo = dict(re.findall(r'<input type="hidden" name="(rater)" value="(\w+)"><button>Undo', done.text))
    back = browser.post("/dashboard/studies/explanations/restore", data=undo)
    assert "8 decisions brought back" in back.text
    assert study.decisions().filter(participant=bot)["status"].unique().to_list() == ["rated"]


def test_who_looks_at_the_arms_first_is_written_down(browser, study, bot):
    assert "video" in seen(browser, f"void?rater={bot}&arms=true")
    browser.post("/dashboard/studies/explanations/void", data={"rater": bot, "reason": "a bot", "arms": "true"})
    assert "a bot (decided with the arms shown)" in seen(browser, "log")


def test_a_void_of_one_decision_and_of_two_is_said_in_words_that_fit(browser, study):
    one, two = seen(browser, "void?number=1"), seen(browser, "void?number=1&number=2")
    assert "It is rated, and would not count any more." in one
    assert "Take it out" in one
    assert "2 of them are rated." in two
    assert "Take them out" in two


def test_a_void_is_undone_from_the_log_and_a_rating_amended(browser, study):
    browser.post("/dashboard/studies/explanations/void", data={"number": [1, 2], "reason": "tested by us"})
    log = seen(browser, "log")
    event = re.search(r'name="event" value="(\d+)"><button>Undo', log)[1]
    browser.post("/dashboard/studies/explanations/restore", data={"event": event})
    assert study.decisions()["status"].head(2).to_list() == ["rated", "rated"]
    old = study.decisions()["reward"][0]
    new = 5 if old != 5 else 4
    path = "/dashboard/studies/explanations/amend"
    wrong = browser.post(path, data={"number": 1, "value": "many", "reason": "typo"})
    assert (wrong.status_code, "must be a number" in wrong.text, 'value="typo"' in wrong.text) == (400, True, True)
    browser.post(path, data={"number": 1, "value": new, "reason": "typo"})
    assert study.decisions()["reward"][0] == new


def test_arms_and_states_change_and_what_cannot_be_is_said(browser, study):
    path = "/dashboard/studies/explanations"
    assert "“song” was added" in browser.post(f"{path}/arms", data={"arm": "song"}).text
    assert "has an arm &#39;song&#39; already" in browser.post(f"{path}/arms", data={"arm": "song"}).text
    browser.post(f"{path}/arms", data={"retire": "quiz", "why": "too long"})
    assert "paused" in browser.post(f"{path}/turn", data={"to": "pause"}).text
    assert study.state == "paused"
    browser.post(f"{path}/turn", data={"to": "resume"})
    browser.post(f"{path}/turn", data={"to": "end"})
    assert "is ended" in browser.post(f"{path}/turn", data={"to": "resume"}).text
    assert study.verify().ok
    assert "all as written" in browser.post(f"{path}/verify").text


def test_a_key_is_shown_once_works_and_is_revoked(browser, browse):
    path = "/dashboard/studies/explanations"
    made = browser.post(f"{path}/keys", data={"scope": ["decide", "reward"], "label": "our app"})
    key = re.search(r"tw_sk_\w+", made.text)[0]
    page = seen(browser, "settings")
    assert "our app" in page
    assert key not in page
    caller = browse()  # where keys are needed
    ask = {"url": "/v1/studies/explanations/decisions", "json": {"participant": "new"}}
    assert caller.post(**ask, headers={"Authorization": f"Bearer {key}"}).status_code == 201
    browser.post(f"{path}/revoke", data={"key": key.split("_")[2]})
    assert caller.post(**ask, headers={"Authorization": f"Bearer {key}"}).status_code == 401
    assert "Scope must be" in browser.post(f"{path}/keys", data={"scope": "rule"}).text


def test_an_export_holds_log_and_tables(browser, study):
    answer = browser.get("/dashboard/studies/explanations/export.zip")
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {"events.jsonl", "decisions.csv", "decisions.parquet", "codebook.md"}
        assert len(archive.read("decisions.csv").splitlines()) == study.decisions().height + 1


WANTED = {"name": "songs", "arms": "rock\njazz", "low": "1", "high": "5", "participants": "40", "ratings": "2"}
WANTED |= {"share": "10", "careless": "10", "difference": "", "window": "48h", "rules": "no bots\nno cats"}


def test_a_new_study_is_planned_and_then_created(browser, url):
    plan = browser.post("/dashboard/new/plan", data=WANTED)
    assert "80 decisions: 40 participants, 2 each" in plan.text
    assert "songs" not in [each.name for each in tw.Study.list(url)]
    assert "The study is there" in browser.post("/dashboard/new/create", data=WANTED).text
    with tw.Study.open(url, "songs") as study:
        assert list(study.arms) == ["rock", "jazz"]
    assert "no bots" in seen(browser, "settings", "songs")


def test_a_plan_says_what_to_expect_before_the_study_is_created(browser, monkeypatch):
    few = {"games": 2, "compiled": False, "rehearse": False, "progress": False, "policies": ["tUCB"]}  # soon played
    monkeypatch.setattr("trueward.serve.dashboard.planning.HOW", few)
    page = browser.post("/dashboard/new/plan", data=WANTED | {"participants": "8", "difference": "1"}).text
    assert "Playing the study before anybody is asked" in page
    where = re.search(r'hx-get="(/dashboard/new/power/\w+)"', page)[1]
    while "so far" in (told := browser.get(where).text):
        time.sleep(0.05)
    assert re.search(r"8 <span class=\"pill\">planned", told)
    assert "Robust interval decides" in told
    assert "hx-get" not in told  # there is nothing to wait for any more
    wrong = browser.post("/dashboard/new/plan", data=WANTED | {"participants": "8", "difference": "9"}).text
    where = re.search(r'hx-get="(/dashboard/new/power/\w+)"', wrong)
    while where and "so far" in (wrong := browser.get(where[1]).text):
        time.sleep(0.05)
    assert "must leave room on the scale" in wrong
    assert browser.get("/dashboard/new/power/nothing").status_code == 404


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"arms": "rock"}, "Arms must be two at least"),
        ({"arms": "rock\nrock"}, "Arms must be different"),
        ({"name": ""}, "Name must be"),
        ({"name": "explanations"}, "Name must be new"),
        ({"low": "x"}, "The lowest rating must be a number"),
        ({"low": "9"}, "range"),
        ({"participants": "none"}, "Participants must be a whole number"),
        ({"participants": "²"}, "Participants must be a whole number"),
        ({"participants": "99999999999999999999"}, "from 1 to 1,000,000"),
        ({"participants": "20001", "difference": "0.5"}, "Participants must be at most 20,000 to be played"),
        ({"careless": "nan"}, "careless, in percent, must be at least 0"),
        ({"name": ".."}, "Name must not have / in it"),
        ({"window": "soon"}, "Window must be such as"),
        ({"share": "200"}, "uniform_share"),
        ({"difference": "much"}, "difference that matters must be a number"),
    ],
)
def test_a_form_that_is_wrong_says_where_and_loses_nothing(browser, change, words):
    answer = browser.post("/dashboard/new/plan", data=WANTED | change)
    assert answer.status_code == 400
    assert words.lower() in answer.text.lower()
    assert "no cats" in answer.text


def test_words_of_others_are_only_words(url, browse):
    name = NASTY.replace("/", "")[:100]
    arms = {f"{NASTY} {i}": {"show": NASTY} for i in range(2)}
    policy = tw.CrUCB(tw.TrimmedMean(alpha=0.1), sigma=1.0)
    with tw.Study.create(url, name, arms=arms, policy=policy, rules=[NASTY], actor=NASTY) as study:
        for person in range(8):
            for occasion in "12":
                shown = study.ask(participant=f"{NASTY}{person}", occasion=f"{NASTY}{occasion}")
                study.tell(shown, person % 5 + 1, evidence={NASTY: 1.0})
        study.void(number=1, reason=NASTY)
        study.pause(reason=NASTY)
        first = study.decisions()["participant"][2]
    browser = browse(open=True)
    study_path = "/dashboard/studies/" + "".join(f"%{byte:02X}" for byte in name.encode())
    parts = [*PAGES, "raters?arms=true", f"void?rater={first}&arms=true", "amend?number=3", "void?number=4"]
    pages = [browser.get(f"{study_path}/{part}").text for part in parts]
    pages.append(browser.get("/dashboard/").text)
    pages.append(browser.post("/dashboard/new/plan", data=WANTED | {"name": NASTY, "arms": f"{NASTY}\nb"}).text)
    pages.append(browser.post(f"{study_path}/arms", data={"arm": NASTY, "retire": ""}).text)
    pages.append(browser.get(f"{study_path}/log", params={"participant": NASTY, "status": NASTY}).text)
    for page in pages:
        assert "alert(1)" in page  # it is there,
        tags = Tags(page)
        assert "img" not in {name for name, _ in tags.found}  # and does nothing
        assert not [each for _, given in tags.found for each in given if each.startswith("on") or each == "style"]
        scripts = [given for name, given in tags.found if name == "script"]
        assert all(given.get("src") or given.get("type") == "application/json" for given in scripts)


def test_no_page_holds_a_script_or_a_style_of_its_own(browser):
    for part in PAGES:
        text = seen(browser, part)
        assert not re.search(r"<script(?![^>]*(src=|application/json))", text)
        assert "<style" not in text
        assert not re.search(r'<[^>]*\sstyle="', text)
        assert not re.search(r'(src|href|action)="(https?:)?//', text)


def test_what_is_not_there_is_said_for_people(browser):
    for path, words in {
        "nothing": "There is no such page",
        "studies/other/overview": "There is no study &#39;other&#39;",
        "studies/explanations/void?rater=nobody": "no pseudonym &#39;nobody&#39;",
        "studies/explanations/amend?number=999": "no decision 999",
        "studies/explanations/overview?epsilon=7": "not as it should be: epsilon",
    }.items():
        answer = browser.get(f"/dashboard/{path}")
        assert answer.status_code in (400, 404)
        assert words in answer.text
        assert answer.headers["content-type"].startswith("text/html")


def test_a_live_page_is_told_when_the_study_moves_on(browser, study, monkeypatch):
    from trueward.serve.dashboard import live

    monkeypatch.setattr(live, "EVERY", 0.0)
    monkeypatch.setattr(live, "LOOKS", 3)
    study.ask(participant="late")
    answer = browser.get("/dashboard/studies/explanations/live")
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.text.count("event: moved") == 1  # it moved once since the page looked first
    monkeypatch.setattr(live, "MOST_STREAMS", 0)
    assert browser.get("/dashboard/studies/explanations/live").status_code == 503
