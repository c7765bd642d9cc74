"""The whole way in a real browser: sign in, begin a study, rate from a web page, find the bot, take it out, undo."""

import contextlib
import io
import shutil
import threading
import time
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import pytest
import uvicorn
from playwright.sync_api import expect, sync_playwright

import trueward as tw
from trueward.serve.app import create_app
from trueward.serve.dashboard.people import add_person
from trueward.serve.settings import Settings
from trueward.study.database import connected

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, to use the pages as people do")

QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
QUIET += ["--disable-component-update", "--disable-sync"]
NAME = "ada" * 20  # however long it is, it fits
PATIENCE = 30_000  # milliseconds, on a busy machine
expect.set_options(timeout=PATIENCE)
SURVEY = """<!doctype html><meta charset="utf-8"><link rel="icon" href="data:,"><title>A survey</title>
<script src="{service}/trueward.js"></script>"""


@contextlib.contextmanager
def serving(url):
    """Give the address of the service, on a real socket."""
    app = create_app(Settings(db=url))
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", timeout_graceful_shutdown=2))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        app.state.dashboard.stopping.say()
        thread.join(20)


@contextlib.contextmanager
def survey(service):
    """Give the address of a page elsewhere that loads trueward.js from the service."""

    class Page(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(SURVEY.format(service=service).encode())

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def service(url):
    with serving(url) as address:
        yield address


@pytest.fixture
def page(service):
    """A page of a browser; at the end, nothing was complained of and no other host was called."""
    said, hosts = [], set()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        page = browser.new_context(viewport={"width": 1400, "height": 900}).new_page()
        page.set_default_timeout(PATIENCE)
        page.context.on("console", lambda message: said.append(message.text))
        page.context.on("weberror", lambda error: said.append(str(error.error)))
        page.context.on("request", lambda request: hosts.add(urlsplit(request.url).hostname))
        try:
            yield page
        finally:
            browser.close()
    assert said == []
    assert hosts - {None} == {"127.0.0.1"}


def sign_in(page, service, url):
    with connected(url) as database:
        link = f"{service}/dashboard/sign-in/{add_person(database, NAME, 'editor')}"
    page.goto(link)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url("**/dashboard/")


def test_a_study_is_begun_and_rated_from_a_web_page(page, service, url):
    sign_in(page, service, url)
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Name").fill("songs")
    page.get_by_label("Arms").fill("rock\njazz")
    page.get_by_role("button", name="See the plan").click()
    expect(page.get_by_text("200 decisions")).to_be_visible()
    page.get_by_role("button", name="Create the study").click()
    expect(page.get_by_text("The study is there")).to_be_visible()
    with survey(service) as elsewhere:
        page.get_by_text("New key for browsers…").click()
        page.get_by_label("Pages that may use it").fill(elsewhere)
        page.locator("details[open]").get_by_role("button", name="Make the key").click()
        key = page.locator("#key").inner_text()
        other = page.context.new_page()
        other.goto(elsewhere)
        rated = other.evaluate(
            """async (given) => {
                const study = trueward.connect(given);
                const shown = await study.decide({ participant: "p17" });
                return [shown.arm, (await study.rate(shown, 4, { seconds: 12 })).sent];
            }""",
            {"url": service, "study": "songs", "key": key},
        )
        other.close()
    assert rated[0] in ("rock", "jazz")
    assert rated[1] is True
    page.goto(f"{service}/dashboard/studies/songs/log")
    row = page.locator("table.log tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(rated[0])
    expect(row).to_contain_text("seconds 12")


@pytest.mark.parametrize("url", ["sqlite", "postgresql"], indirect=True)
def test_the_bot_is_seen_taken_out_and_brought_back(page, service, url, bot):
    sign_in(page, service, url)
    page.get_by_role("link", name="explanations").click()
    expect(page.locator(".chart svg")).to_have_count(2)
    before = page.locator(".figures dd").first.inner_text()
    page.get_by_role("link", name="Bursts").click()
    expect(page.locator(".chart svg")).to_have_count(1)
    first = page.locator(".givers tbody tr").first
    expect(first).to_contain_text(bot[:8])  # who gave most of what is left out
    page.get_by_role("link", name="Raters").click()
    row = page.locator("table.raters tbody tr").first
    expect(row).to_contain_text("same answer many times in a row")
    row.get_by_role("link", name="Take out…").press("Enter")  # by keyboard
    expect(page.get_by_text("The same arm would look best")).to_be_visible()
    page.get_by_label("Reason, for the log").fill("answers within a second")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_contain_text("taken out: 8 decisions")
    page.get_by_role("link", name="Study", exact=True).click()
    expect(page.locator(".figures dd").first).not_to_have_text(before)
    page.get_by_role("link", name="Log", exact=True).click()
    page.locator(".history").get_by_role("button", name="Undo").click()
    expect(page.get_by_role("status").first).to_contain_text("8 decisions brought back")
    page.get_by_role("link", name="Study", exact=True).click()
    expect(page.locator(".figures dd").first).to_have_text(before)
    page.get_by_role("link", name="Log", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Export").click()
    with zipfile.ZipFile(io.BytesIO(download.value.path().read_bytes())) as archive:
        assert b"answers within a second" in archive.read("events.jsonl")


def test_a_page_moves_while_one_looks_and_fits_a_phone(page, service, url):
    sign_in(page, service, url)
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{service}/dashboard/studies/explanations/overview")
    counted = page.locator(".figures dd").nth(1)
    before = int(counted.inner_text())
    expect(page.locator("#live")).to_be_visible()
    with tw.Study.open(url, "explanations") as study:
        study.tell(study.ask(participant="late"), 3)
    expect(counted).to_have_text(str(before + 1))
    for part in ("overview", "bursts", "raters", "log", "what-if", "settings"):
        page.goto(f"{service}/dashboard/studies/explanations/{part}")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.goto(f"{service}/dashboard/studies/explanations/settings")
    for form in page.locator("summary").all():
        form.click()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{service}/dashboard/new")
        assert page.evaluate("document.documentElement.scrollWidth") == 390
