"""HITs of other programs in a browser: a page of another origin and HTML of no origin, from preview to the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.site import Site
from tests.browser.test_accessibility import broken
from tests.pure.test_mturk_xml import external, html

SHEET = """<!doctype html><title>Elsewhere</title><form method="post"><input name="name" aria-label="Name">
<input type="hidden" name="assignmentId"><button>Send</button></form><p></p><script>
const told = new URLSearchParams(location.search);
document.forms[0].elements.assignmentId.value = told.get("assignmentId");
document.forms[0].action = told.get("turkSubmitTo") + "/mturk/externalSubmit";
let reached = "nothing";
try { reached = parent.document.title; } catch { /* as it should be */ }
document.querySelector("p").textContent = `${told.get("sheet")} for ${told.get("workerId")} reached ${reached}`;
</script>"""
OLD = """<!DOCTYPE html><html><head><title>Old</title>
<script src="https://s3.amazonaws.com/mturk-public/externalHIT_v1.js"></script></head><body>
<form id="mturk_form" method="post" action="https://workersandbox.mturk.com/mturk/externalSubmit">
<input type="hidden" id="assignmentId" name="assignmentId"><label>Town <input name="town"></label>
<input type="submit" id="submitButton" value="Send"></form><p></p>
<script>turkSetAssignmentID(); let reached = "nothing";
try { reached = parent.document.title + document.cookie; } catch { /* as it should be */ }
document.querySelector("p").textContent = "reached " + reached;</script></body></html>"""


@pytest.fixture
def elsewhere() -> Iterator[str]:
    """The address of a page of another origin (localhost is not 127.0.0.1)."""

    class Desk(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.end_headers()
            self.wfile.write(SHEET.encode())

        def log_message(self, *_given: Any) -> None:
            """Nobody reads it."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Desk)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_address[1]}/sheet"
    server.shutdown()
    server.server_close()


def stored(site: Site, batch: int) -> list[Any]:
    return [row["answer"]["fields"] for row in site.ask("answers", batch=batch)]


@pytest.mark.soak
def test_a_page_of_another_origin_is_previewed_accepted_submitted_and_followed_by_the_next(
    visit: Callable[..., Any], site: Site, elsewhere: str
) -> None:
    questions = [external(f"{elsewhere}?sheet={n}", "300") for n in (1, 2)]
    hits = site.ask("strange_hits", questions=questions)
    page = visit(hits["session"])
    page.goto("/marketplace/?q=stranger")
    page.get_by_role("link", name="Of a stranger", exact=True).click()
    frame = page.frame_locator("iframe")
    expect(frame.locator("p")).to_have_text("1 for null reached nothing")
    frame.get_by_role("button", name="Send").click()
    expect(frame.get_by_role("heading", name="Only a preview")).to_be_visible()
    page.get_by_label("Accept the next item automatically").check()
    page.get_by_role("button", name="Accept", exact=True).click()
    expect(frame.locator("p")).to_have_text(f"1 for {hits['worker']} reached nothing")
    assert broken(page) == []
    frame.get_by_label("Name").fill("Lantern")
    frame.get_by_role("button", name="Send").click()
    expect(frame.locator("p")).to_have_text(f"2 for {hits['worker']} reached nothing")
    assert stored(site, hits["batch"]) == [[["name", "Lantern"]]]


@pytest.mark.soak
def test_html_of_a_stranger_has_no_origin_and_sends_all_the_same(visit: Callable[..., Any], site: Site) -> None:
    hits = site.ask("strange_hits", questions=[html(OLD), html(OLD)])
    page = visit(hits["session"])
    page.goto(f"/marketplace/{hits['batch']}/")
    frame = page.frame_locator("iframe")
    expect(frame.locator("p")).to_have_text("reached nothing")
    expect(frame.locator("#submitButton")).to_be_disabled()
    page.get_by_role("button", name="Accept", exact=True).click()
    expect(frame.locator("#submitButton")).to_be_enabled()
    frame.get_by_label("Town").fill("Tolmouth")
    frame.locator("#submitButton").click()
    expect(page.get_by_text("Submitted. The requester has your answer")).to_be_visible()
    assert stored(site, hits["batch"]) == [[["town", "Tolmouth"]]]
    first = page.url
    page.get_by_role("button", name="Next item").click()
    expect(frame.get_by_label("Town")).to_be_visible()
    assert page.url != first
