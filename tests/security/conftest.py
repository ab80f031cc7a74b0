"""The fixture of all security tests: a site with something behind every address."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import pytest

from annotation.flow.batches import practice_progress
from annotation.models import User
from annotation.pure.data.example import Example
from tests.conftest import records
from tests.security import keeping
from tests.security.world import World, build

GOOD_FOR = 240  # seconds: news, undos and leases in it run out as everywhere


@dataclass
class Built:
    """The process's one world as it was when it was built; `rows` are all that it consists of."""

    world: World
    rows: keeping.Rows
    at: float


@pytest.fixture(scope="session")
def built() -> list[Built]:
    """The last world that was built; empty before the first."""
    return []


@pytest.fixture
def world(
    db: None, built: list[Built], tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> World:
    """Built once in a while, since that takes a second; each test begins with the same rows."""
    exercise = Example.from_json(records(1)[0])
    monkeypatch.setattr(practice_progress, "practice", lambda *_: (exercise,))
    if built and time.monotonic() < built[0].at + GOOD_FOR:
        keeping.put(built[0].rows)
    else:
        before = keeping.rows()
        world = build(tmp_path_factory.mktemp("world"))
        built[:] = [Built(world, keeping.without(keeping.rows(), before), time.monotonic())]
    world = built[0].world
    users = {user.username: user for user in User.objects.filter(username__in=world.users)}
    return replace(world, users=users, wells=dict(world.wells), springs=dict(world.springs))
