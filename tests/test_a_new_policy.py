import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import trueward as tw
from trueward.cli.new import template

HERE = Path(tw.__file__).parent

SCRIPT = """
import contextlib, io, json, sys
sys.path.insert(0, sys.argv[1])
import trueward as tw
import examples
from trueward.cli.app import app
from trueward.lab.arena.field import field_of
listed = io.StringIO()
with contextlib.redirect_stdout(listed), contextlib.suppress(SystemExit):
    app(["policies"])
print(json.dumps({
    "exported": "ExploreFirst" in tw.__all__ and tw.ExploreFirst().m == 10,
    "listed": "explore-first" in listed.getvalue(),
    "under contract": [type(p).__name__ for p in examples.POLICIES["explore-first"]],
    "in the arena": "ExploreFirst" in field_of("quick"),
}))
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    site = tmp_path_factory.mktemp("site")
    package = site / "trueward"
    shutil.copytree(HERE, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "policies" / "index" / "explore_first.py").write_text(template("policy", "ExploreFirst"))
    table = package / "policies" / "__init__.py"
    line = '        "explore-first": "index.explore_first:ExploreFirst",\n'
    table.write_text(table.read_text().replace('        "ucb1":', f'{line}        "ucb1":', 1))
    env = {**os.environ, "PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "NUMBA_DISABLE_JIT": "1"}
    tests = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tests)], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("where", ["exported", "listed", "in the arena"])
def test_policy_in_one_file_and_one_registry_line_is(where, found):
    assert found[where] is True


def test_new_policy_is_tested_by_the_contract_suite(found):
    assert found["under contract"] == ["ExploreFirst"]
