"""Write a backup of the database and the uploads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from annotation.flow.backing_up import back_up
from annotation.management.door import Door


class Command(Door):
    help = "Write the database, as of one moment, and the uploads into one archive (.tar.gz)."

    def add(self, parser: Any) -> None:
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def act(self, **options: Any) -> dict[str, Any]:
        return back_up(options["out"])
