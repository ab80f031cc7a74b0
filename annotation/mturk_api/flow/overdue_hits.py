"""Handle HITs of the MTurk API that are overdue, at the latest when a request asks for them.

So responses of the API do not depend on whether a sweep ran.
"""

from __future__ import annotations

from typing import Any

from django.db.models.functions import Now

from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.flow.work import next_assignment
from annotation.models import Project
from annotation.mturk_api.flow import hit_funds
from annotation.mturk_api.models import Listing

AT_ONCE = 200


def catch_up(project: Project) -> None:
    """In one project, expire overdue leases, approve what is due, and handle expired HITs."""
    of_mturk: dict[str, Any] = {"batch__project": project, "batch__hit_type__isnull": False}
    while next_assignment.expire_due(limit=AT_ONCE, **of_mturk) == AT_ONCE:
        pass
    while _lapse(project) == AT_ONCE:
        pass
    while _approve(of_mturk) == AT_ONCE:
        pass


def _lapse(project: Project) -> int:
    """Handle some overdue listings; returns how many."""
    rows = list(hit_funds.due(project)[:AT_ONCE])
    for row in rows:
        hit_funds.lapse(row)
    return len(rows)


def _approve(of_mturk: dict[str, Any]) -> int:
    """Approve some due assignments, until the budget is used up; returns how many."""
    done = 0
    for assignment in assignment_approval.due_for_approval().filter(**of_mturk)[:AT_ONCE]:
        try:
            assignment_approval.approve(assignment, source="auto")
        except ledger.Overdrawn:
            return done
        done += 1
    return done


def lapse_due(*, limit: int = 500) -> int:
    """Handle overdue listings of any project; returns how many. A sweep: safe to run anywhere and twice."""
    projects = Listing.objects.filter(due_at__lte=Now()).values_list("project", flat=True).distinct()
    return sum(_lapse(project) for project in Project.objects.filter(pk__in=list(projects[:limit])))
