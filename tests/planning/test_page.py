"""The page of a plan, its files, and the command that writes them."""

import csv
import json
import re
import tomllib

import numpy as np
import pytest
from typer.testing import CliRunner

import trueward as tw
from browser import CHROMIUM, OFFLINE, needs_chromium, opened
from trueward.cli.app import app
from trueward.planning.page import write_plan

playwright = pytest.importorskip("playwright.sync_api")
QUIET = {"compiled": False, "progress": False}


@pytest.fixture(scope="module")
def pilot_file(tmp_path_factory):
    file = tmp_path_factory.mktemp("pilot") / "ratings.csv"
    rng = np.random.default_rng(2)
    with file.open("w", newline="") as opened_file:
        writer = csv.writer(opened_file)
        writer.writerow(["arm", "rating", "participant", "seconds", "check"])
        for i in range(40):
            writer.writerow([["<b>video", "text"][i % 2], rng.integers(1, 6), f"p{i}", 4.2, int(i % 13 > 0)])
    return file


@pytest.fixture(scope="module")
def page(pilot_file, tmp_path_factory):
    plan = tw.plan(pilot=pilot_file, scale=(1, 5), difference=0.6, participants=8, games=2, **QUIET)
    return write_plan(tmp_path_factory.mktemp("plan"), plan, command="trueward plan …", seconds=1.5)


def test_the_page_holds_the_recommendation_the_tables_and_what_to_copy(page):
    text = re.sub(r"<script.*?</script>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    saved = json.loads((page.parent / "plan.json").read_text())
    assert saved["recommendation"][:40] in text
    assert re.findall(r'<section id="(\w+)"', text) == [
        "chances",
        "rehearsal",
        "pilot",
        "assumed",
        "copy",
        "run",
        "again",
    ]
    assert "&lt;b&gt;video" in text
    assert "<b>video" not in text
    assert "study = tw.Study.create(" in text
    assert "trueward plan …" in text
    assert "default-src 'none'" in text


def test_the_files_beside_the_page_hold_its_numbers(page):
    folder = page.parent
    saved = json.loads((folder / "plan.json").read_text())
    with (folder / "chances.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [float(row["best"]) for row in rows] == [row["best"] for row in saved["chances"]]
    assert tomllib.loads((folder / "study.toml").read_text()) == tomllib.loads(saved["toml"])
    assert (folder / "create_study.py").read_text() == saved["python"]
    assert saved["pilot"]["alpha"]["flagged"] == 4
    links = re.findall(r'href="([^#"]+)"', page.read_text(encoding="utf-8").partition("<script>")[0])
    assert len(links) >= 13
    assert all((folder / link).is_file() for link in links)


@needs_chromium
def test_the_page_opens_without_a_network_and_draws_every_figure(page, tmp_path):
    document, console = opened(page, tmp_path)
    assert console == []
    assert '<ul id="errors" hidden=""></ul>' in document
    drawn = re.findall(r'<div class="chart[^>]*data-drawn="yes".*?</canvas>', document, flags=re.DOTALL)
    assert [re.search(r'id="(\w+)"', chart)[1] for chart in drawn] == ["chances", "rehearsal", "tuning", "laws"]


SIDEWAYS = """() => [...document.querySelectorAll("*")].filter((each) => each.scrollWidth > each.clientWidth + 1
  && getComputedStyle(each).overflowX === "auto").map((each) => each.id || each.className || each.tagName)"""
WIDTHS = "() => [...document.querySelectorAll('.chart canvas')].map((each) => each.getBoundingClientRect().width)"


@needs_chromium
def test_on_a_phone_nothing_scrolls_sideways(page):
    with playwright.sync_playwright() as machine:
        browser = machine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu", *OFFLINE])
        tab, said = browser.new_page(viewport={"width": 390, "height": 800}), []
        tab.on("console", lambda message: said.append(message.text))
        tab.goto(page.as_uri())
        tab.wait_for_function("document.querySelectorAll('.chart[data-drawn=yes]').length === 4")
        assert tab.evaluate(SIDEWAYS) == []
        assert tab.evaluate("document.documentElement.scrollWidth") == 390
        tab.set_viewport_size({"width": 1400, "height": 800})  # and turned, or made larger, it is drawn again
        tab.wait_for_function(f"Math.max(...({WIDTHS})()) > 800")
        assert said == []
        browser.close()


def run(*words):
    return CliRunner().invoke(app, ["plan", *map(str, words)])


SMALL = ("--participants", 8, "--games", 2, "--no-rehearse")


def test_the_command_prints_the_chances_and_the_recommendation_and_writes_the_page(tmp_path, few_rounds):
    done = run("--scale", 1, 5, "--arm", "video", "--arm", "text", "--difference", 1, *SMALL, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "ends on the best arm" in done.output
    assert f"page: {tmp_path}/plan.html" in done.output
    assert json.loads((tmp_path / "plan.json").read_text())["outline"]["names"] == ["video", "text"]


@pytest.fixture
def few_rounds(monkeypatch):
    """Nothing is compiled for so few games: the same numbers, without a wait for the compiler."""
    from trueward.planning import games

    monkeypatch.setattr(games, "play", lambda *args, **given: tw.play(*args, **{**given, "compiled": False}))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--arms", 3), "trueward: without a pilot, give scale, difference"),
        (("--pilot", "nowhere.csv"), "trueward: nowhere.csv: "),
        (
            ("--scale", 1, 5, "--arms", 3, "--difference", 0.5, "--careless", "a crowd"),
            "trueward: careless must be a share",
        ),
    ],
)
def test_a_mistake_ends_in_one_line(words, said, tmp_path):
    done = run(*words, *SMALL, "--out", tmp_path / "new")
    assert done.exit_code == 2
    assert done.output.startswith(said)
    assert done.output.count("\n") == 1
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "row 1: the file is empty"),
        ("arm,rating\n", "there are no rows"),
        ("arm,score\na,1\n", "column 'rating': missing"),
        ("arm,rating\na,1\nb,good\n", "row 3, column 'rating'"),
        ("arm,rating\na,1\na,2\n", "row 3, column 'arm'"),
        ("arm,rating\na,1\nb,7\n", "row 3, column 'rating': must be on the scale from 1 to 5, got 7"),
        ("arm,rating,check\na,1,1\nb,4,perhaps\n", "row 3, column 'check'"),
    ],
)
def test_a_bad_pilot_ends_in_one_line_that_names_row_and_column(text, said, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text(text)
    done = run("--pilot", file, "--scale", 1, 5, *SMALL)
    assert done.exit_code == 2
    assert said in done.output
    assert done.output.count("\n") == 1
