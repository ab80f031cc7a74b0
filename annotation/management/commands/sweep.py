"""Carry out what is due: background jobs and leases that are over."""

from typing import Any

from annotation.jobs import work_off
from annotation.management.door import Door


class Command(Door):
    help = "Do every background job that is due and give back every lease that is over, once."

    def act(self, **options: Any) -> dict[str, Any]:
        return {"jobs": work_off()}
