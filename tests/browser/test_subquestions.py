"""Sub-questions checked and corrected in a browser: by keys alone, answers that flow on, and every step taken back."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from annotation.pure.data.corrections import flowed
from tests.browser.desk import Desk
from tests.browser.test_accessibility import broken
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
PLAIN = {"task": "subquestions", "assignments_per_hit": 1}
FLOW = """async ([question, old, now]) => {
  const src = document.querySelector("link[rel=modulepreload][href*='tasks/subquestions/rules']").href;
  return (await import(src)).followed(question, old, now);
}"""
PARTS = """async ([old, now]) => {
  const src = document.querySelector("link[rel=modulepreload][href*='tasks/subquestions/rules']").href;
  return (await import(src)).difference(old, now);
}"""


@pytest.fixture
def checking(desk: WorkPage) -> WorkPage:
    return lambda kind="sub_questions", **more: desk(kind, **PLAIN, **more)


def keys(worker: Desk, *pressed: str) -> None:
    for key in pressed:
        worker.page.keyboard.press(key)


def submitted(worker: Desk) -> Any:
    worker.submit()
    return worker.answers()[-1]["answer"]


def field(worker: Desk, name: str) -> Any:
    return worker.page.locator(f"[name='{name}']")


def test_a_practised_annotator_needs_no_mouse(checking: WorkPage) -> None:
    worker = checking()
    keys(worker, "y", "n", "y")
    expect(field(worker, "hop-1-question")).to_be_focused()
    worker.page.keyboard.type("Who built the organ of Saint Orrin?")
    keys(worker, "Enter", "n")
    expect(field(worker, "hop-1-answer")).to_be_focused()
    worker.page.keyboard.type("Tamsin Vole")
    keys(worker, "Enter", "y", "y", "y")
    answer = submitted(worker)
    assert answer["discard"] == "no"
    assert answer["hops"] == [
        {"well_formed": False, "meaning": True, "valid": False, "question": "Who built the organ of Saint Orrin?",
         "answer": "Tamsin Vole"},
        {"well_formed": True, "meaning": True, "valid": True, "question": "In which town was Tamsin Vole born?",
         "answer": "Quillhaven"},
    ]  # fmt: skip


@pytest.mark.parametrize(("key", "reason"), [("s", "single_hop"), ("w", "wrong_answer")])
def test_one_key_discards_with_its_reason(checking: WorkPage, key: str, reason: str) -> None:
    worker = checking()
    keys(worker, key)
    expect(worker.page.locator("#missing")).to_contain_text("Ready")
    assert submitted(worker)["discard"] == reason


@pytest.mark.soak
def test_selected_words_become_the_answer_and_flow_on_and_can_be_had_back(checking: WorkPage) -> None:
    worker = checking()
    keys(worker, "y")
    worker.page.evaluate("""() => {
      const piece = [...document.querySelectorAll(".passage [data-piece]")].find((one) =>
        one.textContent.includes("Tamsin"));
      const at = piece.firstChild.data.indexOf("Tamsin");
      const end = document.querySelector(".passage .hop-1 [data-piece]").firstChild;
      document.getSelection().setBaseAndExtent(piece.firstChild, at, end, end.length);
      document.dispatchEvent(new MouseEvent("mouseup", {bubbles: true}));
    }""")
    expect(field(worker, "hop-1-answer")).to_have_value("Tamsin Vole")
    second = field(worker, "hop-2-question")
    expect(second).to_have_value("In which town was Tamsin Vole born?")
    assert worker.field("hop-1-valid") == "no"
    change = worker.page.locator("#control-hop-2-question [data-change]")
    expect(change.locator("ins")).to_have_text("Tamsin ")
    worker.page.locator("#control-hop-2-question [data-unflow]").click()
    expect(second).to_have_value("In which town was Vole born?")
    expect(change).to_be_hidden()
    expect(field(worker, "hop-2-answer")).to_have_value("Quillhaven")
    keys(worker, "Control+z")
    expect(second).to_have_value("In which town was Tamsin Vole born?")
    keys(worker, "Control+z")
    expect(field(worker, "hop-1-answer")).to_have_value("Vole")
    assert worker.field("hop-1-valid") == ""


@pytest.mark.soak
def test_a_template_says_the_answer_that_it_stands_for_as_corrected(checking: WorkPage) -> None:
    worker = checking("template_questions")
    reads = worker.page.locator(".sub-hop").nth(1).locator("[data-reads]")
    expect(reads).to_have_text("Who was the first master of the Lantern1?")
    field(worker, "hop-1-answer").fill("Lantern")
    expect(reads).to_have_text("Who was the first master of Lantern1?")
    expect(field(worker, "hop-2-question")).to_have_value("Who was the first master of #1?")


@pytest.mark.soak
def test_while_typing_the_keys_that_act_stand_side_by_side(checking: WorkPage) -> None:
    worker = checking()
    keys(worker, "y", "n")
    expect(field(worker, "hop-1-question")).to_be_focused()
    shown = worker.page.locator("#legend-keys > span:visible")
    expect(shown).to_have_count(2)
    leave, undo = sorted((one.bounding_box() for one in shown.all()), key=lambda box: box["x"])
    assert 0 < undo["x"] - leave["x"] - leave["width"] < 20


def test_what_is_written_outlives_a_reload(checking: WorkPage) -> None:
    worker = checking()
    keys(worker, "y")
    field(worker, "hop-1-answer").fill("Tamsin Vole")
    field(worker, "hop-1-answer").blur()
    expect(worker.page.locator("#saved")).to_contain_text("Saved")
    worker.page.reload()
    expect(field(worker, "hop-2-question")).to_have_value("In which town was Tamsin Vole born?")
    expect(worker.page.locator("#control-hop-2-question ins")).to_have_text("Tamsin ")


def test_answers_flow_in_the_browser_as_on_the_server(checking: WorkPage) -> None:
    worker = checking()
    cases = [
        ("Where was ADA born?", ["Ada"], ["Ada Lorne"]),
        ("Adas Ada's (Ada) Ada-Ada", ["Ada"], ["Zoë"]),
        ("Who is A. B. & co?", ["A. B."], ["$& $1"]),
        ("Кто такая Ада?", ["ада"], ["Ева"]),
        ("Of a   b and c", ["a b", "c"], ["c", "d"]),
        ("No change in Ada", ["Ada"], ["Ada"]),
    ]
    for question, old, new in cases:
        wanted = flowed([question] * (len(old) + 1), [*old, ""], [*new, ""])[-1]
        assert worker.page.evaluate(FLOW, [question, old, new]) == wanted


@pytest.mark.soak
def test_differences_add_up_to_both_texts(checking: WorkPage) -> None:
    worker = checking()
    for old, new in [("Who the organ built?", "Who built the organ?"), ("", "a b"), ("שלדג 🦜 x", "🦜 x y")]:
        parts = worker.page.evaluate(PARTS, [old, new])
        assert "".join(p["text"] for p in parts if p["kind"] != "in") == old
        assert "".join(p["text"] for p in parts if p["kind"] != "out") == new


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sub_questions", "template_questions", "hard_sub_questions"])
def test_nothing_overflows_on_a_phone(checking: WorkPage, kind: str) -> None:
    worker = checking(kind)
    worker.page.set_viewport_size(PHONE["viewport"])
    assert not overflow(worker.page)


@pytest.mark.soak
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(checking: WorkPage, scheme: Any) -> None:
    worker = checking()
    worker.page.emulate_media(color_scheme=scheme)
    keys(worker, "y", "n")
    field(worker, "hop-1-answer").fill("Tamsin Vole")
    field(worker, "hop-1-answer").blur()
    if folder := os.environ.get("SHOTS"):
        for width, height in ((1280, 860), (390, 844)):
            worker.page.set_viewport_size({"width": width, "height": height})
            worker.page.screenshot(path=f"{folder}/{scheme}-{width}.png", full_page=width < 500)
    assert not broken(worker.page)


@pytest.mark.soak
def test_rows_are_told_apart_and_only_where_one_stands_are_keys(checking: WorkPage) -> None:
    page = checking("template_questions").page
    rows = page.locator(".sub-hop")
    edges = rows.evaluate_all("all => all.map((each) => getComputedStyle(each).borderInlineStartColor)")
    assert len(set(edges)) == len(edges) == 3
    grounds = "all => all.map((each) => getComputedStyle(each).backgroundColor)"
    assert len(set(rows.evaluate_all(grounds))) == 1
    keys_shown = page.locator(".judgment kbd[data-key-for=yes]:visible, .judgment kbd[data-key-for=no]:visible")
    expect(keys_shown).to_have_count(1)
    page.keyboard.press("y")
    expect(keys_shown).to_have_count(2)
    assert keys_shown.first.evaluate("(each) => each.closest('.judgment').hasAttribute('data-here')")
    first, *others = rows.evaluate_all(grounds)
    assert first not in others
    ring = page.locator(".judgment[data-here]").evaluate("(each) => getComputedStyle(each).boxShadow")
    assert "0px 0px 0px 3px" in ring
