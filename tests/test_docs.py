"""What the README and the docs say is run, linked and complete."""

import doctest
import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.estimators import ESTIMATORS
from trueward.lab import load
from trueward.lab.paper.claims import CLAIMS
from trueward.policies import POLICIES

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_on_the_page_give_what_the_page_says(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_the_code_on_the_page_runs(page, tmp_path):
    code = "\n".join(BLOCK.findall((ROOT / page).read_text()))
    assert len(code) > 300
    script = tmp_path / "shown_on_the_page.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_on_the_page_lead_somewhere(page):
    text = page.read_text()
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)", text):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor[1:] in slugs, anchor


def test_every_entry_of_the_tables_is_in_the_docs():
    index = (ROOT / "docs" / "index.md").read_text()
    for table in (ARMS, ADVERSARIES, ESTIMATORS, POLICIES):
        for name, entry in table.items():
            assert f"| `{name}` | `{entry.__name__}(" in index, name
    for entry in VALUES.values():
        assert f"`{entry.__name__}`" in index


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / f"{name}.py"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def test_the_command_line_reference_is_that_of_the_code():
    module = script("cli_reference")
    assert module.FILE.read_text() == module.reference(), "run make docs"


def test_the_experiment_on_the_page_can_be_played(tmp_path):
    page = (ROOT / "docs" / "your-own-experiment.md").read_text()
    file = tmp_path / "mine.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    assert len(load(file).cells) == 10


def test_the_ledger_on_the_page_has_every_claim():
    page = (ROOT / "docs" / "ledger.md").read_text()
    for claim in CLAIMS:
        assert f"| {claim.name} | {claim.where} |" in page, claim.name
    rows = re.findall(r"^\| [\w.-]+ \| .* \| (?:depends: |holds|undecided|does not hold)", page, re.MULTILINE)
    assert len(rows) == len(CLAIMS)


def test_the_numbers_of_the_ledger_on_the_page_are_those_of_its_run():
    module = script("ledger_page")
    known = json.loads(module.NUMBERS.read_text(encoding="utf-8"))
    assert module.page(module.Numbers(known)) == module.PAGE.read_text(encoding="utf-8"), "run scripts/ledger_page.py"
    assert [row["name"] for row in known["claims"]] == [claim.name for claim in CLAIMS]
    for row, claim in zip(known["claims"], CLAIMS, strict=True):
        assert (row["says"], row["criterion"], row["unit"]) == (claim.says, claim.criterion, claim.unit)
