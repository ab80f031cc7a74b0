"""Whether an assignment starts with its HIT's suggestion: drawn by the claim, and stored before the page is made.

The claim has taken its place in the HIT, whose row is locked therefore, as is the worker's participation; so arms are
counted by one claim at a time. The model's arm has as many assignments as the batch asks for of blind ones; all others,
as those added later, are blind.
"""

from typing import Any

from django.db.models import Count, Q, QuerySet

from annotation.models import Assignment, Batch, Hit, Participation
from annotation.models.assignment import random_seed
from annotation.pure.batches import lifecycle
from annotation.pure.statistics.suggestions import Arms, draw_suggested

SHOWN = Q(suggested=True)


def drawn(participation: Participation, hit: Hit) -> dict[str, Any]:
    """Columns of a new assignment: its seed, and whether it starts with the suggestion; none where the HIT has none."""
    batch = participation.batch
    most = _most(batch, hit.pk) if batch.suggest else None
    if most is None:
        return {}
    own = Assignment.objects.filter(worker=participation.worker_id, batch=batch, suggested__isnull=False)
    own = own.filter(state__in=[lifecycle.ACCEPTED, lifecycle.SUBMITTED])
    seed = random_seed()
    return {"seed": seed, "suggested": bool(draw_suggested(_arms_of(hit.pk), _count(own), most, str(seed)))}


def has_room(row: Assignment) -> bool:
    """Whether the HIT wants one more assignment of the arm of this one, which comes back; it locks the HIT."""
    if row.suggested is None:
        return True
    # Lock: two that come back at once would both find the arm's last room.
    list(Hit.objects.select_for_update(of=("self",), no_key=True).filter(pk=row.hit_id).values_list("pk"))
    most, there = _most(row.batch, row.hit_id), _arms_of(row.hit_id)
    if most is None:
        return True
    return there.suggested < most.suggested if row.suggested else there.blind < most.blind


def _most(batch: Batch, hit: int) -> Arms | None:
    wanted = Hit.objects.filter(pk=hit, suggestion__isnull=False).values_list("wanted", flat=True).first()
    return None if wanted is None else Arms(wanted - batch.assignments_per_hit, batch.assignments_per_hit)


def _arms_of(hit: int) -> Arms:
    return _count(Assignment.objects.filter(hit=hit, counts=True))


def _count(rows: QuerySet[Assignment]) -> Arms:
    return Arms(**rows.aggregate(blind=Count("pk", filter=~SHOWN), suggested=Count("pk", filter=SHOWN)))
