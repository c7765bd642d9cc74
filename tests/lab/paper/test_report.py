import re
import struct
from html.parser import HTMLParser

import pytest

from interpreted import interpreted
from trueward import lab
from trueward.lab.experiment.example_files import example_file
from trueward.lab.paper.ledger import Check, Entry, Ledger
from trueward.lab.paper.report import write_report

CHECKS = (
    Check("default reading", 12.5, 10.25, 14.75, "holds"),
    Check("sigma: <proxy>", -3.0, -4.0, -2.0, "does not hold"),
)
LEDGER = Ledger(
    (
        Entry(
            "grows",
            "Figure 1",
            "Regret grows with <epsilon> & more",
            "a slope",
            "points",
            "above 0",
            "above",
            0.0,
            CHECKS[:1],
        ),
        Entry(
            "shrinks",
            "Section 5",
            "Regret shrinks",
            "a difference",
            "points",
            "below 0",
            "below",
            0.0,
            CHECKS[1:],
            "never seen",
        ),
        Entry("varies", "Figure 3", "It depends", "a ratio", "times", "above 1", "above", 1.0, CHECKS),
    )
)
SETTINGS = {"trials": 3, "seed": 7, "run time": "1.5 s", "label": "<b>"}
OWN = {
    "title": 'My own "study" <1>',
    "arms": {"name": "bernoulli", "p": [0.9, 0.5]},
    "policies": {"</script><b>": {"name": "uniform"}, "tUCB": {"name": "uniform"}},
    "horizon": 20,
    "trials": 3,
}


class Loads(HTMLParser):
    """Collects what a page would load, and what it links to."""

    def __init__(self):
        super().__init__()
        self.loaded, self.links, self.scripts = [], [], 0

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.loaded += [given[key] for key in ("src", "srcset", "data") if key in given]
        self.loaded += [given["href"]] if tag in ("link", "base") else []
        self.links += [given["href"]] if tag == "a" else []
        self.scripts += tag == "script"


def parsed(page):
    parser = Loads()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def text_of(page):
    """The page without its scripts."""
    return re.sub(r"<script.*?</script>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


@pytest.fixture(scope="module")
def results():
    with interpreted():
        return {f"figure{n}": lab.run(example_file(f"figure{n}"), trials=3, seed=7, horizon=30) for n in (1, 4)}


@pytest.fixture(scope="module")
def page(results, tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    (folder / "data").mkdir()
    (folder / "data" / "figure1-curves.parquet").write_bytes(b"")
    return write_report(folder, results, LEDGER, SETTINGS)


def test_report_loads_nothing(page):
    assert parsed(page).loaded == []
    assert "default-src 'none'" in text_of(page)
    assert "@import" not in text_of(page)
    assert "url(" not in text_of(page)


def test_report_names_settings_and_command(page):
    text = text_of(page)
    for words in (
        "1.5 s",
        "&lt;b&gt;",
        "version",
        "30 rounds, 3 trials, seed 7",
        "trueward reproduce --trials 3 --seed 7",
    ):
        assert words in text


def test_report_shows_every_claim_with_every_reading(page):
    text = text_of(page)
    assert "Regret grows with &lt;epsilon&gt; &amp; more" in text
    assert "12.5 [10.25, 14.75]" in text
    assert "points; above 0" in text
    assert text.count("sigma: &lt;proxy&gt;") == 3  # in two lists of readings, and as what one verdict depends on
    for verdict in ("✓ holds", "✗ does not hold", "◐ depends", "? undecided (0)"):
        assert verdict in text
    assert "under up to 2 readings each: 1 holds, 1 depends on the reading" in text


def test_report_shows_figures_then_regrets_claims_and_settings(page):
    assert re.findall(r'<section id="(\w+)"', text_of(page)) == ["figures", "regrets", "claims", "run", "again"]


def test_report_shows_only_figures_that_were_played(page):
    assert re.findall(r'<div class="chart" id="(\w+)"', text_of(page)) == ["figure1", "figure4"]


def test_links_lead_to_files_in_the_folder(page):
    links = [link for link in parsed(page).links if not link.startswith("#")]
    assert "data/figure1-curves.parquet" in links
    assert all((page.parent / link).is_file() for link in links)


@pytest.mark.parametrize("name", ["figure1", "figure4"])
def test_figures_are_written_as_png_and_pdf(page, name):
    png = (page.parent / "figures" / f"{name}.png").read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", png[16:24]) > (1000, 500)
    assert (page.parent / "figures" / f"{name}.pdf").read_bytes()[:5] == b"%PDF-"


def test_caption_describes_the_bars_of_the_paper(results, tmp_path):
    page = write_report(tmp_path, {"figure4": results["figure4"]}, Ledger(()), {}, paper=True)
    assert "mean over 3 trials, with bars of one standard deviation" in text_of(page)
    assert "trueward reproduce --figure 4 --paper --seed 7" in text_of(page)


def test_own_experiment_has_a_chart_and_no_ledger(tmp_path):
    page = write_report(tmp_path, {"my study": lab.run(OWN)}, Ledger(()), {"seed": 0})
    text = text_of(page)
    assert "My own &#34;study&#34; &lt;1&gt;" in text
    assert 'id="claims"' not in text
    assert (tmp_path / "figures" / "my-study.png").is_file()


def test_own_experiment_has_the_table_that_the_terminal_shows(tmp_path):
    result = lab.run({**OWN, "policies": {"UCB [/]": {"name": "uniform"}, "tUCB": {"name": "uniform"}}})
    text = text_of(write_report(tmp_path, {"own": result}, Ledger(()), {}))
    for head in ("policy", "mean", "95 % CI", "10-90 % range", "difference to UCB [/]"):
        assert f"<th>{head}</th>" in text
    for row in result.table.iter_rows(named=True):
        assert f'<td>{row["policy"]}</td><td class="number">{row["regret"]:.1f}</td>' in text


def test_name_of_a_policy_cannot_end_a_script(tmp_path):
    page = write_report(tmp_path, {"own": lab.run(OWN)}, Ledger(()), {})
    assert parsed(page).scripts == 4  # three of the page, and one chart
