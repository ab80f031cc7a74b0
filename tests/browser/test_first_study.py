"""A newcomer's first study: from signing in with a file of one's own to the table of a paper, in twelve actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.site import Site

MOST = 12  # clicks, fields filled in and files chosen
HEADER = "nr,asked,reply,title_1,passage_1,title_2,passage_2\n"
ROW = (
    "{0},Which tower has {0} bells?,Tower {0},Tower {0},Tower {0} has {0} bells. It stands by the sea.,"
    "Farrow,Farrow is a town. It has no bells.\n"
)


class Requester:
    """Does things on a page, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def click(self, target: Locator) -> None:
        target.click()
        self.actions += 1

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)
        self.actions += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))


def test_from_an_own_table_to_the_papers_table_in_twelve_actions(
    visit: Callable[..., Any], site: Site, tmp_path: Path
) -> None:
    file = tmp_path / "bells.csv"
    file.write_text(HEADER + "".join(ROW.format(number) for number in range(1, 5)))
    page = visit(viewport={"width": 1280, "height": 800})
    requester = Requester(page)
    page.goto("/")
    name = site.ask("newcomer", password="tower bells by the sea")
    requester.fill("Username", name)
    requester.fill("Password", "tower bells by the sea")
    requester.press("Sign in")
    page.get_by_label("File", exact=True).set_input_files(file)
    requester.actions += 1
    requester.press("Import")
    expect(page.get_by_role("heading", level=1)).to_have_text("Map the columns of bells.csv")
    expect(page.get_by_label("reply")).to_have_value("answer")
    requester.press("Import")
    requester.click(page.get_by_role("link", name="New batch", exact=True))
    expect(page.get_by_label("Contact")).to_have_value(name)
    requester.fill("Ethics approval", "none needed: a trial among ourselves")
    requester.press("Launch")
    requester.click(page.get_by_role("button", name=re.compile(r"Create a link|Invite \d")))
    requester.press("Copy")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    token = page.locator("input[id^=link-]").input_value().rstrip("/").rpartition("/")[2]
    assert site.ask("joined", token=token) == 12
    requester.click(page.get_by_role("link", name="Report", exact=True))
    table = page.locator("main table").first
    expect(table).to_contain_text("100.0")
    assert requester.actions <= MOST
