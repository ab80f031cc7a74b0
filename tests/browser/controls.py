"""How crowded a page is: the controls that its reader sees, links among them."""

from __future__ import annotations

from typing import Any

SEEN = """() => [...document.querySelectorAll("main :is(a[href], button, input, select, textarea, summary)")].filter(
    (one) => one.type !== "hidden" && one.checkVisibility({visibilityProperty: true}) && one.getClientRects().length)"""


def count(page: Any) -> int:
    """How many links, buttons, fields and folds are shown in the page's main part; menus and folds as they are."""
    return int(page.evaluate(f"({SEEN})().length"))
