"""Reports and comparisons on paper are black on white, whatever theme their reader chose."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

PAPER = """() => [...document.querySelectorAll("h1, .card, .table-box, .table th")].map(
    (one) => [getComputedStyle(one).colorScheme, getComputedStyle(one).color, getComputedStyle(one).backgroundColor])"""
LIGHT = {"rgb(255, 255, 255)", "rgba(0, 0, 0, 0)"}


def test_a_dark_page_is_printed_light(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
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
