"""The fixture of all security tests: a site with something behind every address."""

from __future__ import annotations

from pathlib import Path

import pytest

from annotation.flow import practising
from annotation.pure.example import Example
from tests.conftest import records
from tests.security.world import World, build


@pytest.fixture
def world(db: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    exercise = Example.from_json(records(1)[0])
    monkeypatch.setattr(practising, "practice", lambda kind: (exercise,))
    return build(tmp_path)
