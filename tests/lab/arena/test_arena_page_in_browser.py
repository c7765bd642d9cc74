import re
import shutil
import subprocess

import numpy as np
import pytest

import trueward as tw
from trueward.lab.arena.arena_page import write_page
from trueward.lab.arena.scenario import Scenario
from trueward.lab.arena.standings import Standings
from trueward.lab.arena.suite import PAPER

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, to open the page as a reader would")

OFFLINE = ["--disable-background-networking", "--disable-sync", "--disable-component-update", "--no-first-run"]
OFFLINE += ["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"]
MEANS = {"a": [0.2, 1.0, 9.5], "b": [1.1, 0.9, 0.05], "Z": [0.4, 0.4, 10.0]}  # by policy; columns clean x, tenth y, z
SEEN = """
<script>
const heat = document.querySelector("table.heat");
const heads = [...heat.querySelectorAll("th[aria-sort]")];
const press = (words) => heads.find((head) => head.textContent === words).querySelector("button").click();
const look = (name) => {
  const item = document.createElement("li");
  const order = [...heat.tBodies[0].rows].map((row) => row.cells[0].textContent).join(",");
  const sorted = heads.filter((head) => head.getAttribute("aria-sort") !== "none");
  const shown = heads.filter((head) => head.offsetParent !== null).map((head) => head.textContent);
  const by = sorted.map((head) => head.textContent + " " + head.getAttribute("aria-sort"));
  item.textContent = [name, order, by, shown.length].join("|");
  document.body.append(item);
};
look("first"); press("z"); look("z"); press("z"); look("z again"); press("policy"); look("policy");
document.querySelector("button[data-show=clean]").click(); look("only clean");
document.querySelector('button[data-show=""]').click(); look("all");
heads[0].querySelector("button").focus();
look(document.activeElement === heads[0].firstElementChild ? "focused" : "not focused");
</script></body>
"""


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    """What the page shows after each click, and what the console said."""
    scenarios = [
        Scenario(group, label, PAPER, tw.NoAdversary(), 1000, None, "quick")
        for group, label in (("clean", "x"), ("tenth", "y"), ("tenth", "z"))
    ]
    shares = np.array(list(MEANS.values())).T[:, :, None] + np.zeros(5)
    folder = tmp_path_factory.mktemp("arena")
    page = write_page(folder, Standings(scenarios, dict.fromkeys(MEANS, "ours"), shares), {}, "")
    page.write_text(page.read_text(encoding="utf-8").replace("</body>", SEEN), encoding="utf-8")
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", *OFFLINE]
    flags += [f"--user-data-dir={tmp_path_factory.mktemp('profile')}", "--virtual-time-budget=5000", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    looks = dict(re.findall(r"<li>([\w ]+)\|([^<]*)</li>", done.stdout))
    return looks, done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_page_logs_no_error(seen):
    _, document, console = seen
    assert console == []
    assert '<ul id="errors" hidden=""></ul>' in document


def test_click_on_a_head_sorts_numerically_and_a_second_click_reverses(seen):
    looks, _, _ = seen
    assert looks["first"].split("|")[:2] == ["a,b,Z", "mean rank ascending"]
    assert looks["z"].split("|")[:2] == ["b,a,Z", "z ascending"]
    assert looks["z again"].split("|")[:2] == ["Z,a,b", "z descending"]
    assert looks["policy"].split("|")[:2] == ["a,b,Z", "policy ascending"]


def test_filter_shows_one_group_or_all(seen):
    looks, _, _ = seen
    assert looks["first"].split("|")[2] == "6"
    assert looks["only clean"].split("|")[2] == "4"
    assert looks["all"].split("|")[2] == "6"


def test_heads_can_be_focused(seen):
    assert "focused" in seen[0]
