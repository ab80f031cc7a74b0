"""Webhooks of the project."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Iterator, Sequence
from typing import Any

from hopscribe_client.connection import JSON, Collection, Connection, Resource
from hopscribe_client.rows import Rows


class Webhook(Resource):
    """A webhook as last loaded. `secret` is set only just after it was created."""

    PATH = "webhooks/{id}/"

    def __init__(self, connection: Connection, root: str, facts: JSON, secret: str = "") -> None:
        super().__init__(connection, root, facts)
        self.secret = secret

    def __repr__(self) -> str:
        return f"<Webhook {self.facts['url']}>"

    def change(self, **settings: Any) -> Webhook:
        """url, kinds, note, active."""
        self.facts = self._connection.write("PATCH", self._path, settings)
        return self

    def test(self) -> JSON:
        """Send a test event; `deliveries` shows the result."""
        return self._connection.write("POST", f"{self._path}test/")

    def deliveries(self, *, state: str | None = None) -> Rows:
        """Deliveries of the last two weeks, newest first; `state`: due, delivered or failed."""
        return Rows(lambda: self._connection.pages(f"{self._path}deliveries/", {"state": state}), "deliveries")

    def send_again(self, delivery: JSON) -> JSON:
        """Retry a delivery that failed or waits."""
        return self._connection.write("POST", f"{self._path}deliveries/{delivery['id']}/again/")

    def rotate(self) -> Webhook:
        """Replace the secret, which is then in `secret`; the former one also signs for a day."""
        secret = _secret()
        self.facts = self._connection.write("POST", f"{self._path}rotate/", {"secret": secret})
        self.secret = secret
        return self

    def remove(self) -> None:
        self._connection.write("DELETE", self._path)


class Webhooks(Collection):
    """The webhooks of the project."""

    def __repr__(self) -> str:
        return f"<Webhooks of {self._root}: iterate, .add(url, kinds=)>"

    def __iter__(self) -> Iterator[Webhook]:
        for facts in self._connection.pages(f"{self._root}webhooks/"):
            yield Webhook(self._connection, self._root, facts)

    def add(self, url: str, *, kinds: Sequence[str], note: str = "") -> Webhook:
        """Add a webhook; `kinds` are progress, submission, aggregate, pay, batch and job. Keep its `secret`."""
        secret = _secret()
        body = {"url": url, "kinds": list(kinds), "note": note, "secret": secret}
        return Webhook(
            self._connection, self._root, self._connection.write("POST", f"{self._root}webhooks/", body), secret
        )


def _secret() -> str:
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
