"""Single keys: never while typing, off when switched off, others when changed; and nothing is sent or lost by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, nothing_sent, settle

WorkPage = Callable[..., Desk]
ALL_SINGLE = "jkxfFhpsmvactyn0g!rb?"


@pytest.mark.parametrize("field", ["#search", "#answer-text"])
def test_keys_never_fire_while_typing(desk: WorkPage, field: str) -> None:
    worker = desk("yesno", options={"yes_no": True, "no_answer": True})
    url = worker.page.url
    worker.page.locator(field).focus()
    worker.page.keyboard.type(ALL_SINGLE)
    worker.page.keyboard.press("x")
    expect(worker.page.locator(field)).to_have_value(ALL_SINGLE + "x")
    assert (worker.ticked(), worker.page.url) == ([], url)
    assert worker.field("kind") == "text"
    assert worker.page.locator(":popover-open").count() == 0
    assert worker.page.locator("[data-paragraph]:visible").count() == 3


@pytest.mark.soak
def test_plain_enter_submits_nothing_anywhere(desk: WorkPage) -> None:
    worker = desk("yesno")
    position = worker.select("larch")
    worker.tick(position)
    worker.save()
    with nothing_sent(worker.page, "/submit/"):
        for place in (
            "#answer-text",
            "#search",
            f"#support-{position}",
            f"#paragraph-{position}",
            "#question",
        ):
            worker.page.locator(place).focus()
            worker.page.keyboard.press("Enter")
    assert worker.url in worker.page.url
    assert worker.answers() == []


@pytest.mark.soak
def test_backspace_and_delete_destroy_nothing(desk: WorkPage) -> None:
    worker = desk("yesno")
    position = worker.select("larch")
    worker.tick(position)
    for place in (f"#paragraph-{position}", f"#support-{position}", "#undo-answer", "#question"):
        worker.page.locator(place).focus()
        for key in ("Backspace", "Delete"):
            worker.page.keyboard.press(key)
    assert (worker.answer(), worker.ticked()) == ("larch", [position])
    assert worker.url in worker.page.url


def test_the_keys_of_the_answer_do_what_their_buttons_say(desk: WorkPage) -> None:
    worker = desk("yesno", options={"yes_no": True, "no_answer": True})
    for key, kind in (("y", "yes"), ("n", "no"), ("0", "none")):
        worker.page.keyboard.press(key)
        assert worker.field("kind") == kind
    worker.page.keyboard.press("c")
    assert worker.field("kind") == "text"
    worker.page.keyboard.press("Control+z")
    assert worker.field("kind") == "none"


def test_single_keys_can_be_switched_off_for_good(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.keyboard.press("?")
    worker.page.get_by_label("Single-key shortcuts").uncheck()
    expect(worker.page.locator("#keys-said")).to_have_text("Saved.")
    for _ in range(2):
        worker.page.keyboard.press("Escape")
        worker.page.keyboard.press("j")
        worker.page.keyboard.press("x")
        assert worker.ticked() == []
        worker.page.keyboard.press("?")
        assert worker.page.locator(":popover-open").count() == 0
        worker.page.reload()
    position = worker.select("larch")
    worker.tick(position)
    worker.submit()
    assert len(worker.answers()) == 1


def change_key(worker: Desk, action: str, key: str) -> None:
    worker.page.keyboard.press("?")
    worker.page.locator(f"[data-change-key={action}]").click()
    worker.page.keyboard.press(key)


@pytest.mark.soak
def test_a_changed_key_works_at_once_and_after_a_reload(desk: WorkPage) -> None:
    worker = desk("yesno")
    change_key(worker, "tick", "z")
    expect(worker.page.locator("#keys-said")).to_have_text("Saved.")
    expect(worker.page.locator("tr[data-action=tick] kbd")).to_have_text("z")
    worker.page.keyboard.press("Escape")
    for key in ("j", "x"):
        worker.page.keyboard.press(key)
    assert worker.ticked() == []
    worker.page.keyboard.press("z")
    assert len(worker.ticked()) == 1
    worker.page.reload()
    worker.page.keyboard.press("z")
    assert len(worker.ticked()) in {0, 1}
    before = worker.ticked()
    worker.page.keyboard.press("z")
    assert worker.ticked() != before


@pytest.mark.soak
def test_a_changed_key_works_in_the_items_that_follow(desk: WorkPage) -> None:
    worker = desk("demo", sample=2)
    change_key(worker, "tick", "z")
    expect(worker.page.locator("#keys-said")).to_have_text("Saved.")
    worker.page.keyboard.press("Escape")
    worker.select(worker.texts()[0].split(". ")[0])
    worker.tick(0)
    worker.submit()
    for key in ("j", "x", "z"):
        worker.page.keyboard.press(key)
    assert worker.ticked() == [0]
    expect(worker.page.locator("tr[data-action=tick] kbd")).to_have_text("z")


@pytest.mark.soak
def test_a_key_that_is_taken_or_unfit_is_refused_in_words(desk: WorkPage) -> None:
    worker = desk("demo")
    change_key(worker, "tick", "f")
    expect(worker.page.locator("#keys-said")).to_contain_text("f is already the key for “Fold or unfold the paragraph”")
    worker.page.locator("[data-change-key=tick]").click()
    worker.page.keyboard.press("F5")
    refused = "Please choose a single letter or symbol. Digits choose by number."
    expect(worker.page.locator("#keys-said")).to_have_text(refused)
    worker.page.locator("[data-change-key=tick]").click()
    worker.page.keyboard.press("Escape")
    expect(worker.page.locator("tr[data-action=tick] kbd")).to_have_text("x")


@pytest.mark.soak
def test_the_defaults_come_back_on_demand(desk: WorkPage) -> None:
    worker = desk("yesno")
    change_key(worker, "tick", "z")
    worker.page.get_by_role("button", name="Reset to defaults").click()
    expect(worker.page.locator("tr[data-action=tick] kbd")).to_have_text("x")


@pytest.mark.soak
def test_the_dialog_lists_every_key_and_none_twice(desk: WorkPage) -> None:
    worker = desk("demo", options={"yes_no": True, "no_answer": True})
    worker.page.keyboard.press("?")
    rows = worker.page.locator("#keys-box tr[data-action]")
    keys = rows.evaluate_all("rows => rows.map((row) => row.dataset.key)")
    assert set(ALL_SINGLE) | {"/", "Mod+Enter", "Mod+z"} <= set(keys)
    assert len(set(keys)) == len(keys)
    for row in rows.all():
        expect(row.locator("th")).not_to_be_empty()


@pytest.mark.soak
def test_no_key_of_the_page_fires_behind_an_open_dialog(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.keyboard.press("j")
    worker.page.keyboard.press("g")
    expect(worker.page.locator("#instructions-box")).to_be_visible()
    worker.page.keyboard.press("x")
    assert worker.ticked() == []


@pytest.mark.soak
def test_browser_shortcuts_stay_the_browsers(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.keyboard.press("j")
    for key in ("Control+x", "Control+c", "Alt+x", "Control+j"):
        worker.page.keyboard.press(key)
    assert worker.ticked() == []


LEGEND = (
    "() => Object.fromEntries([...document.querySelectorAll('#legend-keys > span')].map((entry) => "
    "[[...entry.childNodes].at(-1).data, [...entry.querySelectorAll('kbd')].map((key) => key.textContent).join('')]))"
)


@pytest.mark.parametrize(
    ("task", "kind", "entries"),
    [
        ("answer", "demo", {"paragraph": "jk", "fold": "f", "type it": "t", "make them the answer": "a"}),
        ("coreference", "pairs", {"highlight the question's words": "w", "next mention": "a", "write a note": "t"}),
        ("choose", "compositions", {"paragraphs": "f", "highlight the question's words": "w"}),
        ("sufficiency", "two_paragraphs", {"highlight the question's words": "w", "next mention": "a"}),
        ("compose", "chain", {"write": "t", "fold": "f", "to the hop": "13"}),
        ("subquestions", "sub_questions", {"decision": "jk", "correct the text": "e"}),
        ("solvability", "content_words", {"select words": "v"}),
        ("cloze", "content_words", {"type a word": "t", "highlight the question's words": "w"}),
    ],
)
def test_a_legend_tells_the_keys_of_the_page(desk: WorkPage, task: str, kind: str, entries: dict[str, str]) -> None:
    page = desk(kind, task=task, sample=1).page
    told = page.evaluate(LEGEND)
    assert {words: told.get(words) for words in entries} == entries
    assert told["all keys"] == "?"


@pytest.mark.soak
def test_while_typing_the_legend_tells_only_what_acts_then(desk: WorkPage) -> None:
    page = desk("chain", task="compose", sample=1).page
    write, leave = (page.locator("#legend-keys > span", has_text=words) for words in ("write", "leave the field"))
    expect(page.locator("#legend-keys > span:visible")).to_have_text(["? all keys"])  # bridges come first
    height = page.locator(".work-foot").bounding_box()["height"]
    for _bridge in range(2):
        page.keyboard.press("y")
    expect(page.locator("#question")).to_be_focused()
    expect(leave).to_be_visible()
    expect(page.locator("#legend-keys > span:has(.single):visible")).to_have_count(0)
    expect(write).to_be_hidden()
    assert page.locator(".work-foot").bounding_box()["height"] == height
    page.keyboard.press("Escape")
    expect(write).to_be_visible()
    expect(leave).to_be_hidden()


@pytest.mark.soak
def test_the_legend_stays_folded_from_item_to_item_and_tells_changed_keys(desk: WorkPage) -> None:
    worker = desk("pairs", task="coreference", sample=2)
    page = worker.page
    page.keyboard.press("?")
    page.locator("[data-change-key=light]").click()
    page.keyboard.press("q")
    page.keyboard.press("Escape")
    assert page.evaluate(LEGEND)["highlight the question's words"] == "q"
    button = page.get_by_role("button", name="Keys", exact=True)
    height = page.locator(".work-foot").bounding_box()["height"]
    button.click()
    expect(page.locator("#legend-keys")).to_be_hidden()
    assert page.locator(".work-foot").bounding_box()["height"] < height
    settle(page)
    worker.submit("y")
    expect(page.locator("#legend-keys")).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")
