"""Adjudicating without a mouse: pick an answer, leave out for a reason, undo, go on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.desk import nothing_sent
from tests.browser.site import Site

PEOPLE = ("first-reader", "second-reader")


@pytest.fixture
def judge(site: Site, visit: Callable[..., Any]) -> tuple[Any, int]:
    """A requester before the first of several HITs that two people answered differently; the batch."""
    made = site.batch("demo", assignments_per_hit=2)
    page = visit(site.ask("requester", batch=made["batch"])["session"])
    page.goto(f"/projects/{made['project']}/batches/study/")
    rows = [
        {"dataset": "records", "item": item, "worker": worker, "answer": {"text": f"Said by {k}", "support": [0]}}
        for item in range(4)
        for k, worker in enumerate(PEOPLE)
    ]
    page.locator("summary", has_text="Actions").click()
    page.get_by_role("button", name="Import responses…").click()
    file = {"name": "said.jsonl", "mimeType": "application/jsonl", "buffer": "\n".join(map(json.dumps, rows)).encode()}
    page.locator("#responses-box input[type=file]").set_input_files(file)
    page.locator("#responses-box").get_by_role("button", name="Import").last.click()
    page.wait_for_url("**/jobs/**")
    page.get_by_text(re.compile("responses? imported")).first.wait_for()
    page.goto(f"/projects/{made['project']}/batches/study/adjudicate/")
    page.get_by_role("link", name="Decide one by one").click()
    page.wait_for_load_state()
    return page, made["batch"]


def press(page: Any, key: str) -> None:
    """Press a key that leads on."""
    with page.expect_navigation():
        page.keyboard.press(key)
    page.wait_for_load_state()


def left(page: Any) -> str:
    return str(page.locator(".review-bar b").inner_text())


def here(page: Any) -> str:
    return re.search(r"/adjudicate/([\w-]+)/", page.url)[1]  # type: ignore[index]


def tops(page: Any, selector: str) -> set[float]:
    return set(page.locator(selector).evaluate_all("all => all.map((each) => each.getBoundingClientRect().top)"))


@pytest.mark.soak
def test_all_decisions_stand_in_one_row_and_the_text_beside_the_answers(judge: tuple[Any, int]) -> None:
    page, _batch = judge
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator("#decide .button:visible").count() == 5  # two answers, to write, to exclude, a cause
    assert len(tops(page, "#decide .button:visible")) == 1
    assert len(tops(page, ".compared, .source-texts")) == 1
    page.set_viewport_size({"width": 390, "height": 844})
    assert len(tops(page, ".compared, .source-texts")) == 2


@pytest.mark.soak
def test_a_cause_is_chosen_and_cleared_by_its_key_and_enter_decides_nothing(judge: tuple[Any, int]) -> None:
    page, _batch = judge
    first = here(page)
    page.keyboard.press("s")
    assert page.locator("[name=cause]:checked").input_value() == "semantic"
    page.keyboard.press("s")
    assert page.locator("[name=cause]:checked").input_value() == ""
    page.keyboard.press("p")
    page.locator("[name=cause]:checked").focus()
    with nothing_sent(page):
        page.keyboard.press("Enter")
    assert (here(page), left(page)) == (first, "4 left")
    press(page, "1")
    assert (left(page), page.locator("[name=cause]:checked").input_value()) == ("3 left", "")
    press(page, "z")
    assert here(page) == first


def test_the_answers_stand_right_below_the_decisions_and_what_was_decided_moves_nothing(judge: tuple[Any, int]) -> None:
    page, _batch = judge
    page.set_viewport_size({"width": 1280, "height": 800})
    decisions, answers = (page.locator(where).bounding_box() for where in ("#decide", ".compared"))
    assert answers["y"] - (decisions["y"] + decisions["height"]) < 40
    press(page, "1")
    page.locator("#undo").wait_for()
    assert (page.locator("#decide").bounding_box()["y"], page.locator(".compared").bounding_box()["y"]) == (
        decisions["y"],
        answers["y"],
    )


def test_open_hits_are_decided_with_the_keyboard_alone(judge: tuple[Any, int], site: Site) -> None:
    page, batch = judge
    first = here(page)
    assert left(page) == "4 left"
    press(page, "2")
    assert left(page) == "3 left"
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["accepted"]

    second = here(page)
    assert second != first
    page.keyboard.press("x")
    page.keyboard.type("nobody can know 2")
    press(page, "Control+Enter")
    assert left(page) == "2 left"
    assert "excluded" in page.locator("#undo").inner_text()
    press(page, "z")
    assert (here(page), left(page)) == (second, "3 left")

    press(page, "n")
    assert (left(page), here(page) != second) == ("3 left", True)
    for remaining in ("2 left", "1 left"):
        press(page, "1")
        assert left(page) == remaining
    press(page, "1")
    assert "Nothing left to adjudicate." in page.locator("main").inner_text()
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["accepted"] * 4


@pytest.mark.soak
def test_an_answer_is_written_by_a_key_from_the_answer_last_focused(judge: tuple[Any, int], site: Site) -> None:
    page, batch = judge
    first = here(page)
    page.locator("[data-base]").nth(1).focus()
    page.keyboard.press("e")
    field = page.locator("#write-text")
    begun = page.locator("#write input:checked").get_attribute("data-wording")
    assert field.input_value() == begun
    assert page.locator("#write input[data-base]").nth(1).is_checked()
    press(page, "Control+Enter")
    assert "is not in any paragraph" in page.locator("#write-problem").inner_text()
    assert (field.input_value(), field.is_visible(), left(page)) == (begun, True, "4 left")

    words = page.locator("main .passage, main .text").last.inner_text().split()
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(" ".join(words[:6]))
    press(page, "Control+Enter")
    assert left(page) == "3 left"
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["edited"]
    press(page, "z")
    assert (here(page), left(page)) == (first, "4 left")
