"""Fill an empty installation from a backup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow.backing_up import restore
from annotation.management.door import Door


class Command(Door):
    help = "Fill the empty database and the empty folder that the settings name from a backup."

    def add(self, parser: Any) -> None:
        parser.add_argument("archive", type=Path, metavar="FILE")

    def act(self, **options: Any) -> dict[str, Any]:
        return restore(options["archive"])
