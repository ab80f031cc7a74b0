"""Deciding about gold that people contradict, without a mouse."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.browser.site import Site


@pytest.mark.soak
def test_gold_in_doubt_is_decided_with_the_keyboard_alone(site: Site, visit: Callable[..., Any]) -> None:
    made = site.batch("demo", assignments_per_hit=2)
    page = visit(site.ask("requester", batch=made["batch"])["session"])
    page.goto(f"/projects/{made['project']}/batches/study/")
    rows = [
        {"dataset": "records", "item": item, "worker": worker, "answer": {"text": f"A thing {item}", "support": [0]}}
        for item in range(3)
        for worker in ("first-reader", "second-reader")
    ]
    page.locator("summary", has_text="Actions").click()
    page.get_by_role("button", name="Import responses…").click()
    file = {"name": "said.jsonl", "mimeType": "application/jsonl", "buffer": "\n".join(map(json.dumps, rows)).encode()}
    page.locator("#responses-box input[type=file]").set_input_files(file)
    page.locator("#responses-box").get_by_role("button", name="Import").last.click()
    page.wait_for_url("**/jobs/**")
    page.get_by_text(re.compile("responses (are in|imported)")).wait_for()
    page.goto(f"/projects/{made['project']}/batches/study/gold/")
    page.get_by_role("link", name="Decide one by one").click()
    page.wait_for_load_state()

    def press(key: str) -> None:
        with page.expect_navigation():
            page.keyboard.press(key)
        page.wait_for_load_state()

    first = page.url
    press("a")
    assert page.url != first
    press("z")
    assert page.url == first
    press("n")
    press("c")
    press("g")
    press("a")
    assert "No other gold is in doubt." in page.locator("main").inner_text()
    decided = page.locator("tbody td:last-child").all_inner_texts()
    assert sorted(decided) == ["added as an alias", "gold corrected", "gold kept"]
