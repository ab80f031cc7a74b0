"""A report on the screen: few controls, the LaTeX of each table at hand, the rest folded by subject and searched."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import controls
from tests.browser.rated import CHECK
from tests.browser.site import Site
from tests.browser.test_accessibility import broken

MOST, MOST_UNFOLDED = 60, 140
UNFOLD = "document.querySelectorAll('main details:not(.menu)').forEach((one) => { one.open = true; })"
PHONE = {"width": 390, "height": 844}
RICH = {
    "answer": {"kind": "study"},
    "rate": {"kind": "rated", "task": "rate", "options": {"rubric": json.dumps(CHECK)}},
}


@pytest.fixture(params=sorted(RICH))
def reported(request: pytest.FixtureRequest, site: Site) -> dict[str, Any]:
    """A batch all of whose responses are in, with its report: as the demo's study has it, and of ratings."""
    return of_kind(site, request.param)


def of_kind(site: Site, name: str, *, rubric: Any = None, **more: Any) -> dict[str, Any]:
    made = site.batch(**RICH[name] | ({"options": {"rubric": json.dumps(rubric)}} if rubric else {}))["batch"]
    return {"path": site.ask("reported", batch=made, workers=3, **more), **site.ask("requester", batch=made)}


@pytest.fixture
def study(site: Site) -> dict[str, Any]:
    return of_kind(site, "answer")


@pytest.fixture
def open_report(visit: Callable[..., Any], site: Site) -> Callable[..., Any]:
    def opened(of: dict[str, Any], **options: Any) -> Any:
        page = visit(of["session"], **options)
        page.goto(site.url + of["path"])
        page.locator("[id^='table-']").first.wait_for()
        return page

    return opened


def test_a_report_opens_with_few_controls_and_unfolds_into_not_many_more(
    reported: dict[str, Any], open_report: Callable[..., Any]
) -> None:
    page = open_report(reported)
    assert page.locator("[data-entry]").count() > 10, "the report is a rich one"
    assert 10 < controls.count(page) <= MOST
    assert all(text.count("given") < 2 for text in page.locator("[data-group] > summary").all_inner_texts())
    page.evaluate(UNFOLD)
    assert 60 < controls.count(page) <= MOST_UNFOLDED


def test_tables_of_models_are_folded_by_criterion_and_one_criterion_is_open(
    site: Site, open_report: Callable[..., Any]
) -> None:
    page = open_report(of_kind(site, "rate", models=["judge-large", "judge-small"]), viewport=PHONE)
    models = page.locator("[data-group]").filter(has_text="Judged by people and a model")
    models.locator("summary").first.click()
    parts = models.locator("[data-part]")
    assert parts.count() > 1
    assert models.bounding_box()["height"] < 2 * PHONE["height"], "the summary table, and the names of criteria"
    parts.nth(0).locator("summary").first.click()
    parts.nth(1).locator("summary").first.click()
    expect(parts.nth(0).locator("section").first).to_be_hidden()
    expect(parts.nth(1).locator("section").first).to_be_visible()
    page.get_by_role("searchbox", name="Find a table").fill("people alone")
    for part in parts.all():
        expect(part.locator("section").first).to_be_visible()
    page.get_by_role("searchbox", name="Find a table").fill("")
    page.evaluate(UNFOLD)
    assert controls.count(page) <= MOST_UNFOLDED
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert broken(page) == []


def test_a_search_that_fits_many_criteria_opens_one_of_them(site: Site, open_report: Callable[..., Any]) -> None:
    more = [{"name": f"clear{n}", "ask": f"Is it clear ({n})?", "choice": ["yes", "no"]} for n in range(3)]
    rubric = CHECK | {"criteria": CHECK["criteria"] + more}
    page = open_report(of_kind(site, "rate", rubric=rubric, models=["judge-large", "judge-small"]))
    page.evaluate(UNFOLD)
    page.get_by_role("searchbox", name="Find a table").fill("judge-large")
    expect(page.locator("[data-part] summary:visible").filter(has_text="clear")).to_have_count(3)
    expect(page.locator("[data-part][open]")).to_have_count(1)
    assert controls.count(page) <= MOST_UNFOLDED


def test_each_table_is_copied_as_latex_by_a_button_beside_its_title(
    study: dict[str, Any], open_report: Callable[..., Any]
) -> None:
    page = open_report(study, permissions=["clipboard-read", "clipboard-write"])
    page.evaluate(UNFOLD)
    assert page.get_by_role("button", name="Copy LaTeX").count() == page.locator("main table").count()
    button = page.locator("#table-measures-records").get_by_role("button", name="Copy LaTeX")
    button.scroll_into_view_if_needed()
    place = button.bounding_box()
    button.click()
    expect(page.get_by_role("button", name="Copied", exact=True)).to_have_count(1)
    assert page.get_by_role("button", name="Copied", exact=True).bounding_box() == place, "nothing moves"
    assert r"\caption{All measures." in page.evaluate("navigator.clipboard.readText()")
    expect(page.get_by_role("button", name="Copied", exact=True)).to_have_count(0)
    expect(button).to_have_text("Copy LaTeX: All measures")


def test_tables_are_found_by_the_words_of_titles_and_rows(
    study: dict[str, Any], open_report: Callable[..., Any]
) -> None:
    page = open_report(study)
    groups, field = page.locator("[data-group]"), page.get_by_role("searchbox", name="Find a table")
    workers = groups.filter(has_text="Flow of people")
    workers.locator("summary").first.click()
    field.fill("upper bound")
    expect(page.locator("#table-measures-records")).to_be_visible()
    expect(page.locator("#table-alpha-records")).to_be_hidden()
    expect(groups.filter(has_text="Krippendorff")).to_be_hidden()
    field.fill("tabular")  # is in the LaTeX of every table, not in what is shown
    expect(page.locator("#subjects-none")).to_be_visible()
    field.fill("krippen")
    expect(page.locator("#table-alpha-records")).to_be_visible()
    expect(page.locator("#subjects-none")).to_be_hidden()
    field.fill("")
    expect(groups.filter(has_text="Krippendorff").locator("section").first).to_be_hidden()
    expect(workers.locator("section").first).to_be_visible()


def test_what_is_unfolded_moves_nothing_above_it_and_a_link_unfolds_its_table(
    study: dict[str, Any], open_report: Callable[..., Any], site: Site
) -> None:
    page = open_report(study)
    summary = page.locator("[data-group] > summary").nth(1)
    summary.focus()
    place = summary.bounding_box()
    page.keyboard.press("Enter")
    expect(page.locator("#table-alpha-records")).to_be_visible()
    assert summary.bounding_box() == place
    page.goto("about:blank")
    page.goto(f"{site.url}{study['path']}#table-workers-records")
    expect(page.locator("#table-workers-records")).to_be_in_viewport()


def test_an_unfolded_report_fits_a_phone_and_breaks_no_rule_of_axe(
    reported: dict[str, Any], open_report: Callable[..., Any]
) -> None:
    page = open_report(reported, viewport=PHONE)
    page.evaluate(UNFOLD)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert broken(page) == []


def test_paper_has_what_a_search_hides(study: dict[str, Any], open_report: Callable[..., Any]) -> None:
    page = open_report(study)
    page.get_by_role("searchbox", name="Find a table").fill("krippen")
    page.emulate_media(media="print")
    for table in page.locator("[id^='table-'] table").all():
        assert table.bounding_box()["height"] > 0
    assert controls.count(page) < MOST
