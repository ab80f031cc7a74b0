"""Which other processes have a file open."""

import os
from pathlib import Path


def processes_using(file: Path) -> list[str]:
    """Other processes that have the file open, as "process 17 (manage.py sweep)"; only on Linux."""
    if not file.exists():
        return []
    processes = sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name))
    others = [process for process in processes if int(process.name) != os.getpid() and _has_open(process, file)]
    return [f"process {process.name} ({_command(process)})" for process in others]


def _has_open(process: Path, file: Path) -> bool:
    try:
        return any(link.samefile(file) for link in (process / "fd").iterdir() if link.exists())
    except OSError:  # gone meanwhile, or somebody else's
        return False


def _command(process: Path) -> str:
    try:
        words = (process / "cmdline").read_bytes().decode(errors="replace").split("\0")
    except OSError:
        return "ended meanwhile"
    return " ".join(Path(word).name if place < 2 else word for place, word in enumerate(words) if word)[:80]
