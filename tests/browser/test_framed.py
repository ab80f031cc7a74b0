"""Our task in the frame of a marketplace of another origin, sandboxed, with third-party cookies blocked."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.contexts import PATIENCE
from tests.browser.foreign import Marketplace, marketplace
from tests.browser.site import Site
from tests.browser.test_accessibility import broken

HARMLESS = "Blocked autofocusing"  # by browsers, in frames of another origin


@pytest.fixture
def market() -> Iterator[Marketplace]:
    with marketplace() as found:
        yield found


@pytest.fixture
def page(launch: Callable[..., Any]) -> Iterator[Any]:
    started = launch("--test-third-party-cookie-phaseout")
    context = started.new_context(viewport={"width": 900, "height": 800})
    context.set_default_timeout(PATIENCE)
    errors: list[str] = []
    context.on("weberror", lambda error: errors.append(str(error.error)))
    context.on("console", lambda said: said.type == "error" and HARMLESS not in said.text and errors.append(said.text))
    yield context.new_page()
    assert context.cookies() == []
    started.close()
    assert not errors


def answer(frame: Any) -> str:
    """Types words that stand in the first paragraph, and ticks it."""
    words = " ".join(frame.locator("#text-0 [data-piece]").first.inner_text().split()[:2])
    frame.locator("#answer-text").fill(words)
    frame.locator("[name=support][value='0']").check(force=True)
    return words


def test_preview_accept_answer_submit_and_the_next(page: Any, site: Site, market: Marketplace) -> None:
    batch = site.batch("demo", assignments_per_hit=1)
    found = site.ask("publish", batch=batch["batch"], origin=market.url)
    market.hits = [(site.url + address, hit) for address, hit in found]

    page.goto(f"{market.hits[0][0]}&assignmentId=ASSIGNMENT_ID_NOT_AVAILABLE")
    assert broken(page) == []
    page.set_viewport_size({"width": 390, "height": 800})
    expect(page.get_by_role("button", name="Back, return, report")).to_be_hidden()  # nothing is behind it
    page.set_viewport_size({"width": 900, "height": 800})
    page.goto(f"{market.url}/preview/0")
    frame = page.frame_locator("iframe")
    expect(frame.get_by_text("Accept the item to begin. Nothing can be submitted from the preview.")).to_be_visible()
    expect(frame.get_by_role("button", name="Accept the item to begin")).to_be_disabled()
    expect(frame.locator("#missing")).to_be_hidden()  # what is typed here leads nowhere
    question = frame.locator("h2, .question").first.inner_text()

    page.get_by_text("Accept", exact=True).click()
    frame.get_by_role("button", name="I agree").click()
    frame.get_by_role("button", name="Continue to the practice").click()
    for number in (1, 2, 3):
        expect(frame.get_by_text(f"{number} of 3", exact=True)).to_be_visible()
        answer(frame)
        frame.get_by_role("button", name="Check my answer").click()
        frame.get_by_role("button", name="Continue").click()
    expect(frame.locator("h2, .question").first).to_have_text(question)
    frame.locator("#search").fill("the")
    expect(frame.get_by_text("10 of 10 match")).to_be_visible()
    words = answer(frame)
    expect(frame.locator("#saved")).to_contain_text("Saved")
    frame.get_by_role("button", name="Submit").dblclick()
    expect(frame.get_by_role("heading", name="Thank you")).to_be_visible()

    stored = site.ask("answers", batch=batch["batch"])
    assert [row["answer"]["text"] for row in stored] == [words]
    given = {"path": "/mturk/externalSubmit", "assignmentId": "3ASSIGNMENT0", "submission": stored[0]["assignment"]}
    assert [said.items() >= given.items() and len(said["digest"]) == 64 for said in market.submitted] == [True]
    assert market.origins == [None]  # no address of ours goes along

    page.goto(f"{market.url}/work/1")  # neither consent nor guide once more
    answer(frame)
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_role("heading", name="Thank you")).to_be_visible()
    assert [said["assignmentId"] for said in market.submitted] == ["3ASSIGNMENT0", "3ASSIGNMENT1"]
