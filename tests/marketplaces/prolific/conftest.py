"""A project whose batch is a study on an emulated Prolific."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from prolific_emulator.faults import Faults
from prolific_emulator.server import Emulator
from prolific_emulator.world import World

from annotation.flow.money import ledger
from annotation.marketplaces.models import BatchMarketplace
from annotation.models import Batch
from tests.flow.acting import dataset_of, launched
from tests.marketplaces.prolific.panel import Panel
from tests.prolific_emulator.conftest import TOKEN
from tests.replaying import replayed


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    with Emulator(World(token=TOKEN, seed=5), Faults(seed=5)) as opened:
        yield opened


@pytest.fixture
def make_panel(emulator: Emulator, project: Any, tmp_path: Path) -> Callable[..., Panel]:
    def make(size: int = 4, per_hit: int = 9, **options: str) -> Panel:
        ledger.deposit(project, Decimal(5000), key="start")

        def opened() -> Batch:
            dataset = dataset_of(project, tmp_path, name="panel", size=size)
            return launched(project, "panel", dataset, assignments_per_hit=per_hit)

        batch = replayed(f"panel of {size} for {per_hit}", opened, project)
        return Panel(emulator, batch, **options)

    return make


@pytest.fixture
def make_paying(make_panel: Callable[..., Panel]) -> Callable[..., Panel]:
    """A panel whose batch pays through it."""

    def make(**options: str) -> Panel:
        panel = make_panel(**options)
        BatchMarketplace.objects.create(batch=panel.batch, connection=panel.connection)
        Batch.objects.update(on_marketplace=True, reward=Decimal("1.50"), auto_approval=3600)
        panel.batch.hits.update(reward=Decimal("1.50"), promised=Decimal("1.50"))
        panel.batch.refresh_from_db()
        return panel

    return make


@pytest.fixture
def paying(make_paying: Callable[..., Panel]) -> Panel:
    return make_paying()


@pytest.fixture
def panel(make_panel: Callable[..., Panel]) -> Panel:
    return make_panel()


@pytest.fixture
def signed_in(alice: Any) -> Client:
    """The requester's browser."""
    browser = Client()
    browser.force_login(alice)
    return browser
