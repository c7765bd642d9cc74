import re
import shutil
import subprocess

import pytest

from interpreted import interpreted
from trueward import lab
from trueward.lab.experiment.examples import example_file
from trueward.lab.paper.ledger import Check, Entry, Ledger
from trueward.lab.report.report import write_report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, to open the page as a reader would")

OFFLINE = ["--disable-background-networking", "--disable-sync", "--disable-component-update", "--no-first-run"]
OFFLINE += ["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"]
NAMES = ["figure1", "figure3", "figure4", "figure5"]
LEDGER = Ledger(
    (
        Entry(
            "one", "Figure 1", "It holds", "a number", "points", "above 0", (Check("as stated", 1, 0.5, 1.5, "holds"),)
        ),
    )
)


def opened(page, profile):
    """The page's document after its scripts have run, and what the console said."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", *OFFLINE]
    flags += [f"--user-data-dir={profile}", "--virtual-time-budget=15000", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


@pytest.fixture(scope="module", params=[False, True], ids=["ours", "paper"])
def seen(request, tmp_path_factory):
    with interpreted():
        results = {name: lab.run(example_file(name), trials=3, horizon=40) for name in NAMES}
    page = write_report(tmp_path_factory.mktemp("page"), results, LEDGER, {"seed": 0}, paper=request.param)
    return opened(page, tmp_path_factory.mktemp("profile"))


def test_the_console_stays_silent(seen):
    _, console = seen
    assert console == []


def test_nothing_fails_and_nothing_is_refused(seen):
    document, _ = seen
    assert '<ul id="errors" hidden=""></ul>' in document


def test_every_figure_is_drawn(seen):
    document, _ = seen
    charts = re.findall(r'<div class="chart[^>]*data-drawn="yes".*?</canvas>', document, flags=re.DOTALL)
    assert [re.search(r'id="(\w+)"', chart)[1] for chart in charts] == NAMES
