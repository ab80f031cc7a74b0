"""The next item is on the page as soon as a response is sent; whatever becomes of the response, nothing is lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, held, nothing_sent, poll, settle

WorkPage = Callable[..., Desk]
SUBMISSIONS = "**/submit/"


@pytest.fixture
def ready(desk: WorkPage) -> Desk:
    """With a complete answer, saved, and the next item loaded."""
    worker = desk("demo", sample=6)
    with worker.page.expect_response(lambda reply: "x-item" in reply.headers):
        complete(worker)
    worker.save()
    worker.page.wait_for_load_state("networkidle")  # the body of the reply may come later than its headers
    return worker


def complete(worker: Desk) -> str:
    """Answer with the first sentence; returns it."""
    words = worker.texts()[0].split(". ")[0]
    worker.select(words)
    worker.tick(0)
    return words


def number(worker: Desk) -> Any:
    return worker.page.locator(".work-progress .number")


def test_the_next_item_is_there_before_the_server_answers(ready: Desk) -> None:
    page, first = ready.page, ready.page.url
    with page.expect_response(SUBMISSIONS) as stored, held(page, SUBMISSIONS):
        page.keyboard.press("Control+Enter")
        expect(number(ready)).to_have_text("2 of 6")
        expect(page.locator("#question")).to_be_focused()
        assert page.url != first
        assert ready.answers() == []
        complete(ready)
    assert "x-item" not in stored.value.headers
    assert page.url.endswith(f"/{stored.value.headers['x-shown']}/")
    assert len(ready.answers()) == 1
    ready.person["assignment"] = stored.value.headers["x-shown"]
    ready.save()
    assert ready.draft()["draft"]["text"] == ready.answer()
    ready.submit()
    assert len(ready.answers()) == 2
    assert ready.field("active_seconds") != ""


def test_a_second_response_waits_for_the_first(ready: Desk) -> None:
    page = ready.page
    with held(page, SUBMISSIONS) as waiting:
        page.keyboard.press("Control+Enter")
        expect(number(ready)).to_have_text("2 of 6")
        complete(ready)
        page.keyboard.press("Control+Enter")
        expect(page.locator("button[form=work]")).to_have_attribute("aria-disabled", "true")
        assert len(waiting) == 1
    expect(number(ready)).to_have_text("3 of 6")
    poll(page, lambda: len(ready.answers()) == 2)


@pytest.mark.parametrize("how", ["abort", "busy", "signed_out"])
def test_a_response_that_is_not_stored_comes_back_with_what_was_typed(ready: Desk, how: str) -> None:
    page, first, words = ready.page, ready.page.url, ready.answer()
    replies = {
        "abort": lambda r: r.abort(),
        "busy": lambda r: r.fulfill(status=503),
        "signed_out": lambda r: r.fulfill(status=401),
    }
    page.route(SUBMISSIONS, replies[how])
    page.keyboard.press("Control+Enter")
    notice = ready.notice("signed-out" if how == "signed_out" else "unsent")
    expect(notice).to_be_visible()
    assert (page.url, ready.answer(), ready.ticked()) == (first, words, [0])
    expect(number(ready)).to_have_text("1 of 6")
    page.unroute(SUBMISSIONS)
    if how == "signed_out":  # what could not be sent is sent again by itself
        page.wait_for_timeout(300)  # a key that comes sooner counts as the second half of a double click
        ready.submit()
    expect(number(ready)).to_have_text("2 of 6")
    assert [row["answer"]["text"] for row in ready.answers()] == [words]


def test_a_lost_reply_is_asked_for_again_and_what_was_typed_into_the_next_waits(ready: Desk) -> None:
    page, sent, lost, again = ready.page, [], [], []

    def lose_first(route: Any) -> None:
        sent.append(route.request.post_data)
        if len(sent) > 1:
            return again.append(route)
        route.fetch(max_redirects=0)
        return lost.append(route)

    page.route(SUBMISSIONS, lose_first)
    page.keyboard.press("Control+Enter")
    expect(number(ready)).to_have_text("2 of 6")
    page.locator("#answer-text").fill("begun already")
    poll(page, lambda: lost)
    lost[0].abort()
    expect(ready.notice("unsent")).to_be_visible()
    expect(number(ready)).to_have_text("1 of 6")
    poll(page, lambda: again)
    again[0].continue_()
    expect(number(ready)).to_have_text("2 of 6")
    assert ready.answer() == "begun already"
    assert len(sent) == 2
    assert [row["revision"] for row in ready.answers()] == [1]


@pytest.mark.soak
def test_a_response_that_another_tab_overtook_says_so(ready: Desk) -> None:
    other = ready.again()
    other.submit()
    ready.page.keyboard.press("Control+Enter")
    expect(ready.page.locator("main")).to_contain_text("This assignment was already submitted from another tab.")
    assert len(ready.answers()) == 1


def test_an_item_that_the_server_gives_instead_takes_its_place(ready: Desk) -> None:
    page = ready.page
    page.route(SUBMISSIONS, lambda route: route.continue_(headers={**route.request.headers, "x-next": "gone"}))
    with page.expect_response(SUBMISSIONS) as stored:
        page.keyboard.press("Control+Enter")
    page.wait_for_url(f"**{stored.value.headers['x-item']}")
    assert len(ready.answers()) == 1


def test_a_double_click_submits_one_item(ready: Desk) -> None:
    page, posted = ready.page, []
    page.on("request", lambda sent: posted.append(sent.url) if sent.url.endswith("/submit/") else None)
    with page.expect_response(SUBMISSIONS):
        page.locator("button[form=work]").dblclick()
    expect(number(ready)).to_have_text("2 of 6")
    page.wait_for_load_state("networkidle")  # a second POST would have followed the reply to the first
    expect(page.locator("#problems a")).to_have_count(0)
    assert len(posted) == len(ready.answers()) == 1


def test_what_leads_away_waits_until_the_response_is_stored(ready: Desk) -> None:
    page = ready.page
    with held(page, SUBMISSIONS), nothing_sent(page):
        page.keyboard.press("Control+Enter")
        expect(number(ready)).to_have_text("2 of 6")
        page.keyboard.press("b")
    page.wait_for_url(f"**{ready.url}")
    expect(page.locator("main")).to_contain_text("You submitted this item.")


def test_a_page_that_is_left_gives_the_next_item_to_others(ready: Desk) -> None:
    assert ready.site.ask("prefetched", batch=ready.person["batch"]) == 1
    ready.page.goto("/work/")
    ready.page.wait_for_load_state("networkidle")
    # the beacon of the page that was left may come after the new page
    poll(ready.page, lambda: ready.site.ask("prefetched", batch=ready.person["batch"]) == 0)


def test_decisions_come_like_a_deck_of_cards(desk: WorkPage) -> None:
    worker = desk("pairs", task="coreference", sample=6)
    page, asked = worker.page, []
    # a key before it is here would ask again
    poll(page, lambda: worker.site.ask("prefetched", batch=worker.person["batch"]))
    page.wait_for_load_state("networkidle")
    page.on("request", lambda sent: asked.append(sent.url) if sent.url.endswith("/next/") else None)
    for place, key in enumerate("yn", start=2):
        settle(page)
        with page.expect_response(SUBMISSIONS):
            page.keyboard.press(key)
        expect(number(worker)).to_have_text(f"{place} of 6")
    assert asked == []  # each reply brought the item after the next
    assert [row["answer"]["bridges"] for row in worker.answers()] == [["same"], ["different"]]


def test_a_decision_can_be_taken_back_before_it_is_stored(desk: WorkPage) -> None:
    worker = desk("pairs", task="coreference", sample=6)
    page = worker.page
    page.wait_for_load_state("networkidle")
    settle(page)
    with held(page, SUBMISSIONS):
        page.keyboard.press("y")
        expect(number(worker)).to_have_text("2 of 6")
        page.keyboard.press("z")
    page.wait_for_url(f"**{worker.url}")
    expect(page.locator("input[value=same]")).to_be_checked()
    expect(page.locator("main")).to_contain_text("You submitted this item.")
