"""A worker's pages around the work, in a browser: what is read before it, and lists that fit a phone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.site import Site
from tests.browser.test_small_screens import PHONE

Visit = Callable[..., Any]


@pytest.mark.parametrize("screen", [PHONE, {}], ids=["phone", "desk"])
@pytest.mark.parametrize(
    ("task", "kind", "options", "most"),
    [("answer", "yesno", {"yes_no": True, "no_answer": True}, 150), ("compose", "strands", {}, 500)],
)
def test_before_the_work_few_words_are_read_and_the_rest_is_unfolded(
    site: Site, visit: Visit, task: str, kind: str, options: dict[str, Any], most: int, screen: dict[str, Any]
) -> None:
    batch = site.batch(kind, task=task, options=options, explained=True)["batch"]
    page = visit(site.ask("person", batch=batch)["session"], **screen)
    page.goto(f"/work/batches/{batch}/instructions/")
    assert 50 < len(page.locator("main").inner_text().split()) <= most
    folded = page.locator("main details")
    assert folded.count() > 0
    assert folded.evaluate_all("all => all.every(({open}) => !open)")
    expect(page.get_by_role("button", name="Continue to the work")).to_be_in_viewport()
    expect(page.locator("main kbd:visible")).to_have_count(0)  # the keys are told where they are used


def test_lists_of_pay_and_scores_fit_a_phone(visit: Visit, furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["bob"], **PHONE)
    for name in ("my-earnings", "my-qualifications"):
        page.goto(furnished["urls"][name])
        assert page.locator(".table-box").evaluate_all(
            "all => all.map((box) => box.scrollWidth - box.clientWidth)"
        ) == [0]


def test_the_end_of_a_lease_is_told_before_and_after_it_and_who_returns_keeps_the_item(
    desk: Callable[..., Desk],
) -> None:
    worker = desk("demo", sample=1, duration=600)
    page = worker.page
    page.clock.install(time=0)
    worker.open()
    page.locator("#answer-text").fill("Mara Quell")
    page.clock.fast_forward("09:00")
    expect(worker.notice("lease")).to_contain_text("After that another worker may get it")
    page.clock.fast_forward("01:10")
    expect(worker.notice("lease")).to_contain_text("The time for this item is over. You may still submit")
    assert worker.answer() == "Mara Quell"
    later = page.evaluate("new Date(Date.parse(document.getElementById('work').dataset.now) + 3_600_000).toISOString()")
    page.route("**/extend/", lambda route: route.fulfill(json={"lease_until": later}))
    page.mouse.move(300, 300)
    page.clock.fast_forward("00:05")
    expect(worker.notice("lease")).to_have_count(0)


def test_german_tools_stand_on_one_line_of_a_small_laptop(desk: Callable[..., Desk]) -> None:
    page = desk("demo", sample=1, page={"viewport": {"width": 1280, "height": 800}, "locale": "de"}).page
    tools = page.locator(".find, #sort, #filter, #pin, #fold-all")
    assert tools.evaluate_all("all => [all.length, new Set(all.map((one) => one.offsetTop)).size]") == [5, 1]
