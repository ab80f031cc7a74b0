"""An emulated Prolific over HTTP, each exchange with it checked against the published descriptions where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import pytest
from prolific_emulator import submissions
from prolific_emulator.server import Emulator, Exchange
from prolific_emulator.world import Submission, World

from annotation.marketplaces.base import Endpoint
from annotation.marketplaces.prolific.marketplace import Prolific
from annotation.marketplaces.study_base import Outcome, StudySpec
from tests.prolific_emulator import interface

TOKEN = "canary-token"
CODES = {outcome.value: f"CODE{place}" for place, outcome in enumerate(Outcome)}
SPEC = StudySpec(
    token="a1b2c3",
    name="Wells and towers",
    description="Read and answer.",
    url="https://annotate.example.org/visit/a1b2c3/",
    reward=Decimal("1.50"),
    places=3,
    minutes=8,
    max_minutes=30,
    codes=CODES,
)


@pytest.fixture
def emulator() -> Iterator[Emulator]:
    """It is checked against the interface where its description is here; `pytest.skip` would hide the rest."""
    said: list[str] = []

    def check(exchange: Exchange) -> None:
        said.extend(interface.violations(exchange))

    with Emulator(World(token=TOKEN, seed=7), watch=check if interface.is_here() else None) as opened:
        yield opened
    assert said == []


@pytest.fixture
def prolific(emulator: Emulator) -> Prolific:
    return client_for(emulator)


def client_for(emulator: Emulator, **more: Any) -> Prolific:
    terms: dict[str, Any] = {"timeout": 5.0, "workers": emulator.url} | more
    return Prolific(Endpoint(f"{emulator.url}/", "", "", TOKEN, **terms))


@pytest.fixture
def published(prolific: Prolific) -> str:
    study = prolific.create_study(SPEC)
    prolific.publish(study)
    return study


@pytest.fixture
def takes_part(emulator: Emulator, published: str) -> Callable[..., Submission]:
    """A participant comes; `code` is that with which they return, None while they are still working."""

    def take_part(who: str = "b" * 24, code: str | None = "CODE0") -> Submission:
        with emulator.world.lock:
            one = submissions.reserve(emulator.world, emulator.world.studies[published], who)
            submissions.start(emulator.world, one)
            if code is not None:
                submissions.complete(emulator.world, one, code)
        return one

    return take_part
