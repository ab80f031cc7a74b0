"""Single keys: never while typing, off when switched off, others when changed; and nothing is sent or lost by one."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]
ALL_SINGLE = "jkxfFhpsmvactyn0g!rb?"


@pytest.mark.parametrize("field", ["#search", "#answer-text"])
def test_keys_never_fire_while_typing(desk: WorkPage, field: str) -> None:
    seat = desk("yesno", options={"yes_no": True, "no_answer": True})
    url = seat.page.url
    seat.page.locator(field).focus()
    seat.page.keyboard.type(ALL_SINGLE)
    seat.page.keyboard.press("x")
    expect(seat.page.locator(field)).to_have_value(ALL_SINGLE + "x")
    assert (seat.ticked(), seat.page.url) == ([], url)
    assert seat.field("kind") == "text"
    assert seat.page.locator(":popover-open").count() == 0
    assert seat.page.locator("[data-paragraph]:visible").count() == 3


@pytest.mark.soak
def test_plain_enter_submits_nothing_anywhere(desk: WorkPage) -> None:
    seat = desk("yesno")
    position = seat.select("larch")
    seat.tick(position)
    seat.wait_saved()
    for place in ("#answer-text", "#search", f"#support-{position}", f"#paragraph-{position}", "#sort", "#question"):
        seat.page.locator(place).focus()
        seat.page.keyboard.press("Enter")
    seat.page.wait_for_timeout(300)
    assert seat.url in seat.page.url
    assert seat.answers() == []


@pytest.mark.soak
def test_backspace_and_delete_destroy_nothing(desk: WorkPage) -> None:
    seat = desk("yesno")
    position = seat.select("larch")
    seat.tick(position)
    for place in (f"#paragraph-{position}", f"#support-{position}", "#undo-answer", "#question"):
        seat.page.locator(place).focus()
        for key in ("Backspace", "Delete"):
            seat.page.keyboard.press(key)
    assert (seat.answer(), seat.ticked()) == ("larch", [position])
    assert seat.url in seat.page.url


def test_the_keys_of_the_answer_do_what_their_buttons_say(desk: WorkPage) -> None:
    seat = desk("yesno", options={"yes_no": True, "no_answer": True})
    for key, kind in (("y", "yes"), ("n", "no"), ("0", "none")):
        seat.page.keyboard.press(key)
        assert seat.field("kind") == kind
    seat.page.keyboard.press("c")
    assert seat.field("kind") == "text"
    seat.page.keyboard.press("Control+z")
    assert seat.field("kind") == "none"


def test_single_keys_can_be_switched_off_for_good(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.keyboard.press("?")
    seat.page.get_by_label("Single-key shortcuts").uncheck()
    expect(seat.page.locator("#keys-said")).to_have_text("Saved.")
    for _ in range(2):
        seat.page.keyboard.press("Escape")
        seat.page.keyboard.press("j")
        seat.page.keyboard.press("x")
        assert seat.ticked() == []
        seat.page.keyboard.press("?")
        assert seat.page.locator(":popover-open").count() == 0
        seat.page.reload()
    position = seat.select("larch")
    seat.tick(position)
    seat.submit()
    assert len(seat.answers()) == 1


def change_key(seat: Desk, action: str, key: str) -> None:
    seat.page.keyboard.press("?")
    seat.page.locator(f"[data-change-key={action}]").click()
    seat.page.keyboard.press(key)


def test_a_changed_key_works_at_once_and_after_a_reload(desk: WorkPage) -> None:
    seat = desk("yesno")
    change_key(seat, "tick", "z")
    expect(seat.page.locator("#keys-said")).to_have_text("Saved.")
    expect(seat.page.locator("tr[data-action=tick] kbd")).to_have_text("z")
    seat.page.keyboard.press("Escape")
    for key in ("j", "x"):
        seat.page.keyboard.press(key)
    assert seat.ticked() == []
    seat.page.keyboard.press("z")
    assert len(seat.ticked()) == 1
    seat.page.reload()
    seat.page.keyboard.press("z")
    assert len(seat.ticked()) in {0, 1}
    before = seat.ticked()
    seat.page.keyboard.press("z")
    assert seat.ticked() != before


@pytest.mark.soak
def test_a_key_that_is_taken_or_unfit_is_refused_in_words(desk: WorkPage) -> None:
    seat = desk("yesno")
    change_key(seat, "tick", "f")
    expect(seat.page.locator("#keys-said")).to_contain_text("f is already the key for “Fold or unfold the paragraph”")
    seat.page.locator("[data-change-key=tick]").click()
    seat.page.keyboard.press("F5")
    expect(seat.page.locator("#keys-said")).to_have_text("Please choose a single letter, digit or symbol.")
    seat.page.locator("[data-change-key=tick]").click()
    seat.page.keyboard.press("Escape")
    expect(seat.page.locator("tr[data-action=tick] kbd")).to_have_text("x")


@pytest.mark.soak
def test_the_defaults_come_back_on_demand(desk: WorkPage) -> None:
    seat = desk("yesno")
    change_key(seat, "tick", "z")
    seat.page.get_by_role("button", name="Reset to defaults").click()
    expect(seat.page.locator("tr[data-action=tick] kbd")).to_have_text("x")


@pytest.mark.soak
def test_the_dialog_lists_every_key_and_none_twice(desk: WorkPage) -> None:
    seat = desk("yesno", options={"yes_no": True, "no_answer": True})
    seat.page.keyboard.press("?")
    rows = seat.page.locator("#keys-box tr[data-action]")
    keys = rows.evaluate_all("rows => rows.map((row) => row.dataset.key)")
    assert set(ALL_SINGLE) | {"/", "Mod+Enter", "Mod+z"} <= set(keys)
    assert len(set(keys)) == len(keys)
    for row in rows.all():
        expect(row.locator("th")).not_to_be_empty()


@pytest.mark.soak
def test_no_key_of_the_page_fires_behind_an_open_dialog(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.keyboard.press("j")
    seat.page.keyboard.press("g")
    expect(seat.page.locator("#instructions-box")).to_be_visible()
    seat.page.keyboard.press("x")
    assert seat.ticked() == []


@pytest.mark.soak
def test_browser_shortcuts_stay_the_browsers(desk: WorkPage) -> None:
    seat = desk("yesno")
    seat.page.keyboard.press("j")
    for key in ("Control+x", "Control+c", "Alt+x", "Control+j"):
        seat.page.keyboard.press(key)
    assert seat.ticked() == []
