import re

import pytest

from browser import needs_chromium, opened
from interpreted import interpreted
from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.paper.ledger import Check, Entry, Ledger
from trueward.lab.paper.report import write_report

pytestmark = needs_chromium

NAMES = ["figure1", "figure3", "figure4", "figure5"]
LEDGER = Ledger(
    (
        Entry(
            "one",
            "Figure 1",
            "It holds",
            "a number",
            "points",
            "above 0",
            "above",
            0.0,
            (Check("default reading", 1, 0.5, 1.5, "holds"),),
        ),
    )
)


@pytest.fixture(scope="module", params=[False, True], ids=["ours", "paper"])
def seen(request, tmp_path_factory):
    with interpreted():
        results = {name: lab.run(example_file(name), trials=3, horizon=40) for name in NAMES}
    page = write_report(tmp_path_factory.mktemp("page"), results, LEDGER, {"seed": 0}, paper=request.param)
    return opened(page, tmp_path_factory.mktemp("profile"))


def test_browser_console_stays_empty(seen):
    _, console = seen
    assert console == []


def test_page_reports_no_error_and_no_blocked_request(seen):
    document, _ = seen
    assert '<ul id="errors" hidden=""></ul>' in document


def test_every_figure_is_drawn(seen):
    document, _ = seen
    charts = re.findall(r'<div class="chart[^>]*data-drawn="yes".*?</canvas>', document, flags=re.DOTALL)
    assert [re.search(r'id="(\w+)"', chart)[1] for chart in charts] == NAMES
