"""Where a requester's pages begin, how many things they urge one to do, and their menus."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import controls
from tests.browser.site import Site

HIGHEST = {1280: 200, 390: 260}  # y of the content, by the width of the window
OF_BATCH = (
    "batch",
    "hits",
    "batch-decide",
    "adjudicate",
    "batch-workers",
    "problem-reports",
    "report",
    "batch-settings",
)
OF_PROJECT = ("project", "datasets", "batches", "people", "compare", "money")
FORMS = ("dataset", "dataset-new", "dataset-derive", "batch-new", "adjudicate-hit", "composing-report")
# what follows the title line and the tabs of a batch, or the title line of another page
CONTENT = """
    (() => {
      const heads = ["main nav.tabs", "main > header.head", "main > header.review-bar"];
      const head = heads.map((each) => document.querySelector(each)).find(Boolean);
      let next = head.nextElementSibling;
      while (next && !next.getBoundingClientRect().height) next = next.nextElementSibling;
      return Math.round(next.getBoundingClientRect().top);
    })()
"""

# what is left and right of a button's words
MARGINS = """
    (button) => {
      const words = document.createRange();
      words.selectNodeContents(button.firstChild);
      const inner = words.getBoundingClientRect(), outer = button.getBoundingClientRect();
      return [inner.left - outer.left, outer.right - inner.right];
    }
"""


@pytest.mark.soak
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_the_content_begins_high_and_one_thing_is_urged(
    visit: Callable[..., Any], furnished: dict[str, Any], width: int, height: int
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": width, "height": height})
    urls = dict(furnished["urls"])
    project = urls["project"].split("/")[2]
    urls["composing-report"] = f"/projects/{project}/batches/{project}-composed/report/"
    for name in (*OF_BATCH, *OF_PROJECT, *FORMS):
        page.goto(urls[name])
        assert page.evaluate(CONTENT) < HIGHEST[width], name
        assert page.locator(".head .button.primary:visible").count() <= 1, name
        assert name in OF_PROJECT or page.locator("main .button.primary:visible").count() <= 1, name
        assert page.locator("header.site nav > ul > li").count() <= 7, name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


MENU = """all => all.forEach((bar) => bar.insertAdjacentHTML("beforeend",
  "<details class='menu'><summary class='button'>Export report</summary></details>"))"""
LONG = "scores opened before all responses were in"  # an option of the log's filter


@pytest.mark.soak
@pytest.mark.parametrize("width", [390, 1280])
def test_a_filter_stands_beside_its_name(visit: Callable[..., Any], furnished: dict[str, Any], width: int) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": width, "height": 800})
    for name in ("hits", "report", "log"):
        page.goto(furnished["urls"][name])
        page.locator("details:has(select)").evaluate_all("all => all.forEach((each) => (each.open = true))")
        page.locator(".report-bar:not(:has(> .menu))").evaluate_all(MENU)  # a report with figures has it
        page.locator(".toolbar select").evaluate_all(f"all => all.forEach((each) => each.add(new Option('{LONG}')))")
        filters = page.locator(".toolbar label:has(select):visible")
        short = [box for box in filters.all() if len(box.inner_text().split("\n")[0]) < 10]
        assert short, name
        assert [box.inner_text() for box in short if box.bounding_box()["height"] >= 50] == [], name
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name


@pytest.mark.soak
def test_what_is_unseen_in_a_button_takes_no_room(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["dataset-derive"])
    buttons = page.locator("main .button:visible").filter(has=page.locator(".unseen"))
    assert buttons.count() > 3
    for button in buttons.all():
        left, right = button.evaluate(MARGINS)
        assert abs(left - right) <= 1, button.text_content()
    expect(buttons.first).to_have_accessible_name(re.compile("Derive ?: .+"))
    bell = page.locator(".bell")
    expect(bell).to_have_accessible_name(re.compile("Notices: [0-9]+ new"))
    box = bell.bounding_box()
    assert box
    assert box["width"] <= 48  # the count stands at its right edge


# the entries of open menus whose words take more than one line
WRAPPED = """() => [...document.querySelectorAll(".menu > ul :is(a, button)")].filter((entry) => {
  const words = document.createRange();
  words.selectNodeContents(entry);
  return words.getBoundingClientRect().height > 1.5 * parseFloat(getComputedStyle(entry).lineHeight);
}).map((entry) => entry.innerText)"""
TABLE = {
    "name": "arms",
    "title": "Arms",
    "rows": [[]],
    "quotes": [{"id": "l", "label": "LaTeX", "text": "&"}, {"id": "q", "label": "Markdown", "text": "|"}],
    "files": [{"url": "/", "form": "CSV"}],
}


@pytest.mark.parametrize("width", [390, 1280])
def test_an_entry_of_a_menu_stands_on_one_line(
    visit: Callable[..., Any], furnished: dict[str, Any], site: Site, width: int
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": width, "height": 800})
    table = site.ask("render", template="reports/_table.html", context={"table": TABLE})
    entries: list[str] = []
    for name in ("batch", "batches", "dataset", "report"):
        page.goto(furnished["urls"][name])
        if name == "report":
            page.locator("main").evaluate("(main, html) => main.insertAdjacentHTML('beforeend', html)", table)
        page.locator("details.menu").evaluate_all("all => all.forEach((menu) => (menu.open = true))")
        assert page.evaluate(WRAPPED) == [], name
        entries += page.locator(".menu > ul :is(a, button)").all_inner_texts()
    assert {"Clone", "Copy Markdown", "New qualification round"} <= {entry.strip() for entry in entries}


def test_a_menu_opens_and_closes_by_keyboard_and_by_a_click_elsewhere(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["batch"])
    actions = page.locator("summary", has_text="Actions")
    clone = page.get_by_role("button", name="Clone")
    actions.focus()
    page.keyboard.press("Enter")
    expect(clone).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")
    expect(clone).to_be_hidden()
    expect(actions).to_be_focused()
    actions.click()
    expect(clone).to_be_visible()
    page.locator("h1").click()
    expect(clone).to_be_hidden()
    page.locator("header.site summary", has_text="More").click()
    page.get_by_role("link", name="Settings").first.click()
    expect(page.get_by_role("heading", level=1, name="Settings")).to_be_visible()
    expect(page.locator("summary.here")).to_have_text("More")


def test_a_dialog_opens_from_the_menu(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["batch"])
    page.locator("summary", has_text="Actions").click()
    page.get_by_role("button", name="Create a dataset…").first.click()
    expect(page.get_by_label("Name of the new dataset")).to_be_visible()


def test_a_study_is_found_by_typing_and_listed_without_scripts(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["dataset-derive"])
    shuffled = page.get_by_role("heading", name="Ablation 6: context words shuffled")
    expect(shuffled).to_be_hidden()
    page.get_by_label("Find a derivation").press_sequentially("words shuffled")
    expect(shuffled).to_be_visible()
    expect(page.locator("#studies details:visible")).to_have_count(1)
    page.get_by_label("Find a derivation").fill("no such thing")
    expect(page.get_by_text("No derivation fits.")).to_be_visible()
    page.get_by_label("Find a derivation").fill("")
    expect(page.locator("#studies > details:visible")).to_have_count(4)
    expect(shuffled).to_be_hidden()
    bare = visit(furnished["sessions"]["alice"], java_script_enabled=False)
    bare.goto(furnished["urls"]["dataset-derive"])
    expect(bare.get_by_label("Find a derivation")).to_be_hidden()
    bare.locator("#studies summary", has_text="Ablations").click()
    expect(bare.get_by_role("heading", name="Ablation 6: context words shuffled")).to_be_visible()


@pytest.mark.parametrize("width", [390, 1280])
def test_a_batch_has_seven_tabs_and_more_opens_by_key_within_the_window(
    visit: Callable[..., Any], furnished: dict[str, Any], width: int
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": width, "height": 800})
    page.goto(furnished["urls"]["batch"])
    expect(page.locator("main nav.tabs > *")).to_have_count(7)
    page.locator("main nav.tabs summary").focus()
    page.keyboard.press("Enter")
    box = page.locator("main nav.tabs .menu > ul").bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width
    instructions = page.locator("main nav.tabs a", has_text="Instructions")
    instructions.click(timeout=2000)  # nothing covers it or cuts it off
    expect(page.locator("main nav.tabs summary.here")).to_be_visible()


def test_the_header_urges_the_first_of_the_decisions(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["batch-decide"])
    lines = page.locator(".waits > li > a")
    expect(page.locator("#next-step .button")).to_have_text(lines.first.inner_text())
    others = lines.all_inner_texts()[1:]
    lines.first.click()
    assert page.url.split("?")[0] != furnished["urls"]["batch-decide"]
    page.goto(furnished["urls"]["batch"])
    assert page.locator(".waits > li > a").all_inner_texts()[: len(others)] == others


@pytest.mark.parametrize(("name", "most"), [("hits", 60), ("log", 60), ("batch", 40), ("approvals", 30)])
def test_a_list_opens_calmly(visit: Callable[..., Any], furnished: dict[str, Any], name: str, most: int) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"][name])
    assert 5 < controls.count(page) <= most


LISTS = ("project", "batches", "datasets", "people", "qualifications", "batch-workers", "review", "approvals", "round")
WIDE = "() => [...document.querySelectorAll('.table-box')].filter((box) => box.scrollWidth > box.clientWidth).length"

# values of a card that are only a number or a dash, without the name of their column (a square of a HIT has a title)
UNNAMED = """() => [...document.querySelectorAll(".table.stacks tbody td:not([data-label], .cells)")]
    .filter((cell) => cell.checkVisibility() && /^[\\d.,\\s/–-]+$/.test(cell.innerText))
    .map((cell) => cell.outerHTML)"""


@pytest.mark.parametrize("name", LISTS)
def test_the_rows_of_a_table_are_cards_on_a_phone_with_the_way_back_in_one_link(
    visit: Callable[..., Any], furnished: dict[str, Any], name: str
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    page.goto(furnished["urls"][name])
    expect(page.locator(".table-box").first).to_be_visible()
    assert page.evaluate(WIDE) == 0
    links = [link.bounding_box()["width"] for link in page.locator(".breadcrumbs li:has(a)").all()]
    assert len([width for width in links if width > 1]) <= 1
    assert page.evaluate(UNNAMED) == []
    tabs = page.locator("nav.tabs:has(> .menu)")
    assert tabs.count() == 0 or tabs.evaluate("(bar) => bar.scrollWidth - bar.clientWidth") < 16


def test_a_long_title_is_cut_off_in_the_way_back_and_its_other_links_are_seen_with_the_focus(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    for name in ("batch", "adjudicate-hit", "hits", "dataset", "review"):
        page.goto(furnished["urls"][name])
        links = page.locator(".breadcrumbs a")
        for link in links.all():
            link.evaluate("(link) => { link.textContent = 'Questions of a long title '.repeat(9) }")
        assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        for link in links.all():
            link.focus()
            assert link.bounding_box()["width"] > 100
            assert page.evaluate("() => document.documentElement.scrollWidth") == 390
        assert "‹" in links.first.evaluate("(link) => getComputedStyle(link.parentElement, '::before').content")


def test_a_list_on_a_phone_begins_with_its_rows_and_a_desktop_keeps_its_filters(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    phone = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844})
    phone.goto(furnished["urls"]["batches"])
    assert phone.locator("tbody tr").first.bounding_box()["y"] < 260
    state = phone.locator("main form [name=state]")
    expect(state).to_be_hidden()
    phone.locator("summary", has_text="Filter").click()
    expect(state).to_be_visible()
    wide = visit(furnished["sessions"]["alice"], viewport={"width": 1280, "height": 800})
    wide.goto(furnished["urls"]["batches"])
    wide.locator("main form [name=state]").select_option("draft")
    wide.get_by_role("button", name="Show", exact=True).click()
    wide.wait_for_url("**state=draft**")


def test_all_tabs_of_a_batch_are_in_sight_on_a_phone_in_german(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"], viewport={"width": 390, "height": 844}, locale="de-DE")
    page.goto(furnished["urls"]["batch"])
    parts = page.locator(".tabs > *")
    assert parts.count() > 6
    for box in (part.bounding_box() for part in parts.all()):
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 390
