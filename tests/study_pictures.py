"""Make the README's pictures of a study: `python -m tests.study_pictures http://localhost:8000 var/demo.json`.

It works on a demo that was just set up, and changes nothing there.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from tests.pictures import FOLDER, answer, sign_in

SCREEN = {"width": 1200, "height": 760}
PROJECT = "projects/default"


def new_batch(page: Page, site: str) -> None:
    page.goto(f"{site}/{PROJECT}/batches/new/?dataset=vennory-multihop")
    page.wait_for_load_state("networkidle")
    page.screenshot(path=FOLDER / "study-batch.png")


def work(page: Page, site: str) -> None:
    """An item as workers see it, answered."""
    page.goto(f"{site}/{PROJECT}/batches/vennory-second-study/preview/")
    page.wait_for_load_state("networkidle")
    answer(page)
    page.screenshot(path=FOLDER / "study-work.png")


def report(page: Page, site: str) -> None:
    page.goto(f"{site}/{PROJECT}/batches/vennory-first-study/report/")
    page.locator(".lead svg").wait_for()
    page.screenshot(path=FOLDER / "study-report.png")


def main(site: str, accounts: str) -> None:
    account = json.loads(Path(accounts).read_text())["accounts"][0]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"])
        page = browser.new_page(viewport=SCREEN)
        sign_in(page, site, account)
        for picture in (new_batch, work, report):
            picture(page, site)


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2])
