"""Composing: bridges one after another, then the question with checks that neither hold up nor lose a word."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]
GOOD = "What did the captain of the Petrel bring to the town with the Tide Organ?"
STAGE = "#compose[data-stage={}]"
MARKED = "() => [...document.querySelectorAll('.mirror mark')].map((mark) => mark.textContent)"
# Measured in one go: what is swapped in meanwhile is another element.
PLACE = "(sought) => JSON.stringify(document.querySelector(sought).getBoundingClientRect())"


@pytest.fixture
def compose(desk: WorkPage) -> WorkPage:
    return lambda kind="strands", **more: desk(kind, task="compose", **more)


def judge_all(worker: Desk) -> None:
    for _ in range(worker.page.locator(".bridge").count()):
        worker.page.keyboard.press("y")
    expect(worker.page.locator("#question")).to_be_focused()


def write(worker: Desk, text: str) -> None:
    """Type into the field, which has the focus, and wait until the checks have seen all of it."""
    worker.page.keyboard.type(text)
    seen(worker, worker.page.locator("#question").input_value())


def seen(worker: Desk, text: str) -> None:
    expect(worker.page.locator(".findings")).to_have_attribute("data-question", text)


def stored(worker: Desk) -> dict[str, Any]:
    return dict(worker.answers()[-1]["answer"])


def test_the_whole_of_it_is_done_by_keys(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    expect(page.locator("#question")).to_be_hidden()
    expect(page.locator(".case:visible")).to_have_count(1)
    expect(page.locator(".case:visible h2")).to_contain_text("Mara Quell")
    page.keyboard.press("y")
    expect(page.locator(".case:visible h2")).to_contain_text("Mellisand")
    page.keyboard.press("y")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator(".goal")).to_contain_text("lemon trees")
    write(worker, "What did the captain of the Petrel bring home?")
    expect(page.locator("[data-reason=hop_missing-2]")).to_be_visible()
    expect(page.locator("#missing")).to_contain_text("fix or explain 1 warning")
    page.locator("#missing a").press("Enter")
    expect(page.locator("#override-hop_missing-2")).to_be_focused()
    page.keyboard.type("the town is implied")
    expect(page.locator("[data-finding=hop_missing-2]")).to_have_class("finding warning settled")
    expect(page.locator("#override-hop_missing-2")).to_be_focused()
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    assert stored(worker) == {
        "bridges": ["same", "same"],
        "why": "",
        "question": "What did the captain of the Petrel bring home?",
        "overrides": {"hop_missing-2": "the town is implied"},
        "pasted": 0.0,
    }


@pytest.mark.soak
def test_a_bridge_that_does_not_hold_ends_the_check_and_can_be_taken_back(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    page.keyboard.press("n")
    expect(page.locator("#aside")).to_be_focused()
    expect(page.locator(".aside")).to_contain_text("This item ends here")
    expect(page.locator("button[form=work]")).to_contain_text("Submit and continue")
    page.keyboard.press("y")
    expect(page.locator(STAGE.format("aside"))).to_be_visible()
    page.keyboard.press("z")
    expect(page.locator(STAGE.format("judging"))).to_be_visible()
    expect(page.locator("button[form=work]")).to_contain_text("Submit")
    page.keyboard.press("y")
    page.keyboard.press("u")
    expect(page.locator(STAGE.format("aside"))).to_be_visible()
    page.keyboard.press("Control+z")
    page.keyboard.press("z")
    expect(page.locator(".case:visible h2")).to_contain_text("Mara Quell")


@pytest.mark.soak
def test_an_item_is_put_aside_with_a_reason(compose: WorkPage) -> None:
    worker = compose()
    worker.page.keyboard.press("y")
    worker.page.keyboard.press("n")
    worker.page.locator("#why").fill("Two towns of one name.")
    worker.submit()
    assert stored(worker) == {
        "bridges": ["same", "different"],
        "why": "Two towns of one name.",
        "question": "",
        "overrides": {},
        "pasted": 0.0,
    }


@pytest.mark.soak
def test_a_judgment_that_is_made_again_asks_no_more_than_that(compose: WorkPage) -> None:
    worker = compose()
    judge_all(worker)
    write(worker, GOOD)
    worker.page.locator("[data-reopen='1']").click()
    expect(worker.page.locator(".case:visible")).to_have_count(1)
    worker.page.keyboard.press("y")
    expect(worker.page.locator("#question")).to_be_focused()
    assert worker.page.locator("#question").input_value() == GOOD


@pytest.mark.soak
def test_arrows_look_around_in_a_bridges_buttons_and_only_space_or_enter_decides(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    page.locator("input[name=bridge-1][value=same]").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(STAGE.format("judging"))).to_be_visible()
    expect(page.locator("input[name=bridge-1][value=unsure]")).to_be_checked()
    page.keyboard.press("Space")
    expect(page.locator(STAGE.format("aside"))).to_be_visible()


@pytest.mark.soak
def test_a_leak_is_said_and_marked_in_the_question_itself_without_holding_up_typing(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    before = page.evaluate(PLACE, ".coverage")
    write(worker, "What did 🚢 Mara Quell bring home?")
    expect(page.locator("[data-finding=gives_away-1]")).to_contain_text("Mara Quell")
    assert page.evaluate(MARKED) == ["Mara Quell"]
    expect(page.locator("#missing")).to_have_text(re.compile("^Still missing: fix 1 problem marked ✗"))
    page.keyboard.press("Home")
    page.keyboard.type("Now: ")
    assert "Mara Quell" in page.evaluate(MARKED)
    assert page.evaluate(PLACE, ".coverage") == before
    seen(worker, "Now: What did 🚢 Mara Quell bring home?")
    said = page.locator(":is(main, .work-foot) :text('gives away'):visible")
    expect(said).to_have_count(1)
    page.locator("#hop-1").focus()
    page.keyboard.press("Control+Enter")
    expect(page.locator("#question")).to_be_focused()
    expect(page.locator("#problems")).to_have_count(0)
    expect(said).to_have_count(1)
    assert worker.answers() == []


@pytest.mark.soak
def test_hops_show_which_of_their_words_are_used_and_which_hop_is_skipped(compose: WorkPage) -> None:
    worker = compose()
    judge_all(worker)
    write(worker, "Who was captain of the Petrel?")
    expect(worker.page.locator(".word.used").first).to_have_text("captain")
    expect(worker.page.locator(".coverage li.skipped")).to_have_count(2)
    for hop in (2, 3):
        said = worker.page.locator(f":is(main, .work-foot) :text('does not ask about hop {hop}'):visible")
        expect(said).to_have_count(1)


@pytest.mark.soak
def test_a_reason_is_not_lost_while_its_warning_comes_and_goes(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    write(worker, "What did the captain of the Petrel bring?")
    page.locator("#override-hop_missing-2").fill("implied")
    page.locator("#question").fill(GOOD)
    seen(worker, GOOD)
    expect(page.locator("#override-hop_missing-2")).to_be_hidden()
    assert "override-hop_missing-2" not in worker.fields()
    page.locator("#question").fill("What did the captain of the Petrel bring?")
    seen(worker, "What did the captain of the Petrel bring?")
    expect(page.locator("#override-hop_missing-2")).to_have_value("implied")


def test_everything_survives_a_reload(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    write(worker, "What did the captain of the Petrel bring?")
    page.locator("#override-hop_missing-2").fill("implied")
    worker.save()
    page.reload()
    expect(page.locator(STAGE.format("writing"))).to_be_visible()
    expect(page.locator("#question")).to_have_value("What did the captain of the Petrel bring?")
    expect(page.locator("#override-hop_missing-2")).to_have_value("implied")
    page.locator("h2#hops-title").click()
    page.keyboard.press("z")
    expect(page.locator(".case:visible h2")).to_contain_text("Mellisand")
    page.reload()
    expect(page.locator(".case:visible h2")).to_contain_text("Mellisand")
    assert worker.field("question") == "What did the captain of the Petrel bring?"


@pytest.mark.soak
def test_a_reload_before_anything_was_sent_loses_nothing_either(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    page.route("**/draft/", lambda route: route.abort())
    page.keyboard.press("y")
    page.keyboard.press("y")
    page.keyboard.type("What did the captain bring?")
    page.unroute("**/draft/")
    page.reload()
    expect(page.locator("#question")).to_have_value("What did the captain bring?")
    expect(page.locator(STAGE.format("writing"))).to_be_visible()


@pytest.mark.soak
def test_a_key_that_one_chose_judges_too(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    page.keyboard.press("?")
    page.locator("[data-change-key=same]").click()
    page.keyboard.press("s")
    expect(page.locator("#keys-said")).to_have_text("Saved.")
    page.keyboard.press("Escape")
    expect(page.locator(".case:visible kbd").first).to_have_text("s")
    page.keyboard.press("y")
    expect(page.locator(".case:visible h2")).to_contain_text("Mara Quell")
    page.keyboard.press("s")
    expect(page.locator(".case:visible h2")).to_contain_text("Mellisand")


@pytest.mark.soak
def test_examples_for_the_shape_are_one_key_away(compose: WorkPage) -> None:
    page = compose().page
    page.keyboard.press("e")
    expect(page.locator("#examples-box")).to_be_visible()
    assert page.locator("#examples-box .pairs .good li").count() > 0
    assert page.locator("#examples-box .worked > section").count() == 1
    page.keyboard.press("e")
    expect(page.locator("#examples-box")).to_be_hidden()


@pytest.mark.soak
def test_whoever_is_pointed_at_is_marked_in_graph_questions_and_paragraphs(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    page.locator("#hop-3 h3 a").first.hover()
    lit = page.evaluate("() => [...document.querySelectorAll('.lit:not(.case *)')].map((each) => each.dataset.entity)")
    assert len(lit) >= 4
    assert set(lit) == {"1"}
    page.locator("#hop-3 h3 a").first.click()
    expect(page.locator("#hop-1")).to_be_focused()
    page.keyboard.press("3")
    expect(page.locator("#hop-3")).to_be_focused()
    page.keyboard.press("f")
    expect(page.locator("#hop-3 .passage")).to_be_hidden()
    page.keyboard.press("t")
    expect(page.locator("#question")).to_be_focused()


@pytest.mark.soak
def test_the_checks_may_fail_without_being_in_the_way(compose: WorkPage) -> None:
    worker = compose()
    page = worker.page
    judge_all(worker)
    page.route("**/live/checks/**", lambda route: route.abort())
    page.keyboard.type(GOOD)
    expect(page.locator("#checks")).to_have_attribute(
        "data-away", "The checks are unreachable; they run again after your next change."
    )
    page.unroute("**/live/checks/**")
    page.keyboard.type(" ")
    expect(page.locator("#checks[data-away]")).to_have_count(0)
    worker.submit()
    assert stored(worker)["question"] == GOOD


def test_one_undo_is_on_the_page_of_a_bridge_that_does_not_hold(compose: WorkPage) -> None:
    page = compose().page
    page.keyboard.press("n")
    expect(page.locator("[data-undo]:visible")).to_have_count(1)


def test_only_words_that_are_used_are_underlined(compose: WorkPage) -> None:
    worker = compose()
    judge_all(worker)
    write(worker, "What did the captain of the Petrel bring home?")
    line = "all => [...new Set(all.map((word) => getComputedStyle(word).textDecorationLine))]"
    assert worker.page.locator(".word.used").evaluate_all(line) == ["underline"]
    assert worker.page.locator(".skipped .word:not(.used)").evaluate_all(line) == ["none"]
