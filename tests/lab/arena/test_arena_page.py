import io
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from rich.console import Console

import trueward as tw
from trueward.lab.arena.arena_page import standings_table, write_page
from trueward.lab.arena.heat_map import BLACK, WHITE, data_heat_map, draw_heat_map, ink_on, luminance, shade
from trueward.lab.arena.scenario import VALUE_LETTERS, Scenario
from trueward.lab.arena.standings import Standings
from trueward.lab.arena.suite import PAPER


def scenario(group, label):
    return Scenario(group, label, PAPER, tw.NoAdversary(), 1000, None, "quick")


@pytest.fixture(scope="module")
def standings():
    scenarios = [scenario("clean", "a"), scenario("tenth", "b"), scenario("tenth", "<c>")]
    means = np.array([[0.2, 1.0, 0.5], [0.1, 1.0, 1.2], [0.3, 1.0, 0.2]])
    shares = means[:, :, None] + np.random.default_rng(0).normal(0, 0.05, (3, 3, 40))
    return Standings(scenarios, {"good": "ours", "uniform": "baseline", "</script><b>": "yours"}, shares)


class Loads(HTMLParser):
    """Collects what a page would load, and what it links to."""

    def __init__(self):
        super().__init__()
        self.loaded, self.links = [], []

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.loaded += [given[key] for key in ("src", "srcset", "data") if key in given]
        self.loaded += [given["href"]] if tag in ("link", "base") else []
        self.links += [given["href"]] if tag == "a" else []


def test_text_has_enough_contrast_on_every_colour():
    for share in np.linspace(-0.1, 1.6, 400):
        color = shade(share)
        light, dark = sorted((luminance(color), luminance(ink_on(color))), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 4.5, (share, color)  # WCAG, level AA
    assert (luminance(WHITE), luminance(BLACK)) == pytest.approx((1.0, 0.0))


def test_higher_shares_are_darker_in_grey():
    grey = [luminance(shade(share)) for share in np.linspace(0, 1.25, 60)]
    assert (np.diff(grey) < 0).all()
    assert shade(1.25) == shade(9.0)
    assert shade(0.0) == shade(-1.0)


def test_page_loads_nothing_and_links_only_to_existing_files(standings, tmp_path):
    page = write_page(tmp_path, standings, {"seed": 7}, "trueward arena --seed 7")
    parser = Loads()
    parser.feed(page.read_text(encoding="utf-8"))
    assert parser.loaded == []
    assert len(parser.links) == 6
    assert all((tmp_path / link).is_file() for link in parser.links)
    assert not re.search(r"https?://", page.read_text(encoding="utf-8"))


def test_page_shows_every_share_the_settings_and_the_command(standings, tmp_path):
    text = write_page(tmp_path, standings, {"seed": 7}, "trueward arena --seed 7").read_text(encoding="utf-8")
    assert "{{" not in text
    for row in standings.cells:
        for share in row:
            assert f'data-value="{share.value:.6g}"' in text
    assert "<dt>seed</dt><dd>7</dd>" in text
    assert "<pre>trueward arena --seed 7</pre>" in text
    winner = standings.winner("tenth")
    assert f"<strong>good</strong> {winner.worst}</td><td>uniform {winner.next_worst}</td>" in text
    assert "✓ clear" in text


def test_page_explains_the_letters_of_labels(standings, tmp_path):
    text = write_page(tmp_path, standings, {}, "").read_text(encoding="utf-8")
    for letter, meaning in VALUE_LETTERS.items():
        assert f"<strong>{letter}</strong> {meaning}" in text
    assert scenario("bursts", "front W, clicks").description == "front W (the worst value of the range), clicks"


def test_terminal_table_shows_names_with_brackets(standings):
    named = Standings(standings.scenarios, {"UCB [c=4]": "ours", "UCB [/]": "yours", "u": "ours"}, standings.shares)
    for width in (80, 200):
        console = Console(width=width, file=io.StringIO())
        console.print(standings_table(named, width=width))
        assert "UCB [c=4]" in console.file.getvalue()
        assert "▶ UCB [/]" in console.file.getvalue()


def test_page_escapes_names(standings, tmp_path):
    text = write_page(tmp_path, standings, {}, "").read_text(encoding="utf-8")
    assert "</script><b>" not in text
    assert "&lt;/script&gt;&lt;b&gt;" in text
    assert "&lt;c&gt;" in text


def test_heat_map_shows_the_shares_and_the_policies_in_order(standings):
    table = data_heat_map(standings)
    assert table.height == 9
    assert table["text"].to_list()[:2] == [f"{standings.cells[0][place].value:.2f}" for place in (0, 1)]
    chart = draw_heat_map(table, ["uniform", "good", "</script><b>"]).to_dict()
    assert [block["title"]["text"] for block in chart["hconcat"]] == ["clean", "tenth"]
    axis = chart["hconcat"][0]["layer"][0]["encoding"]["y"]
    assert axis["sort"] == ["uniform", "good", "</script><b>"]


def test_terminal_table_is_sorted_by_mean_rank(standings):
    table = standings_table(standings, width=200)
    assert [column.header for column in table.columns] == [
        "policy",
        "family",
        "mean rank",
        "clean cost",
        "worst: tenth",
    ]
    assert next(iter(table.columns[0].cells)) == "good"
    assert next(iter(table.columns[3].cells)) == str(standings.clean_costs()[0])


def test_narrow_terminal_table_has_neither_families_nor_intervals(standings):
    table = standings_table(standings, width=80)
    assert [column.header for column in table.columns] == ["policy", "mean rank", "clean cost", "tenth"]
    assert list(table.columns[2].cells) == [f"{standings.clean_costs()[place].value:.2f}" for place in (0, 2, 1)]
