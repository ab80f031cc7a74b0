"""One click or ten, a lost reply or a dead line: an answer is stored once, and the person learns of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, held, poll

WorkPage = Callable[..., Desk]


@pytest.fixture
def ready(desk: WorkPage) -> Desk:
    """With a complete answer, saved."""
    worker = desk("demo", sample=2)
    words = worker.texts()[0].split(". ")[0]
    worker.select(words)
    worker.tick(0)
    worker.save()
    return worker


def test_two_clicks_make_one_submission(ready: Desk) -> None:
    with ready.page.expect_navigation():
        ready.page.locator("button[form=work]").dblclick()
    assert len(ready.answers()) == 1
    assert ready.page.url.rstrip("/").rsplit("/", 1)[1] != ready.person["assignment"]


@pytest.mark.soak
def test_many_presses_while_the_server_is_slow_make_one_submission(ready: Desk) -> None:
    with ready.page.expect_navigation(), held(ready.page, "**/submit/") as sent:
        for _ in range(4):
            ready.page.keyboard.press("Control+Enter")
        poll(ready.page, lambda: sent)
    assert len(sent) == 1
    assert [row["revision"] for row in ready.answers()] == [1]


@pytest.mark.soak
def test_a_lost_reply_is_asked_for_again_and_the_answer_is_stored_once(ready: Desk) -> None:
    bodies = []

    def lose_first(route: Any) -> None:
        bodies.append(route.request.post_data)
        if len(bodies) > 1:
            return route.continue_()
        assert route.fetch(max_redirects=0).status == 200
        return route.abort()

    ready.page.route("**/submit/", lose_first)
    with ready.page.expect_navigation():
        ready.page.keyboard.press("Control+Enter")
        expect(ready.notice("unsent")).to_contain_text("It is kept here and sent again automatically.")
        assert len(ready.answers()) == 1
    assert len(bodies) == 2
    assert len(ready.answers()) == 1
    assert "/assignments/" in ready.page.url


@pytest.mark.soak
def test_an_answer_sent_while_offline_goes_out_when_the_connection_is_back(ready: Desk) -> None:
    ready.page.context.set_offline(True)
    ready.page.keyboard.press("Control+Enter")
    expect(ready.notice("unsent")).to_be_visible()
    assert ready.answers() == []
    with ready.page.expect_navigation():
        ready.page.context.set_offline(False)
    assert len(ready.answers()) == 1


@pytest.mark.soak
def test_a_server_that_fails_once_gets_the_answer_by_hand_too(ready: Desk) -> None:
    ready.page.route("**/submit/", lambda route: route.fulfill(status=503, body="busy"))
    ready.page.keyboard.press("Control+Enter")
    by_hand = ready.notice("unsent").locator("[data-choice='send-now']")
    expect(by_hand).to_be_visible()
    ready.page.unroute("**/submit/")
    with ready.page.expect_navigation():
        by_hand.evaluate("button => button.click()")  # at once, before the page tries again by itself
    assert len(ready.answers()) == 1


@pytest.mark.soak
def test_the_back_button_does_not_bring_a_sent_form_back_to_life(ready: Desk) -> None:
    ready.submit()
    ready.page.go_back()
    expect(ready.page.locator("main")).to_contain_text("You submitted this item.")
    expect(ready.page.locator("button[form=work]")).to_contain_text("Submit the change")
    assert len(ready.answers()) == 1


def test_an_incomplete_answer_is_refused_with_links_to_what_is_missing(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.keyboard.press("Control+Enter")
    problems = worker.page.locator("#problems a")
    expect(problems).to_have_count(2)
    expect(worker.page.locator("#answer-text")).to_be_focused()
    assert worker.answers() == []


@pytest.mark.soak
def test_the_instructions_must_be_read_again_after_it_changed(ready: Desk) -> None:
    ready.site.ask("change_instructions", batch=ready.person["batch"])
    ready.submit()
    expect(ready.page.locator("main")).to_contain_text("The instructions have changed since you read them.")
    assert len(ready.answers()) == 1
    with ready.page.expect_navigation():
        ready.page.get_by_role("button", name="Continue to the work").click()
    assert "/assignments/" in ready.page.url


def test_the_next_item_takes_the_place_of_this_one_without_another_load(ready: Desk) -> None:
    page = ready.page
    page.evaluate("window.loaded = 'once'")
    first, words = page.url, page.locator("#question").inner_text()
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != first)
    assert page.evaluate("window.loaded") == "once"
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#question")).not_to_have_text(words)
    expect(page).to_have_title(re.compile("2/2"))
    page.keyboard.press("g")
    expect(page.locator("#instructions-box")).to_be_visible()
    page.go_back()
    page.wait_for_url(first)
    expect(page.locator("#question")).to_have_text(words)
    page.go_forward()
    expect(page.locator("#question")).not_to_have_text(words)


def test_after_an_upgrade_the_page_is_loaded_anew(ready: Desk) -> None:
    page = ready.page
    page.evaluate("window.loaded = 'once'; document.getElementById('work').dataset.release = 'of-yesterday'")
    first = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != first)
    page.wait_for_load_state()
    assert page.evaluate("window.loaded") is None


@pytest.mark.soak
def test_a_problem_is_reported_of_the_item_on_show(ready: Desk) -> None:
    """The dialog stays from item to item: what was begun for the one before is gone, and the report names this one."""
    page = ready.page
    page.keyboard.press("!")
    page.get_by_label("Something else").check()
    page.locator("#problem-report-text").fill("of the first item")
    page.keyboard.press("Escape")
    first = page.url
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: url != first)
    second = page.url
    page.keyboard.press("!")
    expect(page.locator("#problem-report-text")).to_have_value("")
    expect(page.get_by_label("Something else")).not_to_be_checked()
    page.get_by_label("Something else").check()
    with page.expect_request("**/report-problem/") as sent, page.expect_navigation():
        page.get_by_role("button", name="Send the report").click()
    assert sent.value.url == f"{second}report-problem/"
