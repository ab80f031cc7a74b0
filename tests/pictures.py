"""Make the pictures of docs/links.md: `python -m tests.pictures http://localhost:8000 var/demo.json`.

It works on a demo that was just set up, as a requester and as a participant on a phone.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
WIDE, PHONE = {"width": 1000, "height": 640}, {"width": 390, "height": 600}
SETTINGS = "participant = PID\nsubmission = SID\nreturn = https://panel.example/done?cc={code}"


def sign_in(page: Page, site: str, account: dict[str, Any]) -> None:
    page.goto(f"{site}/projects/default/")
    page.fill("[name=username]", account["username"])
    page.fill("[name=password]", account["password"])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Datasets").first.wait_for()


def launch(page: Page, site: str) -> str:
    """Add a panel and launch a batch there; the address of its study."""
    page.goto(f"{site}/projects/default/marketplaces/")
    page.fill("[name=name]", "panel")
    page.select_option("[name=preset]", "link")
    page.fill("[name=options]", SETTINGS)
    page.get_by_role("button", name="Add").click()
    page.get_by_text("panel was added").wait_for()
    page.goto(f"{site}/projects/default/batches/new/")
    page.check("[name=datasets] >> nth=0")
    page.check("[name=paid]")
    page.evaluate("document.querySelectorAll('#more, #more details').forEach((group) => { group.open = true; })")
    given = {"sample": "6", "assignments_per_hit": "2", "expected_minutes": "1", "reward": "0.30"}
    for name, value in (given | {"title": "Vennory by link", "name": "by-link"}).items():
        page.fill(f"[name={name}]", value)
    place = page.locator("[name=marketplace] option", has_text="panel ·").get_attribute("value")
    page.select_option("[name=marketplace]", place)
    page.click("button[name=launch]")
    page.get_by_text("Your batch is live").wait_for()
    study = f"{site}/projects/default/batches/by-link/marketplace/"
    page.goto(study)
    page.fill("[name=hits]", "2")
    page.fill("[name=places]", "6")
    page.get_by_role("button", name="Save").click()
    page.get_by_text("settings are saved").wait_for()
    page.get_by_role("button", name="Publish").click()
    page.get_by_role("button", name="Pause", exact=True).wait_for()
    return study


def answer(page: Page) -> None:
    words = " ".join(page.locator("#text-0 [data-piece]").first.inner_text().split()[:2])
    page.locator("#answer-text").fill(words)
    for box in page.locator("[name=support][value='0']").all():
        box.check(force=True)


def take_part(page: Page, link: str) -> None:
    """A whole visit, with a picture of its first page and of its last."""
    page.goto(link)
    page.screenshot(path=FOLDER / "links-welcome.png")
    page.get_by_role("link", name="Read how your responses are used").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Begin").click()
    page.get_by_role("button", name="Continue to the practice").click()
    for number in (1, 2, 3):
        page.get_by_text(f"{number} of 3", exact=True).wait_for()
        answer(page)
        page.get_by_role("button", name="Check my answer").click()
        page.get_by_role("button", name="Continue").click()
    for number in (1, 2):
        page.get_by_text(f"{number} of 2", exact=True).wait_for()
        answer(page)
        page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", name="All done. Thank you!").wait_for()
    page.screenshot(path=FOLDER / "links-end.png")


def main(site: str, accounts: str) -> None:
    account = json.loads(Path(accounts).read_text())["accounts"][0]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"])
        requester = browser.new_page(viewport=WIDE)
        sign_in(requester, site, account)
        study = launch(requester, site)
        requester.locator("section.card").first.screenshot(path=FOLDER / "links-study.png")
        link = requester.locator("#study-url").inner_text()
        participant = browser.new_context(viewport=PHONE).new_page()
        take_part(participant, link.format(participant="ann", visit="first"))
        requester.goto(study)
        requester.get_by_role("heading", name="Visits").scroll_into_view_if_needed()
        requester.get_by_role("button", name="Approve all that are finished").click()
        requester.get_by_text("1 visit was approved").wait_for()
        requester.locator("section.card", has_text="Whom to pay").screenshot(path=FOLDER / "links-pay.png")


if __name__ == "__main__":
    main(sys.argv[1].rstrip("/"), sys.argv[2])
