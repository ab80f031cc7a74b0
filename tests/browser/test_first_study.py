"""A newcomer's first study: from a file of one's own to the table of a paper, in twelve actions."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.site import Site

MOST = 12  # clicks, fields filled in and files chosen
PASSWORD = "tower bells by the sea"
HEADER = "nr,asked,reply,title_1,passage_1,title_2,passage_2\n"
ROW = (
    "{0},Which tower has {0} bells?,Tower {0},Tower {0},Tower {0} has {0} bells. It stands by the sea.,"
    "Farrow,Farrow is a town. It has no bells.\n"
)


class Requester:
    """Does things on a page, and counts them."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions, self.name = page, 0, ""

    def click(self, target: Locator) -> None:
        target.click()
        self.actions += 1

    def fill(self, label: str, text: str) -> None:
        self.page.get_by_label(label, exact=True).fill(text)
        self.actions += 1

    def press(self, name: str) -> None:
        self.click(self.page.get_by_role("button", name=name, exact=True))


@pytest.fixture
def requester(visit: Callable[..., Any], site: Site) -> Requester:
    """Somebody new, before the page to sign in; `name` is theirs."""
    page = visit(viewport={"width": 1280, "height": 800})
    page.goto("/")
    made = Requester(page)
    made.name = site.ask("newcomer", password=PASSWORD)
    return made


def sign_in(requester: Requester) -> None:
    requester.fill("Username", requester.name)
    requester.fill("Password", PASSWORD)
    requester.press("Sign in")


def invite_to_a_batch(requester: Requester, folder: Path) -> str:
    """From a file to the link of an open batch; returns the link's token."""
    page, file = requester.page, folder / "bells.csv"
    file.write_text(HEADER + "".join(ROW.format(number) for number in range(1, 5)))
    page.get_by_label("File", exact=True).set_input_files(file)
    requester.actions += 1
    requester.press("Import")
    expect(page.get_by_role("heading", level=1)).to_have_text("Map the columns of bells.csv")
    expect(page.get_by_label("reply")).to_have_value("answer")
    requester.press("Import")
    requester.click(page.get_by_role("link", name="New batch", exact=True))
    expect(page.get_by_label("Contact")).to_have_value(requester.name)
    requester.fill("Ethics approval", "none needed: a trial among ourselves")
    requester.press("Launch")
    requester.click(page.get_by_role("button", name=re.compile(r"Create a link|Invite \d")))
    requester.press("Copy")
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    return str(page.locator("input[id^=link-]").input_value().rstrip("/").rpartition("/")[2])


def test_from_signing_in_with_an_own_table_to_the_papers_table_in_twelve_actions(
    requester: Requester, site: Site, tmp_path: Path
) -> None:
    sign_in(requester)
    assert site.ask("joined", token=invite_to_a_batch(requester, tmp_path)) == 12
    requester.click(requester.page.get_by_role("link", name="Report", exact=True))
    expect(requester.page.locator("main table").first).to_contain_text("100.0")
    assert requester.actions <= MOST


def test_with_an_item_to_adjudicate_and_the_table_copied_it_is_twelve_from_the_file_on(
    requester: Requester, site: Site, tmp_path: Path
) -> None:
    sign_in(requester)
    requester.actions, page = 0, requester.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    token = invite_to_a_batch(requester, tmp_path)
    assert site.ask("joined", token=token, disagreed="Which tower has 3 bells?") == 12
    site.ask("work_off")
    page.reload()
    requester.click(page.get_by_role("link", name="Adjudicate 1 HIT"))
    expect(page.get_by_role("heading", name="Which tower has 3 bells?")).to_be_visible()
    page.wait_for_load_state()  # with its scripts, which hear the key
    page.keyboard.press("1")
    requester.actions += 1
    requester.click(page.get_by_role("link", name="Open the report"))
    requester.click(page.get_by_role("button", name="Copy LaTeX").first)
    expect(page.get_by_role("button", name="Copied", exact=True)).to_be_visible()
    assert r"\caption{Human performance" in page.evaluate("navigator.clipboard.readText()")
    assert requester.actions <= MOST
