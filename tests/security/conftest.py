"""The fixture of all security tests: a site with something behind every address."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.security.world import World, build


@pytest.fixture
def world(db: None, tmp_path: Path) -> World:
    return build(tmp_path)
