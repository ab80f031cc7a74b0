"""Keys that a person chose once hold on the pages of all tasks; where there is no account, the browser keeps them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk, settle
from tests.browser.site import Site
from tests.browser.test_keys import LEGEND, change_key

LIT = "() => CSS.highlights.get('lit')?.size ?? 0"


def test_a_key_changed_on_the_page_of_keys_holds_in_the_legend_and_for_its_action(
    desk: Callable[..., Desk], site: Site
) -> None:
    worker = desk("pairs", task="coreference", sample=2)
    page = worker.page
    page.goto("/accounts/keys/")
    page.get_by_label("Highlight the words of the question").fill("q")
    page.get_by_label("Same entity").fill("m")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved. Your keys work in all tasks.")).to_be_visible()
    worker.open()
    assert page.evaluate(LEGEND)["highlight the question's words"] == "q"
    page.keyboard.press("w")
    assert page.evaluate(LIT) == 0
    page.keyboard.press("q")
    assert page.evaluate(LIT) > 0
    settle(page)
    worker.submit("m")
    assert [one["answer"]["bridges"] for one in worker.answers()] == [["same"]]


@pytest.mark.soak
def test_a_dialog_says_which_other_task_has_the_key_and_changes_nothing(desk: Callable[..., Desk]) -> None:
    worker = desk("demo")  # whose paragraphs can be folded: there are more than three
    change_key(worker, "fold", "e")
    expect(worker.page.locator("#keys-said")).to_contain_text("Examples for this shape")
    expect(worker.page.locator("tr[data-action=fold] kbd")).to_have_text("f")


@pytest.mark.soak
def test_without_an_account_the_browser_keeps_the_keys(desk: Callable[..., Desk]) -> None:
    worker = desk("yesno")
    nobody = "() => document.getElementById('keys-box').dataset.preferencesUrl = ''"
    worker.page.add_init_script(f"document.addEventListener('DOMContentLoaded', {nobody})")
    worker.page.reload()
    change_key(worker, "tick", "q")
    expect(worker.page.locator("#keys-said")).to_have_text("Saved.")
    worker.page.reload()
    expect(worker.page.locator("tr[data-action=tick] kbd")).to_have_text("q")
    worker.page.keyboard.press("j")
    worker.page.keyboard.press("q")
    assert len(worker.ticked()) == 1
