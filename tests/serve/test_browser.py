"""trueward.js in a real browser: the recipe for jsPsych, and ratings that are given offline."""

import functools
import http.server
import re
import shutil
import threading
from pathlib import Path

import pytest

from serving import in_a_thread, until
from trueward.serve.settings import Settings

ROOT = Path(__file__).parents[2]


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture
def survey(serve, sqlite, tmp_path):
    """Return the address of a folder of pages, with the recipe in it, the study, and the address of its service."""
    folder = tmp_path / "survey"
    shutil.copytree(Path(__file__).parent / "jspsych", folder)
    pages = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=pages.serve_forever).start()
    origin = f"http://127.0.0.1:{pages.server_port}"
    service = serve(sqlite)
    key = service.new_key(origins=[origin])
    with in_a_thread(Settings(db=sqlite)) as url:
        text = (ROOT / "docs" / "surveys.md").read_text()
        recipe = re.search(r"## jsPsych.*?```html\n(.*?)```", text, re.DOTALL)[1]
        (folder / "index.html").write_text(recipe.replace("https://study.example.org", url).replace("tw_pk_…", key))
        empty = f'<!doctype html><script src="{url}/trueward.js"></script><script>const study = trueward.connect('
        (folder / "empty.html").write_text(f'{empty}{{url: "{url}", study: "explanations", key: "{key}"}})</script>')
        yield origin, service.app.state.studies["explanations"], url
    pages.shutdown()
    pages.server_close()


def opened(context, seen):
    """Return a page; `seen` gets its errors, and the hosts that it asks."""
    page = context.new_page()
    page.on("console", lambda said: seen["errors"].append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: seen["errors"].append(str(error)))
    page.on("request", lambda request: seen["hosts"].add(request.url.split("/")[2]))
    return page


def rewards(study):
    return [reward for reward in study.decisions()["reward"].to_list() if reward is not None]


def test_the_recipe_for_jspsych_decides_and_rates(chromium, survey):
    origin, study, url = survey
    seen = {"errors": [], "hosts": set()}
    context = chromium.new_context()
    page = opened(context, seen)
    page.route("**/favicon.ico", lambda route: route.fulfill(status=204))
    page.goto(f"{origin}/index.html?participant=p17")
    page.get_by_role("button", name="Go on").click()
    page.get_by_role("button", name="4", exact=True).click()
    page.get_by_text("Thank you!").wait_for()
    assert until(lambda: rewards(study) == [4.0])
    row = study.decisions().row(0, named=True)
    assert '"seconds":' in row["evidence"]
    page.goto(f"{origin}/index.html?participant=p17")  # who comes again is shown the same
    words = {"video": "Watch the film", "text": "Read the page"}[row["arm"]]
    page.get_by_text(words).wait_for()
    assert study.decisions().height == 1
    assert seen["errors"] == []
    assert seen["hosts"] == {origin.removeprefix("http://"), url.removeprefix("http://")}
    context.close()


def test_ratings_that_are_given_offline_are_sent_later(chromium, survey):
    origin, study, _ = survey
    context = chromium.new_context()
    page = opened(context, {"errors": [], "hosts": set()})
    page.goto(f"{origin}/empty.html")
    shown = page.evaluate("study.decide({ participant: 'p1' })")
    other = page.evaluate("study.decide({ participant: 'p2' })")
    context.set_offline(True)
    assert page.evaluate("shown => study.rate(shown, 5)", shown) == {"sent": False}
    assert page.evaluate("study.decide({ participant: 'p1' })") == shown  # and what was decided is known
    assert rewards(study) == []
    context.set_offline(False)  # the browser says that it is online, and the rating is sent
    assert until(lambda: rewards(study) == [5.0])
    assert until(lambda: page.evaluate("study.unsent") == 0)
    context.set_offline(True)
    page.evaluate("shown => study.rate(shown, 2)", other)
    page.close()
    context.set_offline(False)
    opened(context, {"errors": [], "hosts": set()}).goto(f"{origin}/empty.html")  # opened again, perhaps days later
    assert until(lambda: rewards(study) == [5.0, 2.0])
    context.close()


def test_a_rating_that_is_refused_is_said_and_not_kept(chromium, survey):
    origin, study, _ = survey
    context = chromium.new_context()
    page = opened(context, {"errors": [], "hosts": set()})
    page.goto(f"{origin}/empty.html")
    said = page.evaluate(
        "study.decide().then(shown => study.rate(shown, 4).then(() => study.rate(shown, 1)))"
        ".catch(error => [error.name, error.status, error.message])"
    )
    assert said == ["Refused", 409, "decision 1 has the reward 4, got 1; use amend"]
    assert page.evaluate("study.unsent") == 0
    assert page.evaluate("study.decide().then(shown => shown.number)") == 1  # an id was made up, and kept
    assert rewards(study) == [4.0]
    context.close()


def test_where_too_many_ask_at_once_a_page_waits_for_its_turn(chromium, survey):
    origin, study, _ = survey
    context, refused = chromium.new_context(), []
    page = opened(context, {"errors": [], "hosts": set()})

    def refuse_once(route):
        if refused or route.request.method != "POST":
            return route.continue_()
        refused.append(route.request.headers["idempotency-key"])
        allowed = {"Access-Control-Allow-Origin": origin}
        return route.fulfill(status=429, json={"detail": "too many"}, headers=allowed)

    page.route("**/decisions", refuse_once)
    page.goto(f"{origin}/empty.html")
    assert page.evaluate("study.decide({ participant: 'p1' }).then(shown => shown.number)") == 1
    assert len(refused) == study.decisions().height == 1
    context.close()
