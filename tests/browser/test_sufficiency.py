"""Pairs of paragraphs judged in a browser: one key each, never two of a question in a row, with the way back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, nothing_sent, settle
from tests.browser.test_accessibility import broken
from tests.browser.test_decisions import decide
from tests.browser.test_small_screens import IN_REACH, PHONE, overflow

WorkPage = Callable[..., Desk]
PLAIN = {"task": "sufficiency", "assignments_per_hit": 1}
LIT = "() => [...(CSS.highlights.get('lit') ?? [])].map(String)"


@pytest.fixture
def pair(desk: WorkPage) -> WorkPage:
    return lambda kind="two_paragraphs", **more: desk(kind, **PLAIN, **more)


def told(worker: Desk) -> list[tuple[int, str]]:
    return [(row["revision"], row["answer"]["verdict"]) for row in worker.answers()]


def asked(worker: Desk) -> str:
    return worker.page.locator("#question").inner_text()


def test_a_batch_is_done_by_keys_alone_and_no_question_comes_twice_in_a_row(pair: WorkPage) -> None:
    worker = pair()
    questions = []
    while not worker.is_done():
        questions.append(asked(worker))
        decide(worker, "si"[len(questions) % 2])
    assert all(one != other for one, other in pairwise(questions))
    assert len(questions) >= 7
    assert len(set(questions)) == 3
    assert {verdict for _revision, verdict in told(worker)} == {"sufficient", "insufficient"}


@pytest.mark.soak
def test_one_pair_of_a_question_each_where_the_requester_wants_it(pair: WorkPage) -> None:
    worker = pair(meeting="one")
    questions = []
    while not worker.is_done():
        questions.append(asked(worker))
        decide(worker, "s")
    assert len(questions) == len(set(questions)) == 3


@pytest.mark.soak
def test_undo_reopens_the_last_pair_and_the_order_stays(pair: WorkPage) -> None:
    worker = pair()
    first = asked(worker)
    decide(worker, "s")
    second = asked(worker)
    expect(worker.page.locator("#undo")).to_contain_text("Your decision: Sufficient")
    with worker.page.expect_navigation():
        worker.page.keyboard.press("z")
    assert asked(worker) == first
    expect(worker.page.locator("input[value=sufficient]")).to_be_checked()
    decide(worker, "i")
    assert asked(worker) == second
    assert told(worker) == [(1, "sufficient"), (2, "insufficient")]
    decide(worker, "i")
    assert asked(worker) != second


@pytest.mark.soak
def test_cannot_tell_is_there_only_where_it_is_offered(pair: WorkPage) -> None:
    without, offered = pair(), pair(options={"cannot_tell": True})
    settle(without.page)
    with nothing_sent(without.page):
        without.page.keyboard.press("u")
    assert without.url in without.page.url
    assert without.page.locator("input[value=unsure]").count() == 0
    decide(offered, "u")
    assert told(offered) == [(1, "unsure")]


@pytest.mark.soak
def test_mentions_of_the_answer_and_words_of_the_question_are_found_by_a_key(pair: WorkPage) -> None:
    worker = pair(seed=3)
    while worker.page.locator("[data-mention]").count() == 0:
        decide(worker, "i")
    settle(worker.page)
    found = worker.page.locator("[data-mention]")
    plain = "node => getComputedStyle(node).textDecorationLine"
    assert found.first.evaluate(plain) == "none"
    worker.page.keyboard.press("a")
    expect(found.first).to_be_focused()
    assert found.first.evaluate(plain) == "underline"
    answer = worker.page.locator(".question .mark-answer").inner_text()
    assert {text.lower() for text in found.all_text_contents()} == {answer.lower()}
    worker.page.keyboard.press("w")
    words = worker.page.evaluate(LIT)
    assert words
    assert all(word.lower() in asked(worker).lower() for word in words)


@pytest.mark.soak
def test_without_the_answer_there_is_nothing_of_it_on_the_page(pair: WorkPage) -> None:
    worker = pair(options={"show_answer": False}, sample=2)
    assert worker.page.locator("[data-mention], .mark-answer").count() == 0
    assert worker.page.locator("[data-action=mention]").count() == 0
    expect(worker.page.locator(".decision legend")).to_have_text("Are these paragraphs enough to answer the question?")


MARKED = "() => [...(CSS.highlights.get('evidence') ?? [])].map(String)"
WITH_EVIDENCE = {"evidence": True, "cannot_tell": True}


def evidence(worker: Desk) -> list[str]:
    """The words of the last stored answer's evidence, by their offsets."""
    row = worker.answers()[-1]
    return [row["texts"][e["paragraph"]][e["start"] : e["end"]] for e in row["answer"]["evidence"]]


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["two_paragraphs", "two_hard_paragraphs"])
def test_what_is_marked_with_the_mouse_is_stored_by_its_place_in_the_text(pair: WorkPage, kind: str) -> None:
    worker = pair(kind, options=WITH_EVIDENCE)
    settle(worker.page)
    words = []
    for passage in worker.page.locator("[data-evidence]").all():
        passage.dblclick(position={"x": 8, "y": 10})
        words.append(worker.page.evaluate("() => document.getSelection().toString().trim()"))
        worker.page.locator("[data-mark]").click()
    assert worker.page.evaluate(MARKED) == words
    worker.save()
    worker.page.reload()
    assert worker.page.evaluate(MARKED) == words
    decide(worker, "s")
    assert sorted(evidence(worker)) == sorted(words)
    assert all(words)


@pytest.mark.soak
def test_evidence_is_marked_without_a_mouse_and_taken_back(pair: WorkPage) -> None:
    worker = pair(options=WITH_EVIDENCE)
    page = worker.page
    settle(page)
    page.keyboard.press("e")
    assert page.evaluate(MARKED) == []
    page.keyboard.press("2")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("Enter")
    second = page.locator("[data-evidence]").nth(1).text_content().strip()
    assert page.evaluate(MARKED) == [" ".join(second.split()[:2])]
    page.keyboard.press("x")
    assert page.evaluate(MARKED) == []
    page.keyboard.press("1")
    page.keyboard.press("e")
    first = page.locator("[data-evidence]").first.text_content().split()[0]
    decide(worker, "i")
    assert evidence(worker) == [first]
    assert told(worker) == [(1, "insufficient")]


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["two_paragraphs", "two_hard_paragraphs"])
def test_a_phone_shows_one_paragraph_below_the_other_and_decides_by_taps(pair: WorkPage, kind: str) -> None:
    worker = pair(kind, page=PHONE, options={"cannot_tell": True})
    assert overflow(worker.page) == 0
    expect(worker.page.locator(".side")).to_have_count(2)
    first, second = (side.bounding_box() for side in worker.page.locator(".side").all())
    assert second["y"] >= first["y"] + first["height"]
    settle(worker.page)
    for choice in worker.page.locator(".decision label").all():
        assert choice.locator("input").evaluate(IN_REACH)
        size = choice.bounding_box()
        assert min(size["width"], size["height"]) >= 40
    with worker.page.expect_response("**/submit/"):
        worker.page.locator(".decision label").nth(1).tap()
    assert told(worker) == [(1, "insufficient")]


@pytest.mark.soak
def test_paragraphs_stand_side_by_side_at_a_desk(pair: WorkPage) -> None:
    worker = pair()
    expect(worker.page.locator(".side")).to_have_count(2)
    first, second = (side.bounding_box() for side in worker.page.locator(".side").all())
    assert abs(first["y"] - second["y"]) < 2
    assert second["x"] >= first["x"] + first["width"]


@pytest.mark.soak
def test_a_pair_is_judged_without_scripts(pair: WorkPage) -> None:
    worker = pair(sample=1, page={"java_script_enabled": False})
    worker.page.get_by_role("button", name="Submit").click()
    expect(worker.page.locator("#problems")).to_be_visible()
    worker.page.locator("input[value=insufficient]").check()
    worker.page.get_by_role("button", name="Submit").click()
    assert told(worker) == [(1, "insufficient")]


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "page"),
    [("two_paragraphs", {}), ("two_hard_paragraphs", PHONE), ("two_paragraphs", {"color_scheme": "dark"})],
    ids=["desk", "phone", "dark"],
)
def test_no_rule_of_axe_is_broken(pair: WorkPage, kind: str, page: dict[str, Any]) -> None:
    worker = pair(kind, page=page, options=WITH_EVIDENCE)
    assert broken(worker.page) == []
    settle(worker.page)
    worker.page.keyboard.press("a")
    worker.page.keyboard.press("w")
    assert broken(worker.page) == []
