"""HITs that expired or became reviewable, each noticed once and handled: notifications and review policies.

This can happen by time alone, so a sweep looks for unnoticed ones. Lock order: HIT, listing.
"""

from typing import Any

from django.db import transaction
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, Q
from django.db.models.expressions import Combinable
from django.db.models.functions import Now

from annotation.flow.money import ledger
from annotation.flow.review import assignment_approval
from annotation.flow.work import leases
from annotation.models import Hit, Project
from annotation.mturk_api.flow import hit_funds, notifications, policy_checks
from annotation.mturk_api.models import Listing
from annotation.pure.mturk import hit_status

OVER = {hit_status.REVIEWABLE, hit_status.REVIEWING}


@transaction.atomic
def notice(hit_id: int) -> None:
    """If the HIT newly expired or became reviewable, write notifications and apply its review policy."""
    # Lock, the HIT before its listing, so that expiry and review policy take effect once.
    list(Hit.objects.select_for_update(no_key=True).filter(pk=hit_id).values_list("pk"))
    locked = Listing.objects.select_for_update(of=("self",), no_key=True).filter(hit=hit_id, deleted_at__isnull=True)
    row = hit_funds.with_hit_state(locked).first()
    if row is None:
        return
    hit, listing = row.hit, Listing.objects.filter(pk=row.pk)
    if row.expired and hit.closes_at is not None and row.expiry_noticed != hit.closes_at:
        listing.update(expiry_noticed=hit.closes_at)
        notifications.record_event(notifications.EXPIRED, hit)
    mark = hit.wanted + hit.done
    if hit_status.status(hit_funds.state_of(row)) in OVER and row.reviewable_noticed != mark:
        listing.update(reviewable_noticed=mark)
        notifications.record_event(notifications.REVIEWABLE, hit)
        policy_checks.judge_hit(row)


def notice_due(*, limit: int = 500) -> None:
    """Notice expired and reviewable HITs with notifications or a review policy."""
    ended = Q(hit__closes_at__lte=Now()) & (Q(expiry_noticed=None) | ~Q(expiry_noticed=F("hit__closes_at")))
    mark = F("hit__wanted") + F("hit__done")
    over = notifications.reviewable() & (Q(reviewable_noticed=None) | ~Q(reviewable_noticed=mark))
    watched = Q(hit_policy__isnull=False) | Q(hit__batch__hit_type__notification__active=True)
    due = Listing.objects.present().filter(watched, ended | over)
    for hit_id in list(due.values_list("hit_id", flat=True)[:limit]):
        notice(hit_id)


AT_ONCE = 200


def is_behind(project: Any) -> Combinable:
    """Whether `catch_up` has something to do in the project, for an annotation."""
    of_mturk = _of_mturk(project)
    overdue = leases.overdue().filter(**of_mturk)
    approvals = assignment_approval.due_for_approval().filter(**of_mturk)
    return ExpressionWrapper(
        Exists(hit_funds.due(project)) | Exists(overdue) | Exists(approvals), output_field=BooleanField()
    )


def _of_mturk(project: Any) -> dict[str, Any]:
    """Filters of assignments: those of the project's HITs of the MTurk API."""
    return {"batch__project": project, "batch__hit_type__isnull": False}


def catch_up(project: Project) -> None:
    """In one project, expire overdue leases, approve what is due, and handle expired HITs."""
    of_mturk = _of_mturk(project)
    while leases.expire_due(limit=AT_ONCE, **of_mturk) == AT_ONCE:
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
