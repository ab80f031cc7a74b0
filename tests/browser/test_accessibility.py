"""No rule of axe is broken on any page, light or dark, wide or narrow; and nothing is wider than the window."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import expect

from tests.browser.desk import Desk
from tests.browser.site import Site
from tests.browser.test_small_screens import PHONE, overflow

WorkPage = Callable[..., Desk]
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text(encoding="utf-8")
RUN = """async (options) => (await axe.run(document, {resultTypes: ["violations"], ...options})).violations
  .map(({id, nodes}) => `${id}: ${nodes.slice(0, 3).map(
    (node) => `${node.html.slice(0, 200)} (${node.failureSummary.slice(0, 300)})`).join(" | ")}`)"""
ALL = {"runOnly": RULES}
COLOURS = {"runOnly": {"type": "rule", "values": ["color-contrast"]}}
WHOLE = os.environ.get("AXE") == "whole"
WIDE, NARROW = {"width": 1280, "height": 800}, {"width": 390, "height": 844}


def show_whole(page: Any, size: dict[str, int]) -> None:
    """A window so high that no bar covers half a control, which axe would take for a small one."""
    page.set_viewport_size(size)
    height = page.evaluate("() => document.documentElement.scrollHeight")
    page.set_viewport_size({"width": size["width"], "height": max(size["height"], height)})


def broken(page: Any) -> list[str]:
    """The rules that the page breaks as it stands.

    With AXE=whole, as in `make soak PART=axe`: light and dark, wide and narrow; otherwise light and wide.
    """
    page.evaluate(AXE)
    found = []
    for size in (WIDE, NARROW):
        show_whole(page, size)
        page.emulate_media(color_scheme="light", reduced_motion="reduce")  # no colour half-way to another
        if size == WIDE or WHOLE:
            found += page.evaluate(RUN, ALL)
        if WHOLE:
            found += dark(page)
        if overflow(page):
            found.append(f"{overflow(page)} px wider than {size['width']}")
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    return found


def dark(page: Any) -> list[str]:
    """What cannot be read on dark ground; axe must be there already."""
    page.emulate_media(color_scheme="dark")
    return [f"dark {each}" for each in page.evaluate(RUN, COLOURS)]


def test_dark_pages_can_be_read(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    for person, names in {"alice": ("batch", "report", "dataset"), "bob": ("assignment",)}.items():
        page = visit(furnished["sessions"][person], reduced_motion="reduce")
        for name in names:
            page.goto(furnished["urls"][name])
            page.evaluate(AXE)
            assert dark(page) == [], name


@pytest.fixture
def look(visit: Callable[..., Any], furnished: dict[str, Any]) -> Callable[..., list[str]]:
    """Opens addresses as one person and collects what they break."""

    def look_at(person: str, *names: str) -> list[str]:
        page = visit(furnished["sessions"].get(person, ""))
        found = []
        for name in names:
            reply = page.goto(furnished["urls"][name])
            assert reply.status in {200, 410}, name
            found += [f"{name}: {each}" for each in broken(page)]
        return found

    return look_at


def test_the_ways_in(look: Callable[..., list[str]]) -> None:
    assert look("anonymous", "sign-in", "join", "password-reset", "glossary", "figures") == []
    assert look("alice", "mturk-api") == []


def test_an_annotators_pages(look: Callable[..., list[str]]) -> None:
    assert look("bob", "work", "history", "consent", "batch-instructions", "batch-done", "feedback", "assignment") == []


@pytest.mark.soak
def test_the_marketplaces_pages(look: Callable[..., list[str]]) -> None:
    names = ["marketplace", "marketplace-group", "marketplace-hit", "qualification-test", "experiment-start"]
    assert look("bob", *names) == []


@pytest.mark.soak
def test_a_requesters_pages_of_data_and_people(look: Callable[..., list[str]]) -> None:
    names = [
        "project",
        "project-settings",
        "access-keys",
        "datasets",
        "dataset-new",
        "dataset",
        "dataset-derive",
        "item",
        "people",
        "import-mturk-ids",
        "job",
    ]
    assert look("alice", *names) == []


def test_a_requesters_daily_pages(look: Callable[..., list[str]]) -> None:
    assert look("alice", "annotator", "hours", "messages", "thread", "worker-messages") == []
    assert look("alice", "batch-next", "batch-reserve", "item-edit", "item-versions") == []
    assert look("bob", "my-thread") == []


@pytest.mark.soak
def test_a_requesters_pages_of_batches(look: Callable[..., list[str]]) -> None:
    names = ["batches", "batch-new", "batch", "batch-decide", "batch-preview", "batch-assignments", "hits", "hit"]
    assert look("alice", *names) == []


@pytest.mark.soak
def test_a_requesters_pages_of_results(look: Callable[..., list[str]]) -> None:
    assert look("alice", "review", "review-answer", "batch-workers", "problem-reports", "report", "instructions") == []
    assert look("alice", "dry_runs", "model-predictions", "model-runs", "model-run", "batch-settings") == []


@pytest.mark.soak
def test_a_requesters_pages_of_rounds(look: Callable[..., list[str]]) -> None:
    assert look("alice", "round-new", "round-edit", "round", "batch-worker") == []


@pytest.mark.soak
def test_a_requesters_pages_of_money(look: Callable[..., list[str]]) -> None:
    assert look("alice", "money", "money-move", "money-ledger", "payout", "batch-floor") == []


@pytest.mark.soak
def test_a_requesters_pages_of_marketplaces(look: Callable[..., list[str]]) -> None:
    assert look("alice", "marketplaces", "marketplace-keys", "batch-marketplace", "batch-differences") == []
    assert look("alice", "batch-visit-preview") == []


@pytest.mark.soak
def test_a_requesters_pages_of_studies(look: Callable[..., list[str]]) -> None:
    names = ["studies", "study", "experiments", "experiment", "power", "preregistration", "broken-bridges"]
    assert look("alice", *names) == []


@pytest.mark.soak
def test_a_requesters_pages_of_pay(look: Callable[..., list[str]]) -> None:
    assert look("alice", "approvals", "approval") == []


@pytest.mark.soak
def test_a_requesters_pages_of_qualifications(look: Callable[..., list[str]]) -> None:
    names = ["qualifications", "qualification-new", "qualification", "qualification-edit", "qualification-rule"]
    assert look("alice", *names, "qualification-requests") == []


@pytest.mark.soak
def test_an_annotators_pages_of_their_standing(look: Callable[..., list[str]]) -> None:
    assert look("bob", "my-qualifications", "my-earnings", "my-messages", "my-details") == []


@pytest.mark.soak
def test_a_requesters_pages_of_decisions(look: Callable[..., list[str]]) -> None:
    assert look("alice", "adjudicate", "adjudicate-hit", "gold", "gold-item") == []


@pytest.mark.soak
def test_the_pages_of_ones_account(look: Callable[..., list[str]]) -> None:
    names = ["account", "keys", "password-change", "second-factor", "account-delete", "notices"]
    assert look("alice", *names) == []


@pytest.mark.soak
def test_the_second_step_of_signing_in(visit: Callable[..., Any], site: Site, furnished: dict[str, Any]) -> None:
    page, password = visit(), "as long as it is good"
    page.goto(furnished["urls"]["sign-in"])
    page.get_by_label("Username").fill(site.ask("guarded", password=password))
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("input[name=code]")).to_be_visible()
    assert broken(page) == []


@pytest.mark.soak
def test_a_requesters_pages_of_other_programs(look: Callable[..., list[str]]) -> None:
    assert look("alice", "tokens", "webhooks", "webhook") == []


@pytest.mark.soak
def test_a_requesters_pages_that_find_and_keep(look: Callable[..., list[str]]) -> None:
    assert look("alice", "search", "compare", "log", "project-new") == []


@pytest.mark.soak
def test_a_requesters_pages_of_what_goes(look: Callable[..., list[str]]) -> None:
    names = ["bin", "batch-erase", "dataset-erase", "project-remove", "worker-erase"]
    assert look("alice", *names) == []


@pytest.mark.soak
def test_erasing_a_deleted_project(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["project-new"])
    page.get_by_label("Title").fill("Gone soon")
    page.get_by_role("button", name="Create the project").click()
    page.goto("/projects/gone-soon/settings/delete/")
    page.locator("input[name=name]").fill("gone-soon")
    page.get_by_role("button", name="Delete the project").click()
    page.get_by_role("link", name="Erase for good").click()
    page.wait_for_url("**/gone-soon/erase/")  # "project-erase"
    assert broken(page) == []


def test_every_page_of_the_site_is_looked_at() -> None:
    from tests.security.routes import TABLE

    source = Path(__file__).read_text(encoding="utf-8")
    fragments = {"healthz", "home", "live", "preview-live", "practice-live", "report-progress", "back", "batch-edit"}
    fragments |= {"frame-live", "frame-preview-live", "frame-practice-live", "project-now", "readyz", "metrics"}
    fragments |= {"results-dataset-kept"}
    files = {"approvals-file", "round-file", "dataset-export", "batch-export", "dataset-document"}
    files |= {"ledger-file", "payout-file", "log-file", "batch-study-pay-file", "preregistration-file"}
    files |= {"report-table", "report-chart", "report-export", "dataset-table", "compare-table", "compare-chart"}
    elsewhere = {"practice", "frame", "open-join"}  # test_practice.py, test_frame.py; no project's page is open
    elsewhere |= {"dataset-columns", "visit", "visit-arrival"}  # test_importing.py, test_visits.py
    elsewhere |= {"sign-in-code"}  # nobody is there but half-way, as below
    elsewhere |= {"batch-start"}  # leads to the instructions
    strangers = {
        "mturk-api-bare",
        "mturk-queue",
        "html-question",
        "assignment-state",
        "marketplace-by-id",
        "external-submit",
    }  # not ours, or no page
    pages = {name for name, row in TABLE.items() if row.statuses.get("GET")} - fragments - files - elsewhere - strangers
    assert [name for name in sorted(pages) if f'"{name}"' not in source] == []


@pytest.mark.soak
def test_the_start_page_of_somebody_with_nothing_yet(look: Callable[..., list[str]]) -> None:
    assert look("frank", "home", "work", "history") == []


@pytest.mark.soak
@pytest.mark.parametrize(
    "template",
    ["403", "404", "500", "503", "403_csrf", "work/conflict", "people/too_many_attempts"],
)
def test_the_pages_of_trouble(visit: Callable[..., Any], site: Site, template: str) -> None:
    context = {"wait": 30, "message": "Another answer stands.", "home_url": "/", "answer": {"text": "larch"}}
    context["assignment"] = {"public_id": "x"}
    html = site.ask("render", template=f"{template}.html", context=context)
    page = visit()
    page.route("**/trouble/", lambda route: route.fulfill(body=html, content_type="text/html"))
    page.goto("/trouble/")
    assert broken(page) == []


@pytest.mark.soak
def test_forms_that_were_refused(visit: Callable[..., Any], site: Site, furnished: dict[str, Any]) -> None:
    page = visit()
    page.goto(furnished["urls"]["sign-in"])
    page.get_by_label("Username").fill("nobody")
    page.get_by_label("Password").fill("nothing of the kind")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator(".notice.bad")).to_be_visible()
    assert broken(page) == []


@pytest.mark.parametrize("kind", ["demo", "nasty", "choices", "sentences"])
def test_the_answer_page_in_the_middle_of_work(desk: WorkPage, kind: str) -> None:
    options = {"sentences": kind == "sentences", "yes_no": kind == "demo", "no_answer": kind == "demo"}
    worker = desk(kind, sample=1, options=options)
    page = worker.page
    page.keyboard.press("Control+Enter")
    expect(page.locator("#problems")).to_be_visible()
    assert broken(page) == []
    if kind != "choices":
        page.locator("#search").fill("the")
        worker.select(worker.texts()[0].split(" ")[0])
    page.locator("input[name=support], input[name=fact], input[name=option]").first.check()
    page.context.set_offline(True)
    page.keyboard.press("Control+Enter")
    expect(worker.notice("unsent")).to_be_visible()
    assert broken(page) == []
    page.context.set_offline(False)


@pytest.mark.soak
@pytest.mark.parametrize("box", ["keys-box", "instructions-box", "return-box", "problem-report-box"])
def test_the_dialogs_of_the_answer_page(desk: WorkPage, box: str) -> None:
    page = desk("yesno").page
    page.locator(f"[popovertarget={box}]").first.click()
    expect(page.locator(f"#{box}")).to_be_visible()
    assert broken(page) == []


@pytest.mark.soak
def test_the_theme_that_one_chose_holds_on_every_page(desk: WorkPage) -> None:
    worker = desk("yesno")
    worker.page.keyboard.press("?")
    colour = "() => getComputedStyle(document.documentElement).backgroundColor"
    before = worker.page.evaluate(colour)
    switch = worker.page.locator("#keys-box [data-theme-switch]")
    switch.click()
    switch.click()
    expect(switch).to_contain_text("dark")
    assert worker.page.evaluate(colour) != before
    worker.page.goto("/work/")
    assert worker.page.evaluate(colour) != before


def test_nothing_moves_for_those_who_want_that(desk: WorkPage) -> None:
    worker = desk("demo", sample=1, page={"reduced_motion": "reduce"})
    moving = """() => [...document.querySelectorAll("*")].filter((element) => {
      const style = getComputedStyle(element);
      const seconds = (time) => parseFloat(time) / (time.trim().endsWith("ms") ? 1000 : 1);
      const slow = (list) => list.split(",").some((time) => seconds(time) > 0.01);
      const moves = slow(style.transitionDuration) || (style.animationName !== "none" && slow(style.animationDuration));
      return moves || style.scrollBehavior === "smooth";
    }).map((element) => element.outerHTML.slice(0, 80))"""
    worker.page.keyboard.press("?")
    assert worker.page.evaluate(moving) == []
    worker.page.goto("/work/")
    assert worker.page.evaluate(moving) == []


def test_focus_is_visible_wherever_tab_leads(desk: WorkPage) -> None:
    page = desk("yesno").page
    unseen = """() => {
      const place = document.activeElement.closest("label") ?? document.activeElement;
      const seen = [place, document.activeElement, ...place.querySelectorAll("span")].some((element) => {
        const style = getComputedStyle(element);
        return (style.outlineStyle !== "none" && parseFloat(style.outlineWidth) > 0) || style.boxShadow !== "none";
      });
      return seen ? "" : document.activeElement.outerHTML.slice(0, 120);
    }"""
    for _ in range(25):
        page.keyboard.press("Tab")
        assert page.evaluate(unseen) == ""


@pytest.mark.soak
def test_a_drawer_says_what_it_is(desk: WorkPage) -> None:
    page = desk("demo", sample=1, page=PHONE).page
    for button, title in (("View", "View"), ("Back, return, report", "This item")):
        heading = page.locator(".drawer").get_by_role("heading", name=title)
        expect(heading).to_have_count(0)  # closed
        page.get_by_role("button", name=button).click()
        expect(heading).to_be_visible()
        assert broken(page) == []
        page.set_viewport_size(PHONE["viewport"])
        page.keyboard.press("Escape")
    page.set_viewport_size(WIDE)
    expect(page.locator(".drawer > h2").first).to_be_hidden()
