"""The pass mark of a round: dragged with the mouse, moved with the keyboard; the server says what it gives."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

GIVES = re.compile(r"round/\?mark=")


def test_the_mark_is_dragged_and_moved_by_key(visit: Callable[..., Any], furnished: dict[str, Any]) -> None:
    page = visit(furnished["sessions"]["alice"])
    page.goto(furnished["urls"]["round"])
    assert "Selected by the rule" in page.locator("#chosen").inner_text()
    box = page.locator("svg.scores").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.75, box["y"] + 40)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40)
    with page.expect_response(GIVES):
        page.mouse.up()
    page.get_by_text(re.compile(r"Selected: above 4\d percent")).wait_for()
    dragged = int(page.locator("[data-value]").text_content())
    with page.expect_response(GIVES):
        page.keyboard.press("ArrowRight")  # the slider has the focus by now
    page.get_by_text(f"Selected: above {dragged + 1} percent").wait_for()
    assert page.locator("[data-value]").text_content() == str(dragged + 1)
