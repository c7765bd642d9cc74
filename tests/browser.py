"""A page as a reader would open it: in Chromium, without a network."""

import shutil
import subprocess

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_chromium = pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium, to open the page as a reader would")

OFFLINE = ["--disable-background-networking", "--disable-sync", "--disable-component-update", "--no-first-run"]
OFFLINE += ["--host-resolver-rules=MAP * ~NOTFOUND", "--proxy-server=127.0.0.1:9"]


def opened(page, profile):
    """The page's document after its scripts have run, and what the console said."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr", *OFFLINE]
    flags += [f"--user-data-dir={profile}", "--virtual-time-budget=15000", "--dump-dom"]
    done = subprocess.run([CHROMIUM, *flags, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]
