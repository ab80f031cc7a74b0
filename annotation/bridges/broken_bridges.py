"""Find bridges that people judged different, close the HITs that contain them, and undo that.

A submission only stores the bridge; a scheduled job closes the HITs, so that nobody waits and no lock is held. It may
run twice or end half-way: what is closed has its row, and the bridge counts as searched at the end.
"""

import hashlib
import logging

from django.db import transaction
from django.db.models import F, TextField
from django.db.models.functions import Cast, Now

from annotation.bridges.models import BrokenBridge, ClosedHit
from annotation.events import ResponseSubmitted
from annotation.flow.errors import is_busy, is_database_unavailable
from annotation.flow.projects import audit_log
from annotation.flow.review import problem_reports, review_decisions
from annotation.models import Batch, Hit
from annotation.models.fields import to_text
from annotation.pure.data import dag
from annotation.pure.derivations.bridges import BridgeKey, bridge_keys, is_broken
from annotation.registry import task_type, task_types
from annotation.tasktype import Bridging

REASON = "Workers judged that its bridge “%s” connects different entities."
ORDER = 400  # among listeners
log = logging.getLogger(__name__)
RUNNING = (Batch.State.OPEN, Batch.State.PAUSED)


def response_submitted(event: ResponseSubmitted) -> None:
    """Store the bridges that this response, if it is the HIT's last one, makes broken."""
    batch = event.assignment.batch
    task = task_type(batch.task)
    if not isinstance(task, Bridging) or not event.counts:
        return
    hit = Hit.objects.select_related("item__dataset").get(pk=event.hit.pk)
    if hit.done < hit.wanted or hit.check_item:
        return
    answers = [answer for _standing, answer in review_decisions.answers_taking_part([hit])[hit.pk]]
    counts = task.bridges(hit.payload, answers)
    keys = bridge_keys(hit.item.example)
    broken = [k for k, count in enumerate(counts) if is_broken(count)] if len(counts) == len(keys) else []
    if broken:
        rows = [_row(batch, hit, k, keys[k]) for k in broken]
        BrokenBridge.objects.bulk_create(rows, ignore_conflicts=True)


def _row(batch: Batch, hit: Hit, edge: int, key: BridgeKey) -> BrokenBridge:
    hops = hit.item.example.hops
    head, tail = (hops[place - 1] for place in dag.edges(hops)[edge])
    return BrokenBridge(
        project=batch.project,
        key=digest_of(key),
        head_id="" if head.id is None else str(head.id),
        head=head.question,
        tail=tail.question,
        entity=head.answer,
        hit=hit,
    )


def digest_of(key: BridgeKey) -> str:
    return hashlib.sha256(to_text(list(key)).encode("utf-8", "surrogatepass")).hexdigest()


def close_due() -> None:
    """Close the HITs of each bridge that was found broken since. A bridge that fails does not hold up the others."""
    for bridge in BrokenBridge.objects.filter(searched_at__isnull=True, undone_at__isnull=True).order_by("pk"):
        try:
            close(bridge)
        except Exception as error:
            if is_database_unavailable(error) and not is_busy(error):
                raise
            log.exception("closing the HITs of broken bridge %s failed and is tried again", bridge.pk)


def close(bridge: BrokenBridge) -> None:
    """Exclude every HIT with the bridge that nobody has begun, in the running batches of the project.

    Money set aside for them goes back to the budget.
    """
    kinds = [kind for kind, task in task_types().items() if isinstance(task, Bridging)]
    batches = Batch.objects.filter(project=bridge.project_id, state__in=RUNNING, task__in=kinds)
    for pk in batches.order_by("pk").values_list("pk", flat=True):
        for hit in _with_bridge(bridge, pk):
            _exclude(bridge, hit)
    BrokenBridge.objects.filter(pk=bridge.pk).update(searched_at=Now())


def _with_bridge(bridge: BrokenBridge, batch: int) -> list[Hit]:
    """HITs of the batch that nobody has begun and that contain the bridge."""
    rows = Hit.objects.filter(batch=batch, done=0, live=0, excluded_at__isnull=True, check_item=False)
    if bridge.head_id:  # the database finds what may contain it, many times quicker than Python reads each item
        stored = to_text(bridge.head_id)[1:-1]  # without quotes: an id may be a number
        rows = rows.annotate(text=Cast(F("item__content"), TextField())).filter(text__contains=stored)
    found = rows.select_related("item__dataset").defer("payload").order_by("pk")
    return [hit for hit in found.iterator(100) if bridge.key in map(digest_of, bridge_keys(hit.item.example))]


@transaction.atomic
def _exclude(bridge: BrokenBridge, hit: Hit) -> None:
    # The bridge first, so that an undo comes before or after; the batch before the HIT, as claims lock them.
    undone = BrokenBridge.objects.select_for_update(no_key=True).get(pk=bridge.pk).undone_at
    Batch.objects.select_for_update(no_key=True).get(pk=hit.batch_id)
    row = Hit.objects.select_for_update(of=("self",), no_key=True).select_related("batch__project").get(pk=hit.pk)
    if undone or row.live or row.done or row.excluded_at:
        return
    if problem_reports.exclude(row, reason=(REASON % bridge.entity)[:500]):
        ClosedHit.objects.update_or_create(hit=row, defaults={"bridge": bridge})


@transaction.atomic
def undo(bridge: BrokenBridge) -> int:
    """Restore the HITs that the bridge closed; returns how many. It closes none again.

    Raises Overdrawn if the budget does not cover them.
    """
    # Lock: `_exclude` locks it too, so it closes a HIT before this restores them, or not any more.
    row = BrokenBridge.objects.select_for_update(no_key=True).get(pk=bridge.pk)
    if row.undone_at is not None:
        return 0
    BrokenBridge.objects.filter(pk=row.pk).update(undone_at=Now())
    restored = 0
    for closed in row.closed.select_related("hit__batch__project").order_by("hit__batch_id", "hit_id"):
        restored += problem_reports.restore(closed.hit)
    row.closed.all().delete()
    audit_log.record("restored", row, number=restored)
    return restored
