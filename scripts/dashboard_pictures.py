"""Draw docs/images/dashboard*.png: pages of the demonstration near its end, as Chromium shows them.

python scripts/dashboard_pictures.py
"""

import itertools
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from serving import in_a_thread
from trueward.serve.demo import classroom
from trueward.serve.settings import Settings

FOLDER = Path(__file__).parents[1] / "docs" / "images"
DECISIONS, SEED = 650, 1
PICTURES = {"dashboard": ("overview", 866), "dashboard-bursts": ("bursts", 1030)}  # page, and height in pixels
WIDTH, COLOURS = 1240, 128


def main() -> None:
    """Let the class rate, and take the pictures."""
    chromium = shutil.which("chromium") or sys.exit("needs Chromium")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        url = f"sqlite:///{folder}/class.db"
        with classroom.create(url, seed=SEED) as study:
            for visit in itertools.islice(classroom.visits(SEED), DECISIONS):
                classroom.take(study, visit)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        with in_a_thread(Settings(db=url, open=True)) as address:  # open to everybody on this machine
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
