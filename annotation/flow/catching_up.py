"""What time has brought about for the HITs of the wire, done at the latest when somebody looks.

Whether the sweeper ran makes no difference to what a requester's script is told.
"""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Now

from annotation.flow import approving, assigning, holding, ledger
from annotation.models import Listing, Project

AT_ONCE = 200


def catch_up(project: Project) -> None:
    """Give back leases that are over, pay what nobody decided on in time, and act on what expired, in one project."""
    of_wire: dict[str, Any] = {"batch__project": project, "batch__hit_type__isnull": False}
    while assigning.expire_due(limit=AT_ONCE, **of_wire) == AT_ONCE:
        pass
    while _lapse(project) == AT_ONCE:
        pass
    while _approve(of_wire) == AT_ONCE:
        pass


def _lapse(project: Project) -> int:
    """Act on some listings that time has changed; returns on how many."""
    rows = list(holding.due(project)[:AT_ONCE])
    for row in rows:
        holding.lapse(row)
    return len(rows)


def _approve(of_wire: dict[str, Any]) -> int:
    """Approve some of what is due, until the budget is used up; returns how many."""
    done = 0
    for assignment in approving.due_for_approval().filter(**of_wire)[:AT_ONCE]:
        try:
            approving.approve(assignment, source="auto")
        except ledger.Overdrawn:
            return done
        done += 1
    return done


def lapse_due(*, limit: int = 500) -> int:
    """Act on listings of any project that time has changed; returns how many. Safe to run anywhere, twice."""
    projects = Listing.objects.filter(due_at__lte=Now()).values_list("project", flat=True).distinct()
    return sum(_lapse(project) for project in Project.objects.filter(pk__in=list(projects[:limit])))
