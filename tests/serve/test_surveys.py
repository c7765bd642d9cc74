"""The recipes for Qualtrics and LimeSurvey, from the docs, in pages that do what the documentation of those says."""

import html
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest

from serving import in_a_thread, until
from trueward.serve.settings import Settings

DOCS = Path(__file__).parents[2] / "docs" / "surveys.md"
HEAD = '<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,">'

QUALTRICS = """
<script>
  const loads = [], submits = [];
  const fields = Object.fromEntries(new URLSearchParams(location.search));
  const question = {
    hideNextButton() { NextButton.hidden = true; },
    showNextButton() { NextButton.hidden = false; },
    clickNextButton() { leave("next"); },
    getSelectedChoices() { return [...document.querySelectorAll("input:checked")].map((each) => each.id); },
    getChoiceRecodeValue(choice) { return { x1: "1", x7: "4" }[choice]; },
  };
  function leave(direction) {
    for (const submit of submits) submit.call(question, direction);
    location = "/next?" + new URLSearchParams(fields);
  }
  const Qualtrics = { SurveyEngine: {
    addOnload(work) { loads.push(work); },
    addOnPageSubmit(work) { submits.push(work); },
    setJSEmbeddedData(name, value) {
      if (typeof value !== "string") throw new TypeError(name + " must be a text");
      fields["__js_" + name] = value;
    },
  } };
  addEventListener("load", () => { for (const work of loads) work.call(question); });
</script>
<label><input type="radio" name="q" id="x1">not at all</label><label><input type="radio" name="q" id="x7">much</label>
<button id="PreviousButton" onclick="leave('prev')">Back</button>
<button id="NextButton" onclick="leave('next')">Next</button>
"""
LIMESURVEY = """
<form action="/next"><input class="hidden" id="answer7X1X2" name="arm">
<input class="hidden" id="answer7X1X3" name="shown"><input name="helpful">
<button id="ls-button-submit">Next</button></form>
"""


@pytest.fixture
def survey(chromium, serve, sqlite):
    """Return a maker of a survey: a browser page, and the study that it asks."""
    service, opened = serve(sqlite), []

    def start(title, render):
        """Serve what `render` makes of the recipes, by whether it is the first page, and of what was sent to it."""

        class Page(BaseHTTPRequestHandler):
            def do_GET(self):
                there = urlsplit(self.path)
                recipes = [recipe.replace("https://study.example.org", url).replace("tw_pk_…", key) for recipe in code]
                text = render(recipes, there.path == "/", dict(parse_qsl(there.query)))
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write((HEAD + text).encode())

            def log_message(self, *_):
                pass

        section = re.search(rf"\n## {title}\n(.*?)(?=\n## |\Z)", DOCS.read_text(), re.DOTALL)[1]
        code = re.findall(r"```(?:js|html)\n(.*?)```", section, re.DOTALL)
        pages = ThreadingHTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=pages.serve_forever).start()
        origin = f"http://127.0.0.1:{pages.server_port}"
        key = service.new_key(origins=[origin])
        running = in_a_thread(Settings(db=sqlite))
        url = running.__enter__()
        page = chromium.new_context().new_page()
        said = []
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        opened.append((pages, running, page, said))
        page.goto(origin)
        return page, service.app.state.studies["explanations"]

    yield start
    for pages, running, page, said in opened:
        page.context.close()
        pages.shutdown()
        pages.server_close()
        running.__exit__(None, None, None)
        assert said == []


def test_the_recipe_for_qualtrics_decides_and_rates(survey):
    def render(recipes, first, sent):
        header, decide, rate = recipes
        question = decide if first else rate
        for name, value in {"ResponseID": "R_1aZ", **sent}.items():
            question = question.replace(f"${{e://Field/{name}}}", value)
        assert "${" not in question  # every field is known
        return f"{header}{QUALTRICS}<p>{'' if first else 'How was it?'}</p><script>{question}</script>"

    page, study = survey("Qualtrics", render)
    page.get_by_text("How was it?").wait_for()  # it went on by itself
    (shown,) = study.decisions().rows(named=True)
    assert f"__js_arm={shown['arm']}&__js_decision=1&__js_token=" in page.url
    page.get_by_label("much").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Back").click()  # no rating,
    with page.expect_navigation():
        page.get_by_role("button", name="Next").click()  # and nothing was chosen
    page.get_by_label("much").check()
    page.get_by_role("button", name="Next").click()
    assert until(lambda: study.decisions()["reward"].to_list() == [4.0])
    assert study.ask(participant="R_1aZ").number == 1


def test_the_recipe_for_limesurvey_decides_and_rates(survey):
    def render(recipes, first, sent):
        known = {"TOKEN": "t0k3n", "arm.sgqa": "7X1X2", "shown.sgqa": "7X1X3"}
        known |= {f"{name}.NAOK": html.escape(value) for name, value in sent.items()}
        decide, rate = recipes
        # LimeSurvey takes braces for its own where no white space follows; what it does not know is an error
        script = re.sub(r"\{(?!\s)([^{}]*)\}", lambda found: known[found[1]], decide if first else rate)
        return f"{LIMESURVEY if first else '<p>Thank you</p>'}{script}"

    page, study = survey("LimeSurvey", render)
    page.wait_for_function("() => document.querySelector('#answer7X1X2').value")
    page.locator("[name=helpful]").fill("4")
    page.locator("#ls-button-submit:not(:disabled)").click()
    page.get_by_text("Thank you").wait_for()
    assert until(lambda: study.decisions()["reward"].to_list() == [4.0])
    (shown,) = study.decisions().rows(named=True)
    assert f"arm={shown['arm']}&" in page.url
    assert study.ask(participant="t0k3n").number == 1
