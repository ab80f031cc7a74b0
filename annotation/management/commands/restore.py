"""Restore a backup into an empty installation."""

from pathlib import Path
from typing import Any

from annotation.management.json_command import JSONCommand
from annotation.operations.restore import restore


class Command(JSONCommand):
    help = (
        "Restore a backup into the configured database and HOPSCRIBE_VAR, which must be empty. An interrupted restore "
        "continues when it is run again."
    )

    def add(self, parser: Any) -> None:
        parser.add_argument("archive", type=Path, metavar="FILE", help="archive, or copy in HOPSCRIBE_VAR/backups")

    def act(self, **options: Any) -> dict[str, Any]:
        return restore(options["archive"])
