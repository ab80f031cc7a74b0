"""A project's home: progress of batches, and open work as far as the viewer's role allows."""

from __future__ import annotations

from typing import Any

from django.db.models import Max
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timesince import timeuntil
from django.utils.timezone import now
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from annotation.flow.projects import overview
from annotation.flow.projects.overview import Progress, Wait
from annotation.models import BatchReport, Project
from annotation.pure.people import roles

# what waits: (what a viewer must be allowed, the page that it leads to, in words)
WAITS = {
    "approvals": (roles.PAY, "approvals", gettext_noop("to approve")),
    "review": (roles.REVIEW, "review", gettext_noop("to review")),
    "adjudicate": (roles.REVIEW, "adjudicate", gettext_noop("to adjudicate")),
    "gold": (roles.REVIEW, "gold", gettext_noop("gold in doubt")),
    "problem_reports": (roles.REVIEW, "problem-reports", gettext_noop("problem reports")),
    "requests": (roles.PEOPLE, "qualification-requests", gettext_noop("qualification requests")),
    "messages": (roles.PEOPLE, "messages", gettext_noop("unread messages")),
}


def now_of(project: Project, may: frozenset[str]) -> dict[str, Any]:
    """The part that changes while people work, for polling."""
    running = overview.running(project)
    totals = overview.totals(project)
    return {
        "totals": totals,
        "purse": overview.purse(project) if roles.PAY in may else None,
        "waits": _waits(project, may),
        "batches": _rows(project, running),
        "more": max(0, totals["batches"] - len(running)),
        "rounds": overview.rounds(project),
    }


def _rows(project: Project, running: list[Progress]) -> list[dict[str, Any]]:
    keys = [one.batch.pk for one in running]
    made = BatchReport.objects.filter(batch__in=keys).order_by().values("batch").annotate(at=Max("created_at"))
    reports = {row["batch"]: row["at"] for row in made}
    return [
        {
            "batch": one.batch,
            "progress": one,
            "datasets": sorted(each.slug for each in one.batch.datasets.all()),
            "left": timeuntil(now() + one.left, depth=1) if one.left else "",
            "report": reports.get(one.batch.pk),
        }
        for one in running
    ]


def _waits(project: Project, may: frozenset[str]) -> list[dict[str, Any]]:
    found = [_wait(project, one) for one in overview.waiting(project) if WAITS[one.kind][0] in may]
    pressing = [one for one in found if one["due"]]
    return sorted(pressing, key=lambda one: one["due"]) + [one for one in found if not one["due"]]


def _wait(project: Project, one: Wait) -> dict[str, Any]:
    _act, page, words = WAITS[one.kind]
    of = one.of or {"slug": "", "title": ""}
    if one.kind == "approvals":
        url = f"{reverse(page, args=[project.slug])}?{urlencode({'batch': of['slug']})}"
    else:
        url = reverse(page, args=[project.slug, *([of["slug"]] if of["slug"] else [])])
    if one.kind == "messages":
        url += "?show=new"
    told = {"count": one.count, "what": _(words), "of": of["title"], "url": url, "as_of": one.as_of, "due": one.due}
    return told | {"pressing": bool(one.due and one.due - now() < overview.PRESSING)}
