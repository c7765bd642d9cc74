"""Draw docs/images/dashboard*.png: pages of the demonstration near its end, as Chromium shows them.

python scripts/dashboard_pictures.py
"""

import itertools
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from PIL import Image
from playwright.sync_api import sync_playwright

from trueward.serve.app import create_app
from trueward.serve.demo import classroom
from trueward.serve.settings import Settings

FOLDER = Path(__file__).parents[1] / "docs" / "images"
DECISIONS, SEED = 650, 1
PICTURES = {"dashboard": ("overview", 866), "dashboard-bursts": ("bursts", 1030)}  # page, and height in pixels
WIDTH, COLOURS = 1240, 128


@contextmanager
def served(url: str) -> Iterator[str]:
    """Give the address of a dashboard of a database, open to everybody on this machine."""
    server = uvicorn.Server(uvicorn.Config(create_app(Settings(db=url, open=True)), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def main() -> None:
    """Let the class rate, and take the pictures."""
    chromium = shutil.which("chromium") or sys.exit("needs Chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        url = f"sqlite:///{folder}/class.db"
        with classroom.create(url, seed=SEED) as study:
            for visit in itertools.islice(classroom.visits(SEED), DECISIONS):
                classroom.take(study, visit)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with served(url) as address:
            for name, (part, height) in PICTURES.items():
                page = browser.new_page(viewport={"width": WIDTH, "height": height})
                page.goto(f"{address}/dashboard/studies/{classroom.NAME}/{part}")
                page.wait_for_function("() => [...document.querySelectorAll('.chart')].every((c) => c.dataset.drawn)")
                page.locator("#live").wait_for()
                file = FOLDER / f"{name}.png"
                page.screenshot(path=file)
                page.close()
                Image.open(file).convert("RGB").quantize(COLOURS).save(file, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
