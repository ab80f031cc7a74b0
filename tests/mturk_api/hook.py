"""How notifications are asked for; and a webhook: a server on this machine that keeps what it was sent."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from tests.mturk_api.worker_acts import QUESTION

KINDS = [
    *("AssignmentAccepted", "AssignmentAbandoned", "AssignmentReturned", "AssignmentSubmitted"),
    *("AssignmentRejected", "AssignmentApproved"),
    *("HITCreated", "HITExpired", "HITReviewable", "HITExtended", "HITDisposed"),
]
QUEUE = "http://testserver/mturk/queues/hits"


@dataclass
class Hook:
    """`answers` are the statuses of the next requests, then 200."""

    url: str = ""
    answers: list[int] = field(default_factory=list)
    letters: list[tuple[dict[str, str], bytes]] = field(default_factory=list)

    def told(self) -> list[tuple[str, dict[str, Any]]]:
        """What arrived: (EventDocId, the event)."""
        found = [json.loads(body) for _headers, body in self.letters]
        return [(one["EventDocId"], one["Events"][0]) for one in found]

    def kinds(self) -> list[str]:
        return [event["EventType"] for _id, event in self.told()]


def signed_by(secret: str, headers: dict[str, str], body: bytes) -> bool:
    """What the documentation tells receivers to do."""
    expected = hmac.new(secret.encode(), headers["X-Hopscribe-Timestamp"].encode() + body, hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64encode(expected).decode(), headers["X-Hopscribe-Signature"])


@contextmanager
def hook(*answers: int) -> Iterator[Hook]:
    found = Hook(answers=list(answers))

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.letters.append((dict(self.headers), body))
            self.send_response(found.answers.pop(0) if found.answers else 200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}/hook"
    try:
        yield found
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def spec(destination: str, transport: str = "SNS", *kinds: str, version: str = "2014-08-15") -> dict[str, Any]:
    wanted = list(kinds) or KINDS
    return {"Destination": destination, "Transport": transport, "Version": version, "EventTypes": wanted}


def hit_of(client: Any, hit_type: str, **more: Any) -> str:
    wanted = {"LifetimeInSeconds": 3600, "Question": QUESTION} | more
    return str(client.create_hit_with_hit_type(HITTypeId=hit_type, **wanted)["HIT"]["HITId"])
