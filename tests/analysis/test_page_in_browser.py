"""The page of an analysis as readers see it, on a large screen and on a phone, without a network."""

import shutil

import pytest

from trueward.analysis.page import FIGURES, write_page
from trueward.analysis.text import make_report

playwright = pytest.importorskip("playwright.sync_api")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, to open the page as a reader would")

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking", "--disable-sync"]
SEEN = """() => ({
  drawn: [...document.querySelectorAll(".chart[data-drawn=yes]")].map((chart) => chart.id),
  widths: [...document.querySelectorAll(".chart canvas")].map((canvas) => canvas.getBoundingClientRect().width),
  overflow: document.documentElement.scrollWidth - window.innerWidth,
  errors: document.getElementById("errors").textContent,
})"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """Return what is seen at each width, and what the console said."""
    from trueward.analysis import Decisions

    folder = tmp_path_factory.mktemp("page")
    names = ["video", "text", "quiz"]
    decisions = Decisions.from_columns(
        arm=[names[i % 3] for i in range(120)],
        rating=[(9, 5, 4)[i % 3] + i % 2 for i in range(120)],
        participant=[f"p{i % 40}" for i in range(120)],
        probabilities=[dict.fromkeys(names, 1 / 3)] * 120,
        check=[int(i % 40 != 7) for i in range(120)],
        scale=(0, 10),
    )
    page = write_page(folder, make_report(decisions, epsilon=0.02, rules=["check failed"]), name="<x>", command="")
    with playwright.sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        looks, said = {}, []
        for width in (1400, 390):
            context = browser.new_context(viewport={"width": width, "height": 900}, offline=True)
            tab = context.new_page()
            tab.on("console", lambda message: said.append(message.text))
            tab.on("pageerror", lambda error: said.append(str(error)))
            tab.goto(page.as_uri())
            tab.wait_for_function(f"document.querySelectorAll('.chart[data-drawn=yes]').length === {len(FIGURES)}")
            looks[width] = tab.evaluate(SEEN)
        browser.close()
    return looks, said


def test_page_logs_no_errors_in_the_browser(seen):
    looks, said = seen
    assert said == []
    assert {look["errors"] for look in looks.values()} == {""}


def test_page_draws_every_figure_on_desktop_and_phone(seen):
    assert [look["drawn"] for look in seen[0].values()] == [list(FIGURES)] * 2


def test_page_fits_the_width_of_a_phone(seen):
    looks, _ = seen
    assert max(looks[390]["widths"]) <= 390
    assert min(looks[1400]["widths"]) > 600
    assert looks[390]["overflow"] <= 0
