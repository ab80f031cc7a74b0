"""What takes long to make and is the same for all: made once for all processes of a test run."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

import pytest


def shared(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], None]) -> Path:
    """A folder of the run that `make` fills; whoever asks while another process does so waits for it.

    TESTS_SHARED names a folder for several runs of the same tree, such as the parts of `make test`.
    """
    base = folders.getbasetemp()
    root = base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base
    root = Path(os.environ.get("TESTS_SHARED", root))
    folder, growing = root / name, root / f"{name}-growing"
    with (root / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            growing.mkdir()
            make(growing)
            growing.rename(folder)
    return folder
