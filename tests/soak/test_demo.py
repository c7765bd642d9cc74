"""The demonstration as a user runs it: a page at once, the dashboard soon, and a clean end."""

import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest


@pytest.mark.soak
def test_the_demonstration_is_there_at_once_moves_and_ends_cleanly(tmp_path):
    command = [sys.executable, "-c", "from trueward.cli.app import app; app()", "demo", "--port", "0", "--no-browser"]
    environment = os.environ | {"TMPDIR": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as demo:
        said = ""
        while "http" not in said:
            said += demo.stdout.readline()
        url = re.search(r"http://\S+", said)[0]
        while "Leaderboard" not in (page := _page(url)):
            assert demo.poll() is None
            time.sleep(0.5)
        decisions = _decisions(page)
        while _decisions(_page(url)) <= decisions:
            time.sleep(0.5)
        demo.send_signal(signal.SIGINT)
        assert demo.wait(60) == 0
        assert demo.stdout.read().endswith("Ended.\n")
    assert list(Path(tmp_path).iterdir()) == []


def _page(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.read().decode()
    except OSError:
        return ""


def _decisions(page):
    return int(re.search(r"<dt>Decisions</dt><dd>([\d,]+)", page)[1].replace(",", ""))
