"""Adjudicating without a mouse: pick an answer, leave out for a reason, undo, go on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from annotation.demo import encyclopedia
from tests.browser.desk import nothing_sent
from tests.browser.site import Site

PEOPLE = ("first-reader", "second-reader", "third-reader")
HITS = 6


@pytest.fixture
def judge(site: Site, visit: Callable[..., Any]) -> tuple[Any, int]:
    """A requester before the first of several HITs that three people answered differently; the batch."""
    made = site.batch("demo", assignments_per_hit=3)
    page = visit(site.ask("requester", batch=made["batch"])["session"])
    page.goto(f"/projects/{made['project']}/batches/study/")
    rows = [
        {"dataset": "records", "item": item, "worker": worker, "answer": {"text": said(item, k), "support": [k]}}
        for item in range(HITS)
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


def said(item: int, k: int) -> str:
    """The first words of a paragraph."""
    return " ".join(encyclopedia.examples(seed=0)[item].paragraphs[k].text.split()[:2])


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


def places(page: Any) -> dict[str, tuple[float, float]]:
    """Where the controls are that every HIT has, by name: (top, bottom)."""
    found = {}
    for name, selector in PLACES.items():
        box = page.locator(selector).first.bounding_box()
        found[name] = (box["y"], box["y"] + box["height"])
    return found


PLACES = {
    "keys": "[popovertarget=keys-box]",
    "question": "h2.question",
    "A": ".pick >> nth=0",
    "C": ".pick >> nth=2",
    "write": "#write > summary",
    "exclude": "[data-open-by=adjudicate-leave] > summary",
    "cause": "[data-open-by=adjudicate-cause] > summary",
    "text": ".source-texts h3",
}


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_five_hits_are_adjudicated_by_a_key_each_without_scrolling_and_nothing_moves(
    width: int, height: int, judge: tuple[Any, int], site: Site
) -> None:
    page, batch = judge
    page.set_viewport_size({"width": width, "height": height})
    began = places(page)
    for number, key in enumerate("12312", 1):
        assert page.evaluate("scrollY") == 0
        assert max(bottom for _top, bottom in places(page).values()) <= height
        letters = page.locator(".pick .letter").all_inner_texts()
        assert letters == ["A", "B", "C"]
        if width > 1000:
            marks = [page.locator(".tag-answer", has_text=letter).bounding_box() for letter in letters]
            assert all(mark["y"] + mark["height"] <= height for mark in marks)
        press(page, key)
        assert left(page) == f"{HITS - number} left"
        assert page.locator("#undo").is_visible()
        if width > 1000:
            assert places(page) == began
        else:  # questions have one to four lines here
            assert places(page)["question"][0] == began["question"][0]
    decisions = [row["decision"] for row in site.ask("decisions", batch=batch)]
    assert decisions == ["accepted"] * 5


@pytest.mark.soak
def test_the_answers_are_the_buttons_and_what_else_may_be_done_follows_them(judge: tuple[Any, int]) -> None:
    page, _batch = judge
    page.set_viewport_size({"width": 1280, "height": 800})
    assert page.locator(".pick").count() == 3
    others = page.locator("#decide summary:visible")
    assert [text.split("…")[0] for text in others.all_inner_texts()] == ["Write", "Exclude", "Cause"]
    assert len(tops(page, "#decide summary:visible")) == 1
    answers, decisions = (page.locator(where).bounding_box() for where in (".pick-list", "#decide"))
    assert 0 <= decisions["y"] - (answers["y"] + answers["height"]) < 40
    text = page.locator(".source-texts").bounding_box()
    assert abs(answers["y"] - text["y"]) < 8
    assert text["x"] >= answers["x"] + answers["width"]
    for key in ("e", "Escape", "x", "Escape", "c"):
        page.keyboard.press(key)
        assert len(tops(page, "#decide summary:visible")) == 1


@pytest.mark.soak
def test_on_a_phone_the_answers_stay_at_hand_beside_the_text(judge: tuple[Any, int], site: Site) -> None:
    page, batch = judge
    page.set_viewport_size({"width": 390, "height": 844})
    page.mouse.move(200, 600)
    page.mouse.wheel(0, 1200)
    page.wait_for_function("scrollY > 800")
    second = page.locator(".pick").nth(1)
    box = second.bounding_box()
    assert 0 <= box["y"] < 300
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    with page.expect_navigation():
        page.mouse.click(box["x"] + 20, box["y"] + box["height"] / 2)
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["accepted"]


@pytest.mark.soak
def test_a_cause_is_chosen_and_cleared_by_its_key_and_enter_decides_nothing(judge: tuple[Any, int]) -> None:
    page, _batch = judge
    first = here(page)
    plain = page.locator(".causes label", has_text="Same meaning")
    assert not plain.is_visible()
    page.keyboard.press("c")
    assert plain.inner_text().split("\n")[:2] == ["Same meaning", "Semantic equivalence"]
    page.keyboard.press("s")
    assert page.locator("[name=cause]:checked").input_value() == "semantic"
    page.keyboard.press("s")
    assert page.locator("[name=cause]:checked").input_value() == ""
    page.keyboard.press("p")
    page.locator("[name=cause]:checked").focus()
    with nothing_sent(page):
        page.keyboard.press("Enter")
    assert (here(page), left(page)) == (first, "6 left")
    press(page, "1")
    assert (left(page), page.locator("[name=cause]:checked").input_value()) == ("5 left", "")
    press(page, "z")
    assert here(page) == first


def test_open_hits_are_decided_with_the_keyboard_alone(judge: tuple[Any, int], site: Site) -> None:
    page, batch = judge
    first = here(page)
    assert left(page) == "6 left"
    press(page, "2")
    assert left(page) == "5 left"
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["accepted"]

    second = here(page)
    assert second != first
    page.keyboard.press("x")
    page.keyboard.type("nobody can know 2")
    press(page, "Control+Enter")
    assert left(page) == "4 left"
    assert "excluded" in page.locator("#undo").inner_text()
    press(page, "z")
    assert (here(page), left(page)) == (second, "5 left")

    press(page, "n")
    assert (left(page), here(page) != second) == ("5 left", True)
    for remaining in range(4, 0, -1):
        press(page, "1")
        assert left(page) == f"{remaining} left"
    press(page, "1")
    assert "Nothing to adjudicate" in page.locator("main").inner_text()
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["accepted"] * HITS


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
    page.keyboard.press("Control+a")
    page.keyboard.type("words of nobody")
    press(page, "Control+Enter")
    assert "is not in any paragraph" in page.locator("#write-problem").inner_text()
    assert (field.input_value(), field.is_visible(), left(page)) == ("words of nobody", True, "6 left")

    words = page.locator("main .passage, main .text").last.inner_text().split()
    field.focus()
    page.keyboard.press("Control+a")
    page.keyboard.type(" ".join(words[:6]))
    press(page, "Control+Enter")
    assert left(page) == "5 left"
    assert [row["decision"] for row in site.ask("decisions", batch=batch)] == ["edited"]
    press(page, "z")
    assert (here(page), left(page)) == (first, "6 left")
