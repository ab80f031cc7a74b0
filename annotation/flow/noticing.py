"""HITs of MTurk's protocol that expired or became reviewable are noticed, once each time: told, and compared.

Work brings it about, or time alone, so a sweep looks for what nobody noticed. Lock order: HIT, listing.
"""

from __future__ import annotations

from django.db import transaction
from django.db.models import F, Q
from django.db.models.functions import Now

from annotation.flow import holding, judging, notifying
from annotation.models import Hit, Listing
from annotation.pure import hit_status

OVER = {hit_status.REVIEWABLE, hit_status.REVIEWING}


@transaction.atomic
def notice(hit_id: int) -> None:
    """Tell whoever asked that the HIT expired or became reviewable, and apply its review policy, if that is new."""
    list(Hit.objects.select_for_update(no_key=True).filter(pk=hit_id).values_list("pk"))
    locked = Listing.objects.select_for_update(of=("self",), no_key=True).filter(hit=hit_id, deleted_at__isnull=True)
    row = holding.standing(locked).first()
    if row is None:
        return
    hit, mine = row.hit, Listing.objects.filter(pk=row.pk)
    if row.expired and hit.closes_at is not None and row.expiry_noticed != hit.closes_at:
        mine.update(expiry_noticed=hit.closes_at)
        notifying.tell(notifying.EXPIRED, hit)
    mark = hit.wanted + hit.done
    if hit_status.status(holding.stand(row)) in OVER and row.reviewable_noticed != mark:
        mine.update(reviewable_noticed=mark)
        notifying.tell(notifying.REVIEWABLE, hit)
        judging.judge_hit(row)


def notice_due(*, limit: int = 500) -> None:
    """Notice what time brought about in HITs that somebody asked to be told of, or to have compared."""
    ended = Q(hit__closes_at__lte=Now()) & (Q(expiry_noticed=None) | ~Q(expiry_noticed=F("hit__closes_at")))
    mark = F("hit__wanted") + F("hit__done")
    over = notifying.reviewable() & (Q(reviewable_noticed=None) | ~Q(reviewable_noticed=mark))
    watched = Q(hit_policy__isnull=False) | Q(hit__batch__hit_type__notification__active=True)
    due = Listing.objects.present().filter(watched, ended | over)
    for hit_id in list(due.values_list("hit_id", flat=True)[:limit]):
        notice(hit_id)
