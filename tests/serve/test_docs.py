"""The pages on the service: every setting is named, and every example of the API runs."""

import io
import json
import os
import re
import shlex
import subprocess
from contextlib import redirect_stdout
from dataclasses import fields
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright
from typer.testing import CliRunner

from serving import in_a_thread
from trueward.cli.app import app
from trueward.serve.remote import Remote
from trueward.serve.settings import Settings, variable_of, written

DOCS = Path(__file__).parents[2] / "docs"
SLOW = ("serve", "warm-up")


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


def test_every_setting_is_on_the_page():
    page = (DOCS / "service.md").read_text()
    for setting in fields(Settings):
        default = written(setting.default)
        shown = f"`{default}`" if default else ""
        assert f"| `{variable_of(setting.name)}` | {shown} | {setting.metadata['words']} |" in page


@pytest.fixture
def running(serve, sqlite, tmp_path, monkeypatch):
    """Return the environment of the examples: a service, and a key."""
    service = serve(sqlite)
    with in_a_thread(Settings(db=sqlite)) as url:
        yield {**os.environ, "URL": url, "KEY": service.key}, service


def test_the_examples_in_curl_are_answered(running, tmp_path):
    environment, service = running
    script = "\n".join(line.replace("curl -s", "curl -sS --fail-with-body") for line in blocks("http-api.md", "sh"))
    done = subprocess.run(
        ["bash", "-e", "-c", script], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert '"number":1' in done.stdout
    assert (tmp_path / "study.zip").stat().st_size > 500
    kinds = [event.kind for event in service.app.state.studies["explanations"].events()]
    assert kinds == ["create", "ask", "tell", "void", "restore", "pause"]


def test_the_examples_in_python_run(running, monkeypatch):
    environment, service = running
    monkeypatch.setattr(os, "environ", environment)
    code, known = "\n".join(blocks("http-api.md", "python")), {}
    with redirect_stdout(io.StringIO()) as said:
        exec(compile(code, "http-api.md", "exec"), known)
    known["study"].close()
    assert "verified: " in said.getvalue()
    kinds = [event.kind for event in service.app.state.studies["explanations"].events()]
    assert kinds == ["create", "ask", "tell", "void", "restore", "add"]


@pytest.mark.skipif(not Path("/usr/bin/chromium").exists(), reason="no Chromium")
def test_the_examples_in_javascript_run(running):
    environment, service = running
    code = "\n".join(blocks("http-api.md", "js"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page()
        url = environment["URL"]
        page.goto(f"{url}/healthz")  # a page of the service itself: its origin is the service's
        key = service.new_key(origins=[url])
        page.add_script_tag(url=f"{url}/trueward.js")
        page.evaluate(f"(async () => {{ const URL = {json.dumps(url)}, BROWSER_KEY = {json.dumps(key)};\n{code} }})()")
        browser.close()
    assert service.app.state.studies["explanations"].decisions()["reward"].to_list() == [5.0]


def commands(block):
    """Return the commands of trueward in a block, without those that go on for long."""
    lines = [line.partition("#")[0].strip() for line in block.splitlines()]
    found = [shlex.split(line)[1:] for line in lines if line.startswith("trueward ")]
    return [words for words in found if words[0] not in SLOW]


def test_the_first_steps_on_the_page_lead_to_a_service_with_a_study_and_a_key(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first, *rest = blocks("service.md", "sh")
    monkeypatch.setenv("TRUEWARD_DB", re.search(r"TRUEWARD_DB=(\S+)", first)[1])
    said = [CliRunner().invoke(app, words) for words in commands(first)]
    assert [each.exit_code for each in said] == [0, 0], said
    key = said[1].output.strip()
    backup, restore = (next(block for block in rest if words in block) for words in (".backup", "restored.db"))
    for line in (backup.splitlines()[0], restore.splitlines()[0]):
        subprocess.run(line.partition("#")[0], shell=True, check=True)
    (verify,) = commands(restore)
    assert CliRunner().invoke(app, verify).output.startswith("verified: 1 event, 0 decisions computed again")
    with in_a_thread(Settings(db="sqlite:///ratings.db")) as url, Remote(url, key) as study:
        study.tell(study.ask(participant="p17"), 4)
        assert study.state == "running"
