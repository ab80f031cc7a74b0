"""Bring the database up to this release, or leave it as it was."""

from typing import Any

from annotation.management.json_command import JSONCommand
from annotation.operations.upgrade import bring_up_to_date


class Command(JSONCommand):
    help = "Copy the database, then migrate it to this release; if that fails, put the copy back."

    def act(self, **options: Any) -> dict[str, Any]:
        return bring_up_to_date()
