"""Work saves by itself, and no broken connection, server, session or second tab loses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.site import Site

WorkPage = Callable[..., Desk]
KEPT = "() => Object.keys(localStorage).filter((name) => name.startsWith('hopscribe:draft:')).length"
NOT_SAVED = "The last change is not saved yet; trying again"


def stored_words(seat: Desk) -> str:
    return str((seat.draft()["draft"] or {}).get("text", ""))


def wait_stored(seat: Desk, words: str) -> None:
    """Until the server keeps these words."""
    for _ in range(100):
        if stored_words(seat) == words:
            return
        seat.page.wait_for_timeout(100)
    raise AssertionError(f"the server keeps {stored_words(seat)!r}, not {words!r}")


def wait_unsaved(seat: Desk) -> None:
    expect(seat.page.locator("#saved")).to_have_text(NOT_SAVED)


def test_work_is_saved_by_itself_with_the_time_beside_it(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    assert re.fullmatch(r"Saved \d\d:\d\d:\d\d", seat.wait_saved())
    assert stored_words(seat) == "larch"
    assert seat.page.evaluate(KEPT) == 0


def test_a_reload_brings_answer_ticks_and_mark_back(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.tick(0)
    seat.tick(2)
    before = seat.fields()
    seat.wait_saved()
    seat.page.reload()
    expect(seat.page.locator("#answer-text")).to_have_value("larch")
    changed = {"version", "active_seconds", "csrfmiddlewaretoken", "key"}
    assert {k: v for k, v in seat.fields().items() if k not in changed} == {
        k: v for k, v in before.items() if k not in changed
    }
    assert (seat.marked(), seat.ticked()) == ("larch", [0, 2])
    expect(seat.page.locator("#saved")).to_have_text(re.compile(r"Saved\s+\d\d:\d\d:\d\d"))


@pytest.mark.soak
def test_a_reload_right_after_a_change_loses_nothing(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.page.reload()
    expect(seat.page.locator("#answer-text")).to_have_value("larch")
    assert seat.marked() == "larch"


def test_offline_work_is_kept_said_and_sent_when_the_connection_is_back(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.context.set_offline(True)
    seat.select("larch")
    wait_unsaved(seat)
    assert seat.page.evaluate(KEPT) == 1
    assert stored_words(seat) == ""
    kept = seat.page.evaluate("() => JSON.stringify({...localStorage})")
    assert not any(text in kept for text in seat.texts())
    seat.page.context.set_offline(False)
    seat.wait_saved()
    assert stored_words(seat) == "larch"
    assert seat.page.evaluate(KEPT) == 0


@pytest.mark.soak
def test_what_was_not_sent_before_the_page_was_closed_comes_back(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.route("**/draft/", lambda route: route.abort())
    seat.select("larch")
    wait_unsaved(seat)
    seat.page.close()
    seat.page = seat.page.context.new_page()
    seat.open()
    expect(seat.page.locator("#answer-text")).to_have_value("larch")
    wait_stored(seat, "larch")


@pytest.mark.soak
def test_a_server_in_trouble_is_asked_again_until_it_saves(desk: WorkPage) -> None:
    seat = desk("yesno")
    failures = []

    def refuse(route: Any) -> None:
        failures.append(route.request.url)
        route.fulfill(status=503, body="busy") if len(failures) < 3 else route.continue_()

    seat.page.route("**/draft/", refuse)
    seat.select("larch")
    wait_unsaved(seat)
    seat.wait_saved()
    assert len(failures) == 3
    assert stored_words(seat) == "larch"


@pytest.mark.soak
def test_a_sign_out_elsewhere_is_said_and_nothing_is_lost(desk: WorkPage, site: Site) -> None:
    seat = desk("yesno")
    seat.page.context.clear_cookies(name="sessionid")
    seat.select("larch")
    expect(seat.notice("signed-out")).to_contain_text("Your work is kept here")
    assert seat.answer() == "larch"
    session = site.ask("sign_in", name=seat.person["name"])
    seat.page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    wait_stored(seat, "larch")
    expect(seat.notice("signed-out")).to_have_count(0)


@pytest.mark.soak
def test_a_draft_whose_turn_came_during_a_vain_submission_is_saved_after_it(desk: WorkPage) -> None:
    seat = desk("yesno")
    answers = iter([500])

    def fail_first(route: Any) -> None:
        status = next(answers, None)
        route.fulfill(status=status, body="busy") if status else route.continue_()

    def slow(route: Any) -> None:
        seat.page.wait_for_timeout(2500)
        route.continue_()

    seat.page.route("**/draft/", fail_first)
    seat.page.route("**/submit/", slow)
    seat.select("larch")
    wait_unsaved(seat)
    seat.page.keyboard.press("Control+Enter")
    expect(seat.page.locator("#problems")).to_be_visible()
    wait_stored(seat, "larch")


def test_a_submission_while_signed_out_stays_on_the_page_with_everything(desk: WorkPage, site: Site) -> None:
    seat = desk("yesno")
    seat.select("larch")
    seat.tick(0)
    seat.wait_saved()
    seat.page.context.clear_cookies(name="sessionid")
    seat.page.keyboard.press("Control+Enter")
    expect(seat.notice("signed-out")).to_be_visible()
    assert (seat.answer(), seat.ticked(), seat.answers()) == ("larch", [0], [])
    session = site.ask("sign_in", name=seat.person["name"])
    seat.page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    seat.submit()
    assert [row["answer"]["text"] for row in seat.answers()] == ["larch"]


def test_signing_out_clears_what_the_browser_kept(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.route("**/draft/", lambda route: route.abort())
    seat.select("larch")
    wait_unsaved(seat)
    other = seat.page.context.new_page()
    other.goto("/work/")
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url("**/sign-in/")
    assert other.evaluate(KEPT) == 0


def two_tabs(desk: WorkPage) -> tuple[Desk, Desk]:
    """One assignment in two tabs: the first saved `larch`, the second, opened before, has `stone` and was told."""
    first = desk("yesno")
    second = first.again()
    first.select("larch")
    first.wait_saved()
    second.select("stone")
    expect(second.notice("conflict")).to_contain_text("changed in another tab")
    assert stored_words(first) == "larch"
    return first, second


def test_the_second_tab_is_told_and_can_load_the_saved_answer(desk: WorkPage) -> None:
    first, second = two_tabs(desk)
    second.choose_in("conflict", "load-theirs")
    assert (second.answer(), second.marked()) == ("larch", "larch")
    second.select("a fair in May")
    second.wait_saved()
    assert stored_words(first) == "a fair in May"


@pytest.mark.soak
def test_the_second_tab_is_told_and_can_keep_its_own_answer(desk: WorkPage) -> None:
    _first, second = two_tabs(desk)
    second.choose_in("conflict", "keep-mine")
    wait_stored(second, "stone")
    assert second.answer() == "stone"
    assert second.page.evaluate(KEPT) == 0


@pytest.mark.soak
def test_a_refused_submission_does_not_decide_between_two_tabs(desk: WorkPage) -> None:
    first, second = two_tabs(desk)
    second.page.keyboard.press("Control+Enter")
    expect(second.page.locator("#problems")).to_be_visible()
    expect(second.notice("conflict")).to_have_count(1)
    second.select("a fair in May")
    second.page.wait_for_timeout(800)
    assert stored_words(first) == "larch"


@pytest.mark.soak
def test_a_draft_that_was_saved_but_whose_reply_got_lost_is_no_conflict(desk: WorkPage) -> None:
    seat = desk("yesno")
    lost = []

    def lose_first(route: Any) -> None:
        if lost:
            return route.continue_()
        lost.append(route.fetch().status)
        return route.abort()

    seat.page.route("**/draft/", lose_first)
    seat.select("larch")
    wait_unsaved(seat)
    seat.wait_saved()
    assert lost == [200]
    expect(seat.notice("conflict")).to_have_count(0)


@pytest.mark.soak
def test_a_tab_whose_assignment_was_submitted_elsewhere_says_so(desk: WorkPage) -> None:
    first = desk("demo", sample=2)
    second = first.again()
    words = first.texts()[0].split(". ")[0]
    first.select(words)
    first.tick(0)
    first.submit()
    second.tick(1)
    expect(second.notice("over")).to_be_visible()
    second.select(words)
    second.page.keyboard.press("Control+Enter")
    expect(second.page.locator("main h1")).to_have_text("Another response was submitted")
    assert [row["revision"] for row in first.answers()] == [1]


def test_active_time_counts_and_survives_a_reload(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.mouse.move(50, 300)
    seat.page.wait_for_timeout(2200)
    seat.select("larch")
    seat.wait_saved()
    counted = seat.draft()["seconds"]
    assert 1 <= counted <= 10
    seat.page.reload()
    seat.select("stone")
    seat.wait_saved()
    assert counted <= seat.draft()["seconds"] <= 20
