"""A marketplace that the project is connected to, and batches launched there.

`elsewhere` is the marketplace, `connection` how the project reaches it, `abroad` an open batch of four HITs there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from annotation.marketplaces.flow.connections import Patience
from tests.batches import create_batch
from tests.marketplaces.fake_mturk import FakeMTurk

NOW = timedelta(0)
QUICK = Patience(
    lag=NOW, lease=timedelta(seconds=30), timeout=2.0, rate=1e6, first_delay=0.0, longest_delay=0.0, rest=NOW
)


@pytest.fixture
def requester(alice: Any) -> Client:
    """Alice's browser, signed in."""
    client = Client()
    client.force_login(alice)
    return client


@pytest.fixture
def elsewhere() -> Iterator[FakeMTurk]:
    with FakeMTurk() as opened:
        yield opened


@pytest.fixture
def connection(project: Any, elsewhere: FakeMTurk) -> Any:
    from annotation.flow.money import ledger
    from annotation.marketplaces.flow import connections

    ledger.deposit(project, Decimal(1000), key="start")
    return connections.add(
        project,
        "elsewhere",
        preset="other",
        endpoint_url=elsewhere.url,
        key_id="AKIATEST",
        secret="a test's own secret",
    )


@pytest.fixture
def launched(project: Any, dataset: Any, connection: Any) -> Callable[..., Any]:
    """Makes a launched batch on the marketplace; `settings` as for create_batch."""
    from annotation.flow.batches import batch_launch

    def launch(name: str = "abroad", **settings: Any) -> Any:
        chosen = {"task": "answer", "instructions": "Read.", "reward": Decimal("0.40"), "assignments_per_hit": 2}
        chosen |= {"expected_seconds": 60, "marketplace": connection} | settings
        batch = create_batch(project, name, datasets=[dataset], **chosen)
        batch_launch.launch(batch)
        return batch

    return launch


@pytest.fixture
def abroad(launched: Callable[..., Any]) -> Any:
    return launched()


@pytest.fixture
def published(abroad: Any, connection: Any) -> Any:
    """`abroad` with all its HITs there."""
    from annotation.marketplaces.flow import publications

    publications.send_due(connection, patience=QUICK)
    return abroad
