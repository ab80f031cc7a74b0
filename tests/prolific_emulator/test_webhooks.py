"""Webhooks of the emulator: nothing before they are confirmed, signed, tried again, and given up in the end."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from prolific_emulator import webhooks
from prolific_emulator.server import Emulator
from prolific_emulator.world import Submission, Subscription

from annotation.marketplaces.base import Denied
from annotation.marketplaces.prolific.marketplace import Prolific
from tests.waiting import until

EVENT = "submission.status.change"


class Listener:
    """A receiver of webhooks; `status` is what it answers, `got` what came: headers and body."""

    def __init__(self) -> None:
        self.status, self.got = 200, []  # type: ignore[var-annotated]
        listener = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                listener.got.append(
                    (
                        {name.lower(): text for name, text in self.headers.items()},
                        self.rfile.read(int(self.headers["Content-Length"])),
                    )
                )
                self.send_response(listener.status)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Nobody reads it."""

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/hook/"
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()


@pytest.fixture
def listener() -> Iterator[Listener]:
    opened = Listener()
    yield opened
    opened.server.shutdown()
    opened.server.server_close()


def test_a_change_is_told_with_a_signature_that_holds(
    emulator: Emulator, prolific: Prolific, listener: Listener, takes_part: Callable[..., Submission]
) -> None:
    emulator.world.turn(timedelta(hours=3))
    made = prolific.subscribe(EVENT, listener.url)
    one = takes_part()
    until(lambda: len(listener.got) >= 2)
    headers, body = listener.got[-1]
    event = prolific.verify(made.secret, headers, body)
    assert abs(event.at - datetime.now(UTC)) < timedelta(minutes=1)  # the receiver's clock was not turned
    assert (event.kind, event.resource_id) == (EVENT, one.id)
    assert event.status in {"ACTIVE", "AWAITING REVIEW"}
    assert len({prolific.verify(made.secret, *each).id for each in listener.got}) == len(listener.got)
    for secret, sent in [("", body), ("another", body), (made.secret, body + b" ")]:
        with pytest.raises(Denied):
            prolific.verify(secret, headers, sent)


def test_nothing_is_delivered_before_a_subscription_is_confirmed(
    emulator: Emulator, prolific: Prolific, listener: Listener, takes_part: Callable[..., Submission]
) -> None:
    workspace = prolific.workspace()
    one = Subscription("s1", EVENT, listener.url, workspace, "hook secret")
    with emulator.world.lock:
        emulator.world.secrets[workspace] = "secret"
        emulator.world.subscriptions[one.id] = one
    takes_part()
    time.sleep(0.3)  # in which a delivery would long have come
    assert listener.got == []
    assert [(row.external_id, row.enabled) for row in prolific.subscriptions()] == [("s1", False)]


def test_two_subscriptions_share_the_secret_of_the_workspace(prolific: Prolific, listener: Listener) -> None:
    one, other = prolific.subscribe(EVENT, listener.url), prolific.subscribe("study.status.change", listener.url)
    assert one.secret == other.secret != ""
    prolific.unsubscribe(one.external_id)
    prolific.unsubscribe(one.external_id)
    assert [row.event for row in prolific.subscriptions()] == ["study.status.change"]


def test_an_event_comes_again_until_it_is_taken_and_a_deaf_target_is_disabled(
    emulator: Emulator, prolific: Prolific, listener: Listener, takes_part: Callable[..., Submission]
) -> None:
    prolific.subscribe(EVENT, listener.url)
    listener.status = 500
    takes_part(code=None)
    until(lambda: len(listener.got) >= 2)
    first = {headers["x-event-id"] for headers, _body in listener.got}
    assert len(first) == 1
    listener.status = 200
    until(lambda: emulator.world.events[0].status == "SUCCEEDED")
    emulator.world.subscriptions[next(iter(emulator.world.subscriptions))].failures = webhooks.MOST_FAILURES - 1
    listener.status = 500
    takes_part("c" * 24, code=None)
    until(lambda: [row.enabled for row in prolific.subscriptions()] == [False])


def test_faults_deliver_twice_and_late(
    emulator: Emulator, prolific: Prolific, listener: Listener, takes_part: Callable[..., Submission]
) -> None:
    prolific.subscribe(EVENT, listener.url)
    emulator.faults.hooks = 1.0
    for letter in "cde":
        takes_part(letter * 24)
    until(lambda: {event.status for event in emulator.world.events} == {"SUCCEEDED"})
    names = [headers["x-event-id"] for headers, _body in listener.got]
    assert len(names) > len(set(names)) == len(emulator.world.events)
