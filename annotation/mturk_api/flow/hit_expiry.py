"""Events of HITs that expired or became reviewable, each noticed once: notifications and review policies.

This can happen by time alone, so a sweep looks for unnoticed ones. Lock order: HIT, listing.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from annotation.models import Hit
from annotation.mturk_api.flow import hit_funds, notification_events, policy_checks
from annotation.mturk_api.models import Listing
from annotation.pure.mturk import hit_status

OVER = {hit_status.REVIEWABLE, hit_status.REVIEWING}


@transaction.atomic
def notice(hit_id: int) -> None:
    """If the HIT newly expired or became reviewable, write notifications and apply its review policy."""
    # Lock, the HIT before its listing, so that expiry and review policy take effect once.
    list(Hit.objects.select_for_update(no_key=True).filter(pk=hit_id).values_list("pk"))
    locked = Listing.objects.select_for_update(of=("self",), no_key=True).filter(hit=hit_id, deleted_at__isnull=True)
    row = hit_funds.standing(locked).first()
    if row is None:
        return
    hit, mine = row.hit, Listing.objects.filter(pk=row.pk)
    if row.expired and hit.closes_at is not None and row.expiry_noticed != hit.closes_at:
        mine.update(expiry_noticed=hit.closes_at)
        notification_events.record_event(notification_events.EXPIRED, hit)
    mark = hit.wanted + hit.done
    if hit_status.status(hit_funds.stand(row)) in OVER and row.reviewable_noticed != mark:
        mine.update(reviewable_noticed=mark)
        notification_events.record_event(notification_events.REVIEWABLE, hit)
        policy_checks.judge_hit(row)


def notice_due(*, limit: int = 500) -> None:
    """Notice expired and reviewable HITs with notifications or a review policy."""
    ended = Q(hit__closes_at__lte=Now()) & (Q(expiry_noticed=None) | ~Q(expiry_noticed=F("hit__closes_at")))
    mark = F("hit__wanted") + F("hit__done")
    over = notification_events.reviewable() & (Q(reviewable_noticed=None) | ~Q(reviewable_noticed=mark))
    watched = Q(hit_policy__isnull=False) | Q(hit__batch__hit_type__notification__active=True)
    due = Listing.objects.present().filter(watched, ended | over)
    for hit_id in list(due.values_list("hit_id", flat=True)[:limit]):
        notice(hit_id)
