"""The double of the Hub, to which the library is pointed."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from huggingface_hub import constants

from tests.hub import double
from tests.hub.double import Hub
from tests.management.conftest import Run, run, study, wells

__all__ = ["Run", "run", "study", "wells"]


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    """A Hub on this machine, and nobody's token."""
    with double.serving() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.address)
        monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.setattr(constants, "HF_TOKEN_PATH", "/nonexistent/token")
        yield hub
