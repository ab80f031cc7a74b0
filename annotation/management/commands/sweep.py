"""Run due background jobs and expire overdue leases."""

from typing import Any

from annotation.jobs import run_due_work
from annotation.management.json_command import JSONCommand


class Command(JSONCommand):
    help = "Run every background job that is due and expire every overdue lease, once."

    def act(self, **options: Any) -> dict[str, Any]:
        return {"jobs": run_due_work()}
