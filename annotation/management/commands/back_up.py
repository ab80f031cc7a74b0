"""Write a backup of the database and the uploads."""

from pathlib import Path
from typing import Any

from annotation.management.json_command import JSONCommand
from annotation.operations.backup import back_up


class Command(JSONCommand):
    help = "Write a consistent copy of the database and the uploads into one archive (.tar.gz)."

    def add(self, parser: Any) -> None:
        parser.add_argument("--out", required=True, type=Path, metavar="FILE")

    def act(self, **options: Any) -> dict[str, Any]:
        return back_up(options["out"])

    def lines(self, result: dict[str, Any]) -> list[str]:
        """The counts, and the uploads that are missing, if any."""
        left_out = result["left_out"]
        gone = f"not in the backup, because the file is gone although a job needs it: {', '.join(left_out)}"
        return [*super().lines({k: v for k, v in result.items() if k != "left_out"}), *([gone] if left_out else [])]
