"""What a seed owns is its own, whatever else runs on the machine."""

from __future__ import annotations

import tempfile
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.simulation import seams


def test_folders_of_another_run_with_the_same_seed_change_no_chance(
    settings: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    drawn = []
    for home in ("one", "another"):
        settings.VAR = tmp_path / home
        settings.VAR.mkdir()
        chance = Random(1)
        with seams.seeded(chance, seams.Clock()):
            drawn.append((Path(tempfile.mkdtemp()).name, chance.random()))
    assert drawn[0] == drawn[1]
