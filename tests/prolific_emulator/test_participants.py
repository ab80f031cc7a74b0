"""Simulated participants walk through a study's pages as a person without scripts would."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from urllib.parse import parse_qs

import pytest
from prolific_emulator import participants
from prolific_emulator.participants import HABITS, Page, fill, next_form
from prolific_emulator.server import Emulator

CONSENT = """<form method="post" action="/consent">
<button name="agree" value="yes" class="button primary">I agree</button></form>"""
WORK = """<p>Which tower stands in Farrow Valley?</p><form id="return" method="post" action="/return"></form>
<form id="work" method="post" action="/work"><input type="hidden" name="key" value="k1">
<button disabled hidden></button>
<input type="radio" name="option" value="0"><input type="radio" name="option" value="1">
<textarea name="text"></textarea>
<select name="sure"><option value="">–</option><option value="3">3</option></select></form>
<button class="button primary" type="submit" form="work">Submit</button>"""


class Site:
    """A study: consent, two pages of work, and the way back. `posted` is what came; `away` answers first with 503."""

    def __init__(self, back: str) -> None:
        self.posted, self.away = [], 0  # type: ignore[var-annotated]
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._send(CONSENT)

            def do_POST(self) -> None:
                body = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
                if site.away:
                    site.away -= 1
                    return self._send("away", 503)
                site.posted.append((self.path, body))
                works = [path for path, _body in site.posted if path == "/work"]
                end = f'<p>Done</p><a class="button primary" href="{back}/submissions/complete?cc=CODE0">Back</a>'
                return self._send(end if len(works) == 2 else WORK)

            def _send(self, text: str, status: int = 200) -> None:
                self.send_response(status)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write(text.encode())

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def site(emulator: Emulator, published: str) -> Iterator[Site]:
    opened = Site(emulator.url)
    emulator.world.studies[published]["external_study_url"] = opened.url + "?p={{%PROLIFIC_PID%}}"
    yield opened
    opened.server.shutdown()
    opened.server.server_close()


def test_a_diligent_participant_answers_everything_and_comes_back_with_the_code(
    emulator: Emulator, published: str, site: Site
) -> None:
    site.away = 2
    (stay,) = participants.crowd(emulator.world, published, 1, habits=[participants.DILIGENT])
    assert (stay.sent, stay.code) == (3, "CODE0")
    assert emulator.world.submissions[stay.submission].status == "AWAITING REVIEW"
    assert site.posted[0] == ("/consent", {"agree": ["yes"]})
    path, body = site.posted[1]
    assert (path, body["key"], body["sure"]) == ("/work", ["k1"], ["3"])
    assert body["option"][0] in {"0", "1"}
    assert body["text"][0] in {"Which", "tower", "stands", "Farrow", "Valley", "Submit"}
    assert stay.accepted == [f"{site.url}consent", f"{site.url}work", f"{site.url}work"]


@pytest.mark.parametrize(
    ("habit", "status"),
    [
        (participants.RETURNS, "RETURNED"),
        (participants.GIVES_UP, "ACTIVE"),
        (participants.FORGETS, "ACTIVE"),
        (participants.WRONG_CODE, "AWAITING REVIEW"),
        (participants.LATE, "TIMED-OUT"),
        (participants.NO_SHOW, "RESERVED"),
    ],
)
def test_each_habit_leaves_its_submission_in_its_own_state(
    emulator: Emulator, published: str, site: Site, habit: str, status: str
) -> None:
    (stay,) = participants.crowd(emulator.world, published, 1, habits=[habit])
    assert emulator.world.submissions[stay.submission].status == status
    assert emulator.world.submissions[stay.submission].code in {None, "WRONG"}


def test_more_participants_than_places_leave_without_one(emulator: Emulator, published: str, site: Site) -> None:
    assert len(participants.crowd(emulator.world, published, 5, habits=[participants.DILIGENT])) == 3


def test_every_habit_is_drawn_sometimes() -> None:
    rng = Random(1)
    assert {participants.draw_habit(rng) for _one in range(500)} == set(HABITS)


def test_a_server_that_is_away_ends_the_stay_and_not_the_crowd(
    emulator: Emulator, published: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(participants, "MOST_TRIES", 1)
    emulator.world.studies[published]["external_study_url"] = "http://127.0.0.1:9/"
    (stay,) = participants.crowd(emulator.world, published, 1, habits=[participants.DILIGENT])
    assert (stay.code, stay.last) == ("", "the study's server did not answer")


def test_the_form_with_the_main_button_goes_on() -> None:
    page = Page("http://x/", 200)
    participants._Reader(page).feed(CONSENT + WORK)
    form = next_form(page)
    assert form is not None
    assert fill(form, page, Random(1)) == [("agree", "yes")]
    assert next_form(Page("http://x/", 200)) is None
