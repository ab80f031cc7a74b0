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

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The counts, and what was left out only where something was."""
        left_out = result["left_out"]
        gone = f"left out, because they are gone though a job still wants them: {', '.join(left_out)}"
        return [*super().lines({k: v for k, v in result.items() if k != "left_out"}), *([gone] if left_out else [])]
