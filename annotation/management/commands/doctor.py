"""Look over the installation and say how to mend what is not well."""

from __future__ import annotations

from typing import Any

from django.conf import settings

from annotation.celery import broker_trouble
from annotation.flow.diagnosing import Finding, examine
from annotation.flow.refusal import Refused
from annotation.management.door import Door


class Unwell(Refused):
    """Something is to be mended; `report` says what and how."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        super().__init__(f"{sum(not row['well'] for row in report['parts'])} to mend")


class Command(Door):
    help = "Check database, settings, disk, clock, jobs, broker, marketplaces; say how to mend each."

    def act(self, **options: Any) -> dict[str, Any]:
        found = [*examine(), broker()]
        rows = [{"part": f.part, "well": f.well, "told": f.told, "mend": "" if f.well else f.mend} for f in found]
        report = {"parts": rows}
        if not all(f.well for f in found):
            raise Unwell(report)
        return report

    def lines(self, result: dict[str, Any]) -> list[str]:
        lines = []
        for row in result["parts"]:
            lines.append(f"{'ok   ' if row['well'] else 'MEND '} {row['part']}: {row['told']}")
            lines += [f"        {row['mend']}"] if row["mend"] else []
        return lines


def broker() -> Finding:
    """Whether the broker answers, where one is set."""
    if settings.EMBEDDED_JOBS:
        return Finding("broker", True, "none is set; each web process does background jobs")
    trouble = broker_trouble()
    told = f"does not answer: {trouble}" if trouble else "answers"
    return Finding("broker", not trouble, told, "Start it, or correct CELERY_BROKER_URL.")
