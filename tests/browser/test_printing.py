"""Reports and comparisons on paper are black on white, whatever theme their reader chose."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

PAPER = """() => [...document.querySelectorAll("h1, .card, .table-box, .table th")].map(
    (one) => [getComputedStyle(one).colorScheme, getComputedStyle(one).color, getComputedStyle(one).backgroundColor])"""
CUT_OFF = """() => Math.max(
    ...[...document.querySelectorAll(".table-box")].map((box) => box.scrollWidth - box.clientWidth))"""
LIGHT = {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}


def open_scores(page: Any, furnished: dict[str, Any]) -> None:
    page.goto(furnished["urls"]["report"])
    folded = page.locator("form[action$='/open/'] button")
    if folded.count():
        folded.click()
    page.locator(".lead svg").wait_for()


@pytest.mark.soak
def test_a_dark_page_is_printed_light(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    open_scores(page, furnished)
    page.emulate_media(color_scheme="dark", media="print")
    page.goto(f"{furnished['urls']['project']}compare/?one=wells-1")
    for theme in (None, "dark"):
        if theme:
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
        seen = page.evaluate(PAPER)
        assert len(seen) > 3
        for scheme, ink, ground in seen:
            dark = all(int(part) < 128 for part in re.findall(r"\d+", ink))
            assert (scheme, ground in LIGHT, dark) == ("light", True, True)


@pytest.mark.soak
def test_a_report_on_paper_is_whole_and_has_nothing_to_press(
    visit: Callable[..., Any], furnished: dict[str, Any]
) -> None:
    page = visit(furnished["sessions"]["alice"])
    open_scores(page, furnished)
    page.emulate_media(media="print")
    for gone in ("header.site", "nav.tabs", ".menu", ".breadcrumbs", ".report-bar details", ".glossary-link"):
        assert page.locator(f"{gone} >> visible=true").count() == 0, gone
    assert page.evaluate(CUT_OFF) <= 0
    folded = page.locator("details.card:not([open]) table").first
    assert folded.bounding_box()["height"] > 0
    assert page.pdf(format="A4").startswith(b"%PDF")
