"""Hops that are relations in the dataset are shown in words, and stored and exported as they were."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk

WorkPage = Callable[..., Desk]


@pytest.mark.soak
@pytest.mark.parametrize("task", ["coreference", "compose", "choose", "subquestions"])
def test_a_relation_is_shown_in_words(desk: WorkPage, task: str) -> None:
    page = desk("relations", task=task, sample=1).page
    shown = page.locator("#work").text_content() or ""
    assert "Lantern – builder" in shown
    assert "– sibling" in shown
    assert ">>" not in page.locator("#work").inner_html().replace("&gt;", ">")


@pytest.mark.soak
def test_a_question_of_its_own_is_shown_in_words_too(desk: WorkPage) -> None:
    page = desk("relation").page
    expect(page.locator("#question")).to_have_text("Osla Brandt – sibling")


def test_a_relation_is_stored_as_the_dataset_has_it_unless_somebody_corrects_it(desk: WorkPage) -> None:
    worker = desk("relations", task="subquestions", sample=1)
    page = worker.page
    expect(page.locator("#hop-1-question")).to_have_value("Lantern – builder")
    for key in "yyyyyn":
        page.keyboard.press(key)
    page.locator("#hop-2-question").fill("#1 – brother")
    page.locator("#control-hop-2-valid label", has_text="Yes").click()
    expect(page.locator("#missing")).to_have_text("Ready to submit")
    worker.submit()
    questions = [hop["question"] for hop in worker.answers()[0]["answer"]["hops"]]
    assert questions == ["Lantern >> builder", "#1 >> brother"]
