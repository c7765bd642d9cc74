"""What the README and the docs say is run, linked and complete."""

import dataclasses
import doctest
import importlib.machinery
import importlib.util
import json
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import Markdown
from mkdocs.exceptions import PluginError

import trueward as tw
from trueward.adversaries import ADVERSARIES, VALUES
from trueward.arms import ARMS
from trueward.cli.new import KINDS, template
from trueward.estimators import ESTIMATORS
from trueward.game import DELAYS
from trueward.lab import load
from trueward.lab.paper.claims import CLAIMS
from trueward.policies import POLICIES
from trueward.policies.wary.constants import Assumptions

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md")])
FORMULAS = {"pymdownx.arithmatex": {"generic": True}}  # as in mkdocs.yml
BLOCK = re.compile(r"```python\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_on_docs_page_give_the_printed_output(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.NORMALIZE_WHITESPACE)
    assert result.failed == 0


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_code_on_page_runs(page, tmp_path):
    code = "\n".join(BLOCK.findall((ROOT / page).read_text()))
    assert len(code) > 300
    script = tmp_path / "shown_on_the_page.py"
    script.write_text(code)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr


def test_contributing_shows_the_files_that_trueward_new_writes():
    blocks = BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text())
    for kind in KINDS:
        assert template(kind) in blocks, f"{kind}: the page shows another file than trueward new writes"


def test_stub_of_public_names_matches_the_registries():
    module = script("public_names")
    assert module.FILE.read_text() == module.stub(), "run make docs"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_on_docs_page_exist(page):
    text = page.read_text()
    for target, anchor in re.findall(r"\]\((?!https?:)([^)#]*)(#[^)]*)?\)", text):
        linked = page.parent / target if target else page
        assert linked.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", linked.read_text(), re.MULTILINE)
            slugs = {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}
            assert anchor[1:] in slugs, anchor


FOLLOWED = (ROOT / "docs" / "one-reward.md").read_text()


@pytest.mark.parametrize(
    ("names", "file"), re.findall(r"((?:`[\w.]+`(?:,| and)? )+)in\s\[`[\w./]+`\]\(\.\./(src/[\w./]+)\)", FOLLOWED)
)
def test_functions_on_one_reward_page_are_in_the_files_it_names(names, file):
    source = (ROOT / file).read_text()
    for name in re.findall(r"\w+", names.replace(" and ", " ")):
        assert re.search(rf"^ *(def|class) {name}\b", source, re.MULTILINE), f"{name} is not in {file}"


def test_code_quoted_on_one_reward_page_is_the_source():
    sources = [(ROOT / file).read_text() for file in re.findall(r"\(\.\./(src/[\w./]+)\)", FOLLOWED)]
    quoted = [code for code in BLOCK.findall(FOLLOWED) if ">>>" not in code]
    assert quoted
    for code in quoted:
        assert any(code in source for source in sources), code


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(ROOT / "scripts" / f"{name}.py"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def test_cli_reference_page_matches_the_code():
    module = script("cli_reference")
    assert module.FILE.read_text() == module.reference(), "run make docs"


def test_picture_of_folders_matches_the_import_contract():
    module = script("folder_picture")
    assert module.FILE.read_text() == module.picture(), "run make docs"
    drawn = {name for layer in module.layers() for name in layer}
    packages = {path.parent.name for path in ROOT.glob("src/trueward/*/__init__.py")}
    modules = {path.stem for path in ROOT.glob("src/trueward/*.py")} - {"__init__"}
    assert drawn == packages | modules


def test_constants_on_the_page_of_wary_match_the_code():
    module = script("wary_constants")
    assert module.FILE.read_text() == module.page(), "run make docs"
    assert set(module.SYMBOLS) == {field.name for field in dataclasses.fields(Assumptions)}
    equations = "".join(re.findall(r"\$+(.*?)\$+", module.FILE.read_text().split("<!-- constants -->")[0], re.DOTALL))
    for name in set(module.SYMBOLS) - {"attack_rates", "longest_start"}:  # multiples of `most`
        assert module.SYMBOLS[name] in equations, f"{name} is in no equation"


def test_code_of_wary_refers_to_equations_that_are_on_its_page():
    numbers = [int(number) for number in re.findall(r"\\tag\{(\d+)\}", (ROOT / "docs" / "wary.md").read_text())]
    assert numbers == list(range(1, len(numbers) + 1))
    code = "".join(file.read_text() for file in ROOT.glob("src/trueward/policies/wary/*.py"))
    quoted = {
        int(n)
        for text in re.findall(r"quations? \(\d+\)(?:(?: to|,| and) \(\d+\))*", code)
        for n in re.findall(r"\d+", text)
    }
    assert quoted
    assert quoted <= set(numbers)


@pytest.mark.parametrize(
    ("markdown", "expected"),
    [
        ("so $n_a$ ratings", r"so <math .*<msub><mi>n</mi><mi>a</mi></msub>.*</math> ratings"),
        (
            r"$$x\lt 1\tag{7}$$",
            r'<div class="equation"><div><math .*display="block".*</math></div>.*\(7\)</span></div>',
        ),
    ],
)
def test_formula_becomes_mathml_on_the_site(markdown, expected, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    converted = Markdown(extensions=["pymdownx.arithmatex"], extension_configs=FORMULAS).convert(markdown)
    page = script("site_hooks").on_page_content(converted)
    assert re.search(expected, page, re.DOTALL)
    assert "arithmatex" not in page
    assert "tag" not in page


def test_every_docs_page_is_in_the_navigation():
    in_site = set(re.findall(r"^ +- [^:]+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.MULTILINE))
    written = {page.name for page in ROOT.glob("docs/*.md")} - {"index.md"} | {"overview.md"}
    root = {"index.md", "CONTRIBUTING.md", "CHANGELOG.md"}
    assert in_site == written | root | set(script("api_pages").pages())


def test_every_registered_class_is_in_the_api_reference():
    pages = "".join(script("api_pages").pages().values())
    for table in (ARMS, ADVERSARIES, VALUES, ESTIMATORS, POLICIES, DELAYS):
        for name, entry in table.items():
            assert f"::: {entry.__module__}.{entry.__name__}\n" in pages, name


@pytest.mark.parametrize(
    ("text", "refused"),
    [
        ('<script async src="https://elsewhere.example/a.js">', True),
        ('<link rel="stylesheet" href=//elsewhere.example/a.css>', True),
        ("body { background: url(https://elsewhere.example/a.png) }", True),
        ('<a href="https://elsewhere.example">', False),
        ('<script src="assets/a.js">', False),
    ],
)
def test_site_that_loads_from_another_host_is_rejected(text, refused, tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "scripts")
    (tmp_path / "page.html").write_text(text)
    with pytest.raises(PluginError, match=r"page.html loads from another host") if refused else nullcontext():
        script("site_hooks").on_post_build(SimpleNamespace(site_dir=tmp_path))


RECOMMENDED = re.findall(r"\| `(tw\..*?)`<br>", (ROOT / "docs" / "which-policy.md").read_text())


@pytest.mark.parametrize("line", RECOMMENDED)
def test_every_recommended_policy_line_runs(line):
    pilot = [61.0, 48.5, 55.2, 70.1, 66.3, 52.8, 58.0, 63.7, 49.9, 57.4]
    bandit = tw.Bandit(eval(line, {"tw": tw, "pilot": pilot}), arms=["video", "text"])
    assert bandit.tell(bandit.ask(), 1) == 1


def test_experiment_on_docs_page_plays(tmp_path):
    page = (ROOT / "docs" / "your-own-experiment.md").read_text()
    file = tmp_path / "mine.toml"
    file.write_text(re.search(r"```toml\n(.*?)```", page, re.DOTALL)[1])
    assert len(load(file).cells) == 10


def test_ledger_page_has_every_claim():
    page = (ROOT / "docs" / "ledger.md").read_text()
    for claim in CLAIMS:
        assert f"| {claim.name} | {claim.section} |" in page, claim.name
    rows = re.findall(r"^\| [\w.-]+ \| .* \| (?:depends: |holds|undecided|does not hold)", page, re.MULTILINE)
    assert len(rows) == len(CLAIMS)


def test_ledger_page_shows_the_numbers_of_its_run():
    module = script("ledger_page")
    known = json.loads(module.NUMBERS.read_text(encoding="utf-8"))
    assert module.page(module.Numbers(known)) == module.PAGE.read_text(encoding="utf-8"), "run scripts/ledger_page.py"
    assert [row["name"] for row in known["claims"]] == [claim.name for claim in CLAIMS]
    for row, claim in zip(known["claims"], CLAIMS, strict=True):
        assert (row["sentence"], row["criterion"], row["unit"]) == (claim.sentence, claim.limit.criterion, claim.unit)
