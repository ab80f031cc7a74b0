"""Everything that must be done can be done with scripts switched off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]
OFF = {"java_script_enabled": False}


def test_an_answer_is_typed_ticked_and_submitted(desk: WorkPage) -> None:
    worker = desk("nasty", sample=2, page=OFF)
    page = worker.page
    page.get_by_label("Answer in words").fill("Grey Petrel")
    page.locator("#support-0").check()
    page.locator("#support-3").check()
    page.get_by_role("button", name="Submit").click()
    page.wait_for_url(lambda url: worker.person["assignment"] not in url)
    answer = worker.answers()[0]["answer"]
    assert (answer["kind"], answer["text"], len(answer["support"])) == ("span", "Grey Petrel", 2)


@pytest.mark.soak
def test_what_is_missing_is_said_and_what_was_given_stays(desk: WorkPage) -> None:
    worker = desk("yesno", page=OFF)
    page = worker.page
    page.get_by_label("Answer in words").fill("made of cheese")
    page.locator("#support-1").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("#problems")).to_contain_text("is not in any paragraph")
    expect(page.locator("#answer-text")).to_have_value("made of cheese")
    expect(page.locator("#support-1")).to_be_checked()
    page.locator("#answer-text").fill("larch")
    page.get_by_role("button", name="Submit").click()
    expect(page.locator("main")).to_contain_text("Nothing is left to do here")


def test_choices_need_no_scripts(desk: WorkPage) -> None:
    worker = desk("choices", page=OFF)
    while "/assignments/" in worker.page.url:
        worker.page.locator("input[name=option]").nth(1).check()
        worker.page.get_by_role("button", name="Submit").click()
    assert [row["answer"]["option"] for row in worker.answers()] == [1, 1]


def test_the_way_in_needs_no_scripts(visit: Callable[..., Any], site: Any) -> None:
    batch = site.batch("yesno")
    person = site.ask("person", batch=batch["batch"], ready=False)
    page = visit(person["session"], **OFF)
    page.goto("/work/")
    page.get_by_role("link", name="Start").click()
    page.get_by_role("button", name="I agree").click()
    page.get_by_role("button", name="Continue to the work").click()
    expect(page.locator("#question")).to_be_visible()
    assert page.locator(".needs-js:visible").count() == 0
