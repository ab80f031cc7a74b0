"""Work saves by itself, and no broken connection, server, session or second tab loses it."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Error, expect

from tests.browser.desk import Desk, held, nothing_sent, poll
from tests.browser.site import Site
from tests.browser.test_small_screens import IN_REACH, PHONE, overflow

WorkPage = Callable[..., Desk]
KEPT = "() => Object.keys(localStorage).filter((name) => name.startsWith('hopscribe:draft:')).length"
NOT_SAVED = "Not saved yet; trying again"


def stored_words(worker: Desk) -> str:
    return str((worker.draft()["draft"] or {}).get("text", ""))


def wait_stored(worker: Desk, words: str) -> None:
    """Until the server keeps these words."""
    poll(worker.page, lambda: stored_words(worker) == words)


def wait_unsaved(worker: Desk) -> None:
    worker.send_draft()
    expect(worker.page.locator("#saved")).to_have_text(NOT_SAVED)


def test_work_is_saved_by_itself_with_the_time_beside_it(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    assert worker.page.evaluate(KEPT) == 1
    assert re.fullmatch(r"Saved \d\d:\d\d:\d\d", worker.wait_saved())
    assert stored_words(worker) == "larch"
    assert worker.page.evaluate(KEPT) == 0


def test_drafts_are_sent_in_a_pause_and_else_every_half_minute(desk: WorkPage) -> None:
    worker = desk("yesno")
    page, sent = worker.page, []
    page.on("request", lambda request: sent.append(request) if request.url.endswith("/draft/") else None)
    page.clock.install(time=0)
    page.reload()
    page.clock.pause_at(3_600_000)
    page.locator("#answer-text").focus()
    for second in range(1, 31):
        page.keyboard.press("a")
        assert sent == [], second
        page.clock.run_for(1000)
    poll(page, lambda: stored_words(worker) == "a" * 30)
    worker.wait_saved()
    page.keyboard.press("b")
    page.clock.run_for(4900)
    assert len(sent) == 1
    page.clock.run_for(200)
    wait_stored(worker, "a" * 30 + "b")
    assert len(sent) == 2


def test_a_tab_that_crashes_before_anything_was_sent_loses_no_change(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.evaluate("() => { window.fetch = () => new Promise(() => {}); }")  # on its way there it would be sent
    worker.select("larch")
    with suppress(Error):  # which the crash is
        worker.page.goto("chrome://crash")
    assert worker.draft()["draft"] is None
    worker = worker.again()
    expect(worker.page.locator("#answer-text")).to_have_value("larch")
    assert worker.marked() == "larch"
    wait_stored(worker, "larch")


def test_a_page_that_is_hidden_saves_at_once(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    with worker.page.expect_response("**/draft/"):
        worker.page.evaluate("() => Object.defineProperty(document, 'visibilityState', {value: 'hidden'})")
        worker.page.evaluate("() => document.dispatchEvent(new Event('visibilitychange'))")
    assert stored_words(worker) == "larch"


@pytest.mark.parametrize(("key", "button"), [("r", "Return and stop"), ("!", "Send the report")])
def test_what_is_returned_or_reported_keeps_the_last_change(desk: WorkPage, key: str, button: str) -> None:
    worker = desk("yesno", sample=2)
    worker.select("larch")
    worker.page.keyboard.press(key)
    if key == "!":
        worker.page.get_by_label("The question is unclear").check()
    worker.page.get_by_role("button", name=button).click()
    wait_stored(worker, "larch")


def test_a_reload_brings_answer_ticks_and_mark_back(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.tick(0)
    worker.tick(2)
    before = worker.fields()
    worker.save()
    worker.page.reload()
    expect(worker.page.locator("#answer-text")).to_have_value("larch")
    changed = {"version", "active_seconds", "csrfmiddlewaretoken", "key"}
    assert {k: v for k, v in worker.fields().items() if k not in changed} == {
        k: v for k, v in before.items() if k not in changed
    }
    assert (worker.marked(), worker.ticked()) == ("larch", [0, 2])
    expect(worker.page.locator("#saved")).to_have_text(re.compile(r"Saved\s+\d\d:\d\d:\d\d"))


@pytest.mark.soak
def test_a_reload_right_after_a_change_loses_nothing(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.page.reload()
    expect(worker.page.locator("#answer-text")).to_have_value("larch")
    assert worker.marked() == "larch"


@pytest.mark.soak
def test_a_page_that_was_on_its_way_while_a_draft_was_saved_shows_the_draft(desk: WorkPage) -> None:
    worker = desk("yesno")
    page = worker.page
    saved: list[Any] = []

    def come_late(route: Any) -> None:
        response = route.fetch()  # as it was before the draft
        poll(page, lambda: saved)
        route.fulfill(response=response)

    page.route(page.url, come_late)
    page.on("requestfinished", lambda sent: saved.append(sent) if sent.url.endswith("/draft/") else None)
    worker.select("larch")
    page.reload()
    expect(page.locator("#answer-text")).to_have_value("larch")
    worker.tick(0)
    worker.save()
    expect(worker.notice("conflict")).to_have_count(0)
    stored = worker.draft()["draft"]
    assert (stored["text"], len(stored["support"])) == ("larch", 1)


def test_what_was_typed_before_the_scripts_came_stays_and_is_saved(desk: WorkPage) -> None:
    worker = desk("yesno")
    page, typed = worker.page, []

    def late(route: Any) -> None:
        poll(page, lambda: typed)
        route.continue_()

    page.route("**/answer*.js", late)
    page.reload(wait_until="commit")
    page.locator("#answer-text").fill("larch")
    page.locator("#support-1").check(force=True)
    typed.append("larch")
    worker.save()
    assert (worker.answer(), worker.ticked()) == ("larch", [1])
    assert stored_words(worker) == "larch"


@pytest.mark.soak
def test_so_it_is_on_the_page_of_another_task(desk: WorkPage) -> None:
    worker = desk("strands", task="compose")
    for _number in range(worker.page.locator(".bridge").count()):
        worker.page.keyboard.press("y")
    worker.save()
    page, typed = worker.page, []

    def late(route: Any) -> None:
        poll(page, lambda: typed)
        route.continue_()

    page.route("**/compose/page*.js", late)
    page.reload(wait_until="commit")
    page.locator("#question").fill("What did she bring?")
    typed.append("all")
    worker.save()
    assert worker.draft()["draft"]["question"] == "What did she bring?"


def test_offline_work_is_kept_said_and_sent_when_the_connection_is_back(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.context.set_offline(True)
    worker.select("larch")
    wait_unsaved(worker)
    assert worker.page.evaluate(KEPT) == 1
    assert stored_words(worker) == ""
    kept = worker.page.evaluate("() => JSON.stringify({...localStorage})")
    assert not any(text in kept for text in worker.texts())
    worker.page.context.set_offline(False)
    worker.wait_saved()
    assert stored_words(worker) == "larch"
    assert worker.page.evaluate(KEPT) == 0


def test_a_phone_says_that_work_is_not_saved_wherever_its_page_is_scrolled(desk: WorkPage) -> None:
    worker = desk("demo", sample=1, page=PHONE)
    worker.page.locator("#text-5").evaluate("(element) => element.scrollIntoView({block: 'center'})")
    expect(worker.page.locator("#saved")).not_to_be_in_viewport()
    worker.page.context.set_offline(True)
    worker.select(worker.texts()[5].split()[0])
    wait_unsaved(worker)
    assert worker.page.locator("#saved").evaluate(IN_REACH)
    assert worker.page.locator("#question").evaluate(IN_REACH)
    assert overflow(worker.page) == 0
    worker.page.context.set_offline(False)
    worker.wait_saved()
    expect(worker.page.locator("#saved")).not_to_be_in_viewport()


@pytest.mark.soak
def test_what_was_not_sent_before_the_page_was_closed_comes_back(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.route("**/draft/", lambda route: route.abort())
    worker.select("larch")
    wait_unsaved(worker)
    worker.page.close()
    worker.page = worker.page.context.new_page()
    worker.open()
    expect(worker.page.locator("#answer-text")).to_have_value("larch")
    wait_stored(worker, "larch")


@pytest.mark.soak
def test_a_server_in_trouble_is_asked_again_until_it_saves(desk: WorkPage) -> None:
    worker = desk("yesno")
    failures = []

    def refuse(route: Any) -> None:
        failures.append(route.request.url)
        route.fulfill(status=503, body="busy") if len(failures) < 3 else route.continue_()

    worker.page.route("**/draft/", refuse)
    worker.select("larch")
    wait_unsaved(worker)
    worker.wait_saved()
    assert len(failures) == 3
    assert stored_words(worker) == "larch"


@pytest.mark.soak
def test_a_sign_out_elsewhere_is_said_and_nothing_is_lost(desk: WorkPage, site: Site) -> None:
    worker = desk("yesno")
    worker.page.context.clear_cookies(name="sessionid")
    worker.select("larch")
    worker.send_draft()
    expect(worker.notice("signed-out")).to_contain_text("Your work is kept here")
    assert worker.answer() == "larch"
    session = site.ask("sign_in", name=worker.person["name"])
    worker.page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    wait_stored(worker, "larch")
    expect(worker.notice("signed-out")).to_have_count(0)


@pytest.mark.soak
def test_a_draft_whose_turn_came_during_a_vain_submission_is_saved_after_it(desk: WorkPage) -> None:
    worker = desk("yesno")
    answers = iter([500])

    def fail_first(route: Any) -> None:
        status = next(answers, None)
        route.fulfill(status=status, body="busy") if status else route.continue_()

    worker.page.route("**/draft/", fail_first)
    worker.select("larch")
    wait_unsaved(worker)
    with held(worker.page, "**/submit/"):
        worker.page.keyboard.press("Control+Enter")
        worker.page.wait_for_timeout(1500)  # its turn comes within 1.25 seconds, and nothing shows it
    expect(worker.page.locator("#problems")).to_be_visible()
    wait_stored(worker, "larch")


def test_a_submission_while_signed_out_stays_on_the_page_with_everything(desk: WorkPage, site: Site) -> None:
    worker = desk("yesno")
    worker.select("larch")
    worker.tick(0)
    worker.save()
    worker.page.context.clear_cookies(name="sessionid")
    worker.page.keyboard.press("Control+Enter")
    expect(worker.notice("signed-out")).to_be_visible()
    assert (worker.answer(), worker.ticked(), worker.answers()) == ("larch", [0], [])
    session = site.ask("sign_in", name=worker.person["name"])
    worker.page.context.add_cookies([{"name": "sessionid", "value": session, "url": site.url}])
    worker.submit()
    assert [row["answer"]["text"] for row in worker.answers()] == ["larch"]


def test_signing_out_clears_what_the_browser_kept(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.route("**/draft/", lambda route: route.abort())
    worker.select("larch")
    wait_unsaved(worker)
    other = worker.page.context.new_page()
    other.goto("/work/")
    other.locator(".who summary").click()
    other.get_by_role("button", name="Sign out").click()
    other.wait_for_url("**/sign-in/")
    assert other.evaluate(KEPT) == 0


def two_tabs(desk: WorkPage) -> tuple[Desk, Desk]:
    """One assignment in two tabs: the first saved `larch`, the second, opened before, has `stone` and was told."""
    first = desk("yesno")
    second = first.again()
    first.select("larch")
    first.save()
    second.select("stone")
    second.send_draft()
    expect(second.notice("conflict")).to_contain_text("changed in another tab")
    assert stored_words(first) == "larch"
    return first, second


def test_the_second_tab_is_told_and_can_load_the_saved_answer(desk: WorkPage) -> None:
    first, second = two_tabs(desk)
    second.choose_in("conflict", "load-theirs")
    assert (second.answer(), second.marked()) == ("larch", "larch")
    second.select("a fair in May")
    second.save()
    assert stored_words(first) == "a fair in May"


@pytest.mark.soak
def test_the_second_tab_is_told_and_can_keep_its_own_answer(desk: WorkPage) -> None:
    _first, second = two_tabs(desk)
    second.choose_in("conflict", "keep-mine")
    wait_stored(second, "stone")
    second.save()
    assert second.answer() == "stone"
    assert second.page.evaluate(KEPT) == 0


@pytest.mark.soak
def test_a_refused_submission_does_not_decide_between_two_tabs(desk: WorkPage) -> None:
    first, second = two_tabs(desk)
    second.page.keyboard.press("Control+Enter")
    expect(second.page.locator("#problems")).to_be_visible()
    expect(second.notice("conflict")).to_have_count(1)
    second.select("a fair in May")
    with nothing_sent(second.page, "/draft/"):
        second.send_draft()
    assert stored_words(first) == "larch"


@pytest.mark.soak
def test_a_draft_that_was_saved_but_whose_reply_got_lost_is_no_conflict(desk: WorkPage) -> None:
    worker = desk("yesno")
    lost = []

    def lose_first(route: Any) -> None:
        if lost:
            return route.continue_()
        lost.append(route.fetch().status)
        return route.abort()

    worker.page.route("**/draft/", lose_first)
    worker.select("larch")
    wait_unsaved(worker)
    worker.wait_saved()
    assert lost == [200]
    expect(worker.notice("conflict")).to_have_count(0)


@pytest.mark.soak
def test_a_tab_whose_assignment_was_submitted_elsewhere_says_so(desk: WorkPage) -> None:
    first = desk("demo", sample=2)
    second = first.again()
    words = first.texts()[0].split(". ")[0]
    first.select(words)
    first.tick(0)
    first.submit()
    second.tick(1)
    second.send_draft()
    expect(second.notice("over")).to_be_visible()
    second.select(words)
    second.page.keyboard.press("Control+Enter")
    expect(second.page.locator("main h1")).to_have_text("Another response was submitted")
    assert [row["revision"] for row in first.answers()] == [1]


def test_active_time_counts_and_survives_a_reload(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.mouse.move(50, 300)
    worker.page.wait_for_timeout(2200)  # the time that is counted
    worker.select("larch")
    worker.save()
    counted = worker.draft()["seconds"]
    assert 1 <= counted <= 10
    worker.page.reload()
    worker.select("stone")
    worker.save()
    assert counted <= worker.draft()["seconds"] <= 20
