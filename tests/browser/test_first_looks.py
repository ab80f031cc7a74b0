"""What a requester meets first on a page: the most urgent line, the invite form, the next action after an import."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.test_importing import TABLE, import_page
from tests.browser.test_launch_layers import open_new

URGENCY = ("Approve", "Read 1 problem", "Read 1 message", "Decide on", "Review", "Adjudicate", "Check the gold")
DESK = {"width": 1280, "height": 800}


@pytest.mark.parametrize("name", ["project", "batch-decide"])
def test_what_waits_is_one_list_on_the_first_screen_with_money_and_deadlines_first(
    visit: Callable[..., Any], furnished: dict[str, Any], name: str
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport=DESK)
    page.goto(furnished["urls"][name])
    assert page.locator(".waits").count() == 1
    lines = page.locator(".waits > li")
    assert lines.first.bounding_box()["y"] < DESK["height"] / 2
    texts = lines.all_inner_texts()
    ranks = [rank for text in texts for rank, words in enumerate(URGENCY) if text.startswith(words)]
    assert len(ranks) > 1
    due = ["automatic approval in" in text for text in texts]
    assert due == sorted(due, reverse=True), "what is paid soonest stands first"
    assert ranks[sum(due) :] == sorted(ranks[sum(due) :])


def test_people_begin_with_the_invite_form_and_its_link_is_this_servers(
    visit: Callable[..., Any], furnished: dict[str, Any], site: Site
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport=DESK)
    page.goto(furnished["urls"]["people"])
    create = page.get_by_role("button", name="Create the link")
    assert page.locator("main form").first.get_by_role("button").inner_text() == create.inner_text()
    assert create.bounding_box()["y"] < DESK["height"] / 2
    reach = page.locator("#reach")
    expect(reach).to_contain_text(f"BIND=0.0.0.0:{urlsplit(site.url).port}")
    create.click()
    assert page.locator("input[id^=link-]").first.input_value().startswith(f"{site.url}/join/")


def test_after_an_import_a_new_batch_is_the_first_action(
    visit: Callable[..., Any], furnished: dict[str, Any], site: Site, tmp_path: Path
) -> None:
    (tmp_path / "First actions.csv").write_text(TABLE)
    page = visit(furnished["sessions"]["alice"], viewport=DESK)
    page.goto(import_page(furnished))
    page.get_by_label("File", exact=True).set_input_files(tmp_path / "First actions.csv")
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Map the columns")
    page.get_by_role("button", name="Import").last.click()
    page.wait_for_url("**/jobs/**")
    site.ask("work_off")
    actions = page.locator("main .actions :is(a, button):visible")
    expect(actions.first).to_have_text("New batch")
    expect(actions.first).to_have_class("button primary")


def test_a_test_answer_is_told_gold_and_score_and_its_json_is_folded(site: Site, visit: Callable[..., Any]) -> None:
    page, made = open_new(site, visit, viewport=DESK)
    page.get_by_label("Title shown").fill("Only tried")
    page.get_by_role("button", name="Save as a draft").click()
    page.wait_for_url(f"**/projects/{made['project']}/batches/only-tried/**")
    page.goto(f"/projects/{made['project']}/batches/only-tried/preview/")
    words = " ".join(page.locator("#text-0").inner_text().split()[:2])
    page.locator("#answer-text").fill(words)
    if page.locator("[name=support]").count():
        page.locator("[name=support]").first.check()
    page.locator("button[form=work][type=submit]").click()
    tested = page.locator("#tested")
    expect(tested).to_contain_text("Gold:")
    expect(tested).to_contain_text("Score: ")
    expect(tested.locator("pre")).to_be_hidden()
    tested.locator("summary").click()
    expect(tested.locator("pre")).to_contain_text(words)
