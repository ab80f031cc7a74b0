"""Rubrics answered in a browser: by keys alone and by touch, at a desk and on a phone; marks, ranks and conditions."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.registry import presets
from tests.browser import rated
from tests.browser.desk import Desk, nothing_sent, settle
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import IN_REACH, PHONE, overflow

WorkPage = Callable[..., Desk]
DESK_BY_TOUCH = {"has_touch": True}
LIT = ".criterion[data-now]"
MARKED = "() => [...(CSS.highlights.get('mark-0') ?? [])].map(String)"
# Selects words of the part of a text as a finger does, and lets go of nothing.
SELECT = """(words) => {
  for (const piece of document.querySelectorAll('.evidence [data-piece]')) {
    const at = piece.firstChild.data.indexOf(words);
    if (at < 0) continue;
    document.getSelection().setBaseAndExtent(piece.firstChild, at, piece.firstChild, at + words.length);
    return;
  }
}"""
# The longest layout while keys are pressed, in milliseconds.
LONGEST_TASK = """() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const {duration} of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({type: 'longtask', buffered: false});
}"""


@pytest.fixture
def rate(desk: WorkPage) -> WorkPage:
    def seat(rubric: dict[str, Any], kind: str = "rated", **more: Any) -> Desk:
        return desk(kind, task="rate", options={"rubric": rubric}, assignments_per_hit=1, **more)

    return seat


def press(worker: Desk, *keys: str) -> None:
    """Press keys as somebody who reads the page."""
    for key in keys:
        settle(worker.page)
        worker.page.keyboard.press(key)


def tap(worker: Desk, value: str) -> None:
    """Tap an option of the criterion that is lit, which is in reach."""
    settle(worker.page)
    option = worker.page.locator(f"{LIT} input[value='{value}']")
    option.scroll_into_view_if_needed()
    assert option.evaluate(IN_REACH)
    option.tap()


def send(worker: Desk, act: Callable[[], None]) -> dict[str, Any]:
    """What is stored once an act has sent the response."""
    before = len(worker.answers())
    with worker.page.expect_response("**/submit/"), worker.page.expect_navigation():
        act()
    return dict(worker.answers()[before]["answer"])


def submit(worker: Desk) -> dict[str, Any]:
    return send(worker, lambda: worker.page.locator(".work-acts button[form=work]").tap())


def lit(worker: Desk) -> str:
    return str(worker.page.locator(LIT).get_attribute("id")).removeprefix("control-")


def titles(worker: Desk) -> list[str]:
    """Passages that are rated, in the order in which they are shown."""
    return [" ".join(text.split()[1:]) for text in worker.page.locator(".element h3").all_text_contents()]


def by_position(shown: list[str], values: list[Any]) -> list[Any]:
    """Values in the order of the record's passages."""
    return [values[shown.index(title)] for title, _text in rated.PASSAGES]


WINDOWS = pytest.mark.parametrize("page", [{}, {"viewport": {"width": 390, "height": 844}}], ids=["desk", "narrow"])
BY_TOUCH = pytest.mark.parametrize("page", [PHONE, DESK_BY_TOUCH], ids=["phone", "desk"])


@WINDOWS
def test_a_text_to_be_corrected_is_asked_first_though_it_stands_there(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(json.loads(presets("rate")["post-edit"].read_text()), page=page)
    assert lit(worker) == "corrected"


@WINDOWS
def test_a_check_of_questions_by_keys_waits_for_a_comment(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.CHECK, page=page)
    with nothing_sent(worker.page):
        press(worker, "4", "3", "1")
        assert lit(worker) == "comment"
        press(worker, "c")
        worker.page.keyboard.type("3 towns, mind")
        worker.page.keyboard.press("Escape")
    stored = send(worker, lambda: press(worker, "Control+Enter"))
    assert stored == {"faithful": 4, "natural": 3, "multihop": "yes", "comment": "3 towns, mind"}


@WINDOWS
def test_passages_are_rated_row_by_row_and_the_last_key_sends(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.RELEVANCE, page=page)
    shown = titles(worker)
    press(worker, "3", "0")
    press(worker, "ArrowUp", "2")
    assert send(worker, lambda: press(worker, "1")) == {"relevance": by_position(shown, [3, 2, 1])}


@WINDOWS
def test_steps_are_judged_and_their_evidence_is_marked_by_keys(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.SUPPORTED, page=page)
    press(worker, "1")
    assert lit(worker) == "evidence"
    press(worker, "m")
    for key in ("Shift+ArrowRight", "Enter"):
        worker.page.keyboard.press(key)
    marked = worker.page.evaluate(MARKED)
    press(worker, "Enter", "3", "2")
    assert worker.page.evaluate(MARKED) == []
    stored = send(worker, lambda: press(worker, "Enter"))
    assert stored["step"] == ["supported", "not in evidence", "contradicted"]
    assert stored["evidence"][1:] == [None, []]
    (mark,) = stored["evidence"][0]
    text = rated.PASSAGES[mark["part"]][1]
    assert [text[mark["start"] : mark["end"]]] == marked == [" ".join(text.split()[:2])]


@WINDOWS
@pytest.mark.parametrize(
    ("rubric", "key", "stored"),
    [(rated.SAME, "2", {"same": "partly"}), (rated.BETTER, "3", {"better": "tie"})],
    ids=["choice", "best"],
)
def test_a_deck_is_sent_by_one_key_and_can_be_taken_back(
    rate: WorkPage, page: dict[str, Any], rubric: dict[str, Any], key: str, stored: dict[str, Any]
) -> None:
    worker = rate(rubric, page=page)
    assert send(worker, lambda: press(worker, key)) == stored
    expect(worker.page.locator("#undo")).to_be_visible()
    with worker.page.expect_navigation():
        worker.page.keyboard.press("z")
    assert worker.url in worker.page.url
    again = send(worker, lambda: press(worker, "1"))
    assert again != stored
    assert [row["revision"] for row in worker.answers()] == [1, 2]


def test_what_is_missing_is_counted_and_the_last_of_it_named(rate: WorkPage) -> None:
    worker = rate(rated.CHECK)
    expect(worker.page.locator("#missing")).to_have_text("Still missing: 3 answers")
    press(worker, "4", "3")
    expect(worker.page.locator("#missing")).to_have_text("Still missing: Does it take more than one passage?")


@BY_TOUCH
def test_all_rubrics_are_answered_by_touch(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.CHECK, page=page)
    for value in ("2", "4", "no"):
        tap(worker, value)
    assert overflow(worker.page) == 0
    assert submit(worker) == {"faithful": 2, "natural": 4, "multihop": "no", "comment": ""}

    worker = rate(rated.RELEVANCE, page=page)
    shown = titles(worker)
    tap(worker, "0")
    tap(worker, "1")
    assert overflow(worker.page) == 0
    assert send(worker, lambda: tap(worker, "3")) == {"relevance": by_position(shown, [0, 1, 3])}

    for rubric, value, name in ((rated.SAME, "no", "same"), (rated.BETTER, "1", "better")):
        worker = rate(rubric, page=page)
        assert overflow(worker.page) == 0
        assert name in send(worker, lambda at=worker, what=value: tap(at, what))


@BY_TOUCH
def test_words_are_marked_by_touch_and_a_mark_is_removed(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.SUPPORTED, page=page)
    tap(worker, "supported")
    for words in ("larch", "Wick Harrow", "fair"):
        worker.page.locator(".evidence").dispatch_event("pointerdown", {"pointerType": "touch", "bubbles": True})
        worker.page.evaluate(SELECT, words)
        worker.page.locator(f"{LIT} [data-mark]").tap()
    assert set(worker.page.evaluate(MARKED)) == {"larch", "Wick Harrow", "fair"}
    worker.page.get_by_role("button", name="Remove the mark: fair").tap()
    assert overflow(worker.page) == 0
    assert set(worker.page.evaluate(MARKED)) == {"larch", "Wick Harrow"}
    worker.save()
    worker.page.reload()
    tap(worker, "not in evidence")
    marks = send(worker, lambda: tap(worker, "not in evidence"))["evidence"][0]
    texts = [text for _title, text in rated.PASSAGES]
    assert {texts[mark["part"]][mark["start"] : mark["end"]] for mark in marks} == {"larch", "Wick Harrow"}


def test_ranks_toggles_filters_numbers_and_labels_by_keys(rate: WorkPage) -> None:
    worker = rate(rated.EVERYTHING)
    press(worker, "2", "1")
    assert worker.field("r-ranked") == "2 1 3"
    press(worker, "1", "3", "1", "Enter")
    worker.page.keyboard.type("wick")
    expect(worker.page.locator(f"{LIT} .segments label:visible")).to_have_count(1)
    worker.page.keyboard.press("Enter")
    worker.page.keyboard.type("12,5")
    worker.page.keyboard.press("Enter")
    press(worker, "m", "2", "x", "m", "1", "Enter")
    stored = send(worker, lambda: press(worker, "5"))
    assert (stored["kinds"], stored["town"], stored["share"], stored["temper"]) == (["tone"], "Wick Harrow", 12.5, 2)
    assert [mark["label"] for mark in stored["spans"]] == ["person"]
    assert sorted(stored["ranked"]) == ["system_a", "system_b", "system_c"]


@BY_TOUCH
def test_candidates_are_ranked_by_dragging_and_by_buttons(rate: WorkPage, page: dict[str, Any]) -> None:
    worker = rate(rated.EVERYTHING, page=page)
    settle(worker.page)
    worker.page.get_by_role("button", name="Candidate 3 up").tap()
    assert worker.field("r-ranked") == "1 3 2"
    handles = worker.page.locator(".ranking .handle")
    last, first = handles.nth(2).bounding_box(), handles.nth(0).bounding_box()
    worker.page.mouse.move(last["x"] + 8, last["y"] + 8)
    worker.page.mouse.down()
    worker.page.mouse.move(first["x"] + 8, first["y"], steps=4)
    worker.page.mouse.up()
    assert worker.field("r-ranked") == "2 1 3"


def test_a_criterion_that_is_not_asked_keeps_its_answer_and_moves_nothing(rate: WorkPage) -> None:
    worker = rate(rated.SUPPORTED)
    press(worker, "1", "m")
    worker.page.keyboard.press("Enter")
    evidence = worker.page.locator("#control-evidence")
    press(worker, "ArrowUp")
    place = worker.page.locator(LIT).bounding_box()
    with worker.page.expect_response("**/draft/"):
        worker.page.locator("#control-step input[value='not in evidence']").focus()
        worker.page.keyboard.press("Space")
        worker.send_draft()
    expect(evidence).to_be_hidden()
    assert worker.page.locator(LIT).bounding_box() == place
    worker.save()
    worker.page.reload()
    expect(evidence).to_be_hidden()
    assert worker.field("r-evidence-0")
    assert lit(worker) == "step-1"
    press(worker, "ArrowUp", "1")
    expect(evidence).to_be_visible()
    assert lit(worker) == "evidence"


def test_a_draft_comes_back_whole(rate: WorkPage) -> None:
    worker = rate(rated.EVERYTHING)
    press(worker, "3", "1", "2", "3", "Enter")
    worker.save()
    fields = worker.fields()
    other = worker.again()
    for name in ("r-ranked", "r-kinds"):
        assert other.fields()[name] == fields[name]
    expect(other.page.locator(".ranking li").first).to_have_attribute("data-number", "3")
    assert lit(other) == "town"


def test_passages_can_be_searched_and_folded(rate: WorkPage) -> None:
    worker = rate(rated.CHECK, "rated_large")
    press(worker, "/")
    worker.search("Passage 7")
    expect(worker.page.locator("#search-result")).to_contain_text("of 20 match")
    worker.page.keyboard.press("Escape")
    press(worker, "f")
    expect(worker.page.locator("#paragraphs [aria-expanded=false]")).to_have_count(1)
    press(worker, "2")
    expect(worker.page.locator("#control-faithful input[value='2']")).to_be_checked()


@pytest.mark.parametrize("rubric", [rated.SUPPORTED, rated.EVERYTHING], ids=["rows", "all kinds"])
@pytest.mark.parametrize("page", [{}, PHONE], ids=["desk", "phone"])
def test_texts_of_any_script_fit(rate: WorkPage, rubric: dict[str, Any], page: dict[str, Any]) -> None:
    worker = rate(rubric, "rated_hard", page=page)
    assert overflow(worker.page) == 0


def test_criteria_are_counted_on_a_phone_where_there_is_more_than_one(rate: WorkPage) -> None:
    worker = rate(json.loads(presets("rate")["same-answer"].read_text()), page=PHONE)
    expect(worker.page.locator("[data-at]")).to_be_hidden()
    tap(worker, "the answer is wrong")
    expect(worker.page.locator("[data-at]")).to_have_text("2 / 2")
    expect(worker.page.locator("[data-at]")).to_be_visible()


@pytest.mark.parametrize("page", [PHONE, {}], ids=["phone", "desk"])
def test_the_number_of_a_passage_stands_at_its_title_where_nothing_is_ticked(
    rate: WorkPage, page: dict[str, Any]
) -> None:
    worker = rate(rated.CHECK, page=page)
    number, title = (
        worker.page.locator(f".paragraph {part}").first.bounding_box() for part in (".number", "[data-title]")
    )
    assert number is not None
    assert title is not None
    assert 0 < title["x"] - (number["x"] + number["width"]) <= 16


@pytest.mark.soak
def test_a_number_with_a_comma_for_thousands_is_still_missing(rate: WorkPage) -> None:
    rubric = {"show": ["question"], "criteria": [{"name": "year", "ask": "Which year?", "number": [0, 2000]}]}
    scripted = rate(rubric)
    field = scripted.page.locator("[name=r-year]")
    field.fill("1,000")
    expect(scripted.page.locator("#missing")).to_contain_text("Which year?")
    field.fill("1,00")
    expect(scripted.page.locator("#missing")).not_to_contain_text("Which year?")


def test_a_comma_for_thousands_is_refused_without_scripts_in_words(rate: WorkPage) -> None:
    criterion = {"name": "year", "ask": "Which year?", "number": [0, 2000], "required": False}
    plain = rate({"show": ["question"], "criteria": [criterion]}, page={"java_script_enabled": False})
    plain.page.locator("[name=r-year]").fill("1,000")
    plain.page.get_by_role("button", name="Submit").click()
    expect(plain.page.locator("body")).to_contain_text("from 0 to 2000, without a comma for thousands")
    assert plain.field("r-year") == "1,000"
    assert not plain.answers()


def test_a_rubric_is_answered_without_scripts(rate: WorkPage) -> None:
    worker = rate(rated.EVERYTHING, page={"java_script_enabled": False})
    page = worker.page
    assert page.locator(".needs-js:visible").count() == 0
    page.locator("[name=r-ranked]").fill("3 1 2")
    page.locator("[name=r-town][value=Tarn]").check()
    page.locator("[name=r-share]").fill("50")
    page.locator("[name=r-spans]").fill("0:0:3:1")
    page.locator("[name=r-temper][value='0']").check()
    page.get_by_role("button", name="Submit").click()
    (stored,) = worker.answers()
    assert stored["answer"]["spans"][0]["label"] == "place"


def test_a_large_item_stays_quick(rate: WorkPage) -> None:
    worker = rate(rated.LARGE, "rated_large")
    settle(worker.page)
    worker.page.evaluate(LONGEST_TASK)
    press(worker, *"2442442442442442441")
    expect(worker.page.locator(f"{LIT}[data-name=clear][data-row='6']")).to_be_visible()
    assert worker.page.evaluate("() => window.longest") < 250  # of a busy machine; alone it is below 50


@pytest.mark.parametrize("rubric", ["CHECK", "SUPPORTED", "BETTER", "EVERYTHING", "RELEVANCE"])
def test_no_rule_of_axe_is_broken(rate: WorkPage, rubric: str) -> None:
    worker = rate(getattr(rated, rubric))
    assert broken(worker.page) == []
    if rubric == "SUPPORTED":
        press(worker, "1", "m")
        worker.page.keyboard.press("Enter")
        assert broken(worker.page) == []
