"""Real records of public datasets, which lie beside the repository and never in it."""

from __future__ import annotations

from pathlib import Path

import pytest

_FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"


def shared_data(name: str) -> Path:
    """The path of a file of real records; skips the test where the folder is missing."""
    path = _FOLDER / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path
