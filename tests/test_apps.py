"""The apps behind the engine can be taken out of INSTALLED_APPS, each by itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture import APPS
from tests.long_forms import first

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("app", first(1, APPS))
def test_the_engine_works_without_the_app(app: str) -> None:
    command = [sys.executable, "-m", "tests.without_app", app]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr[-4000:]
