"""Check the installation and say how to fix problems."""

from typing import Any

from django.conf import settings

from annotation.celery import broker_trouble
from annotation.flow.errors import Refused
from annotation.management.json_command import JSONCommand
from annotation.operations.doctor import examine
from annotation.recruitment import Finding


class Unwell(Refused):
    """At least one part needs fixing; `report` says what to do."""

    def __init__(self, report: dict[str, Any]) -> None:
        self.report = report
        super().__init__(f"{sum(not row['well'] for row in report['parts'])} to fix")


class Command(JSONCommand):
    help = "Check database, settings, disk, clock, jobs, broker and marketplaces; say how to fix each."

    def act(self, **options: Any) -> dict[str, Any]:
        found = [*examine(), broker()]
        rows = [{"part": f.part, "well": f.well, "told": f.text, "mend": "" if f.well else f.mend} for f in found]
        report = {"parts": rows}
        if not all(f.well for f in found):
            raise Unwell(report)
        return report

    def lines(self, result: dict[str, Any]) -> list[str]:
        lines = []
        for row in result["parts"]:
            lines.append(f"{'ok   ' if row['well'] else 'FIX  '} {row['part']}: {row['told']}")
            lines += [f"        {row['mend']}"] if row["mend"] else []
        return lines


def broker() -> Finding:
    """Whether the broker answers, if one is configured."""
    if settings.EMBEDDED_JOBS:
        return Finding("broker", True, "not configured; each web process runs background jobs")
    trouble = broker_trouble()
    text = f"does not answer: {trouble}" if trouble else "answers"
    return Finding("broker", not trouble, text, "Start it, or correct CELERY_BROKER_URL.")
