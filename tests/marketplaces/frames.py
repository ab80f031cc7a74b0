"""A batch on a marketplace as the tests of its frame have it: published, and shown to workers who have no cookies."""

from __future__ import annotations

import re
from datetime import timedelta
from decimal import Decimal
from typing import Any

from django.test import Client
from django.utils import timezone

from annotation.flow.money import ledger
from annotation.marketplaces.flow import arrivals
from annotation.marketplaces.flow.arrivals import Entry
from annotation.marketplaces.models import BatchMarketplace, Connection, Publication
from annotation.models import Batch, Hit

ORIGIN = "https://market.example"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


def publish(batch: Batch, *, origin: str = ORIGIN) -> Connection:
    """Put the batch on a marketplace: a connection, and a publication of each of its HITs, paid 0.25."""
    connection = Connection.objects.create(
        project=batch.project, name="market", endpoint_url="https://api.market.example", worker_origin=origin,
        key_id="AKIATEST", secret="not a secret",
    )  # fmt: skip
    Batch.objects.filter(pk=batch.pk).update(on_marketplace=True, auto_approval=604_800, reward="0.25")
    BatchMarketplace.objects.create(batch=batch, connection=connection)
    Hit.objects.filter(batch=batch).update(reward="0.25", promised="0.25")
    for hit in Hit.objects.filter(batch=batch):
        Publication.objects.create(
            hit=hit, connection=connection, annotation=f"test:{hit.pk}", reward="0.25", wanted=hit.wanted,
            closes_at=timezone.now() + timedelta(days=7), state="published", external_id=f"3HIT{hit.pk}",
        )  # fmt: skip
    ledger.deposit(batch.project, Decimal(100), key=f"budget-{batch.pk}")
    batch.refresh_from_db()
    return connection


def sent(hit: Hit, worker: str = "AWORKER1", assignment: str = "3ASSIGNMENT1", **other: str) -> dict[str, str]:
    """What the marketplace adds to the address."""
    return {
        "k": arrivals.signature(hit),
        "assignmentId": assignment,
        "hitId": hit.publication.external_id,
        "workerId": worker,
        "turkSubmitTo": hit.publication.connection.worker_origin,
    } | other


def entry(published: Hit, worker: str = "AWORKER1", assignment: str = "3ASSIGNMENT1", **other: str) -> Entry:
    said = {"assignment": assignment, "worker": worker, "hit": published.publication.external_id, "submit_to": ORIGIN}
    return Entry(**(said | other))


class Frame:
    """The iframe of one worker on one HIT: no cookies, every act a form with the page's token."""

    def __init__(self, hit: Hit, **who: str) -> None:
        self.client = Client(enforce_csrf_checks=True)
        self.hit, self.who = hit, who
        self.page: Any = None

    def open(self, **other: str) -> Any:
        self.page = self.client.get(f"/frame/{self.hit.public_id}/", sent(self.hit, **self.who) | other)
        return self.page

    @property
    def token(self) -> str:
        return TOKEN.search(self.page.content.decode())[1]

    def act(self, act: str, **fields: Any) -> Any:
        """POST an act with the page's token; a redirect leads back to the frame's page."""
        given = {"csrfmiddlewaretoken": self.token} | fields
        reply = self.client.post(f"/frame/{self.hit.public_id}/{act}/", given)
        if reply.status_code == 303:
            assert reply["Location"].startswith(arrivals.frame_path(self.hit))
            reply = self.client.get(reply["Location"])
        if reply.status_code in {200, 422} and "json" not in reply["Content-Type"]:
            self.page = reply
        return reply

    def begin(self) -> Any:
        """Agree and read the guide, to the task's page."""
        self.open()
        while b"/consent/" in self.page.content:
            self.act("consent", version="1")
        while b"/instructions/" in self.page.content:
            self.act("instructions", version="1")
        return self.page
