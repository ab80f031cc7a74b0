"""Messages of commands about database errors, with what to do."""

from __future__ import annotations

import os
from pathlib import Path

from django.db import DatabaseError, connection

LOCKED = ("database is locked", "database table is locked", "lock timeout")


def why_broken(broken: DatabaseError) -> str:
    told = str(broken).strip()
    if not any(words in told for words in LOCKED):
        return f"{told}. Is the database running and migrated? Run: manage.py migrate"
    users = others_using(Path(str(connection.settings_dict["NAME"]))) if connection.vendor == "sqlite" else []
    who = f" It is open in {', '.join(users)}." if users else ""
    return f"The database is busy: another process has been writing for too long.{who} Nothing was changed. Try again."


def others_using(file: Path) -> list[str]:
    """Other processes that have the file open, as "process 17 (manage.py sweep)"; only on Linux."""
    if not file.exists():
        return []
    found = []
    for process in sorted(Path("/proc").glob("[0-9]*"), key=lambda path: int(path.name)):
        if int(process.name) != os.getpid() and _has_open(process, file):
            found.append(f"process {process.name} ({_command(process)})")
    return found


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
