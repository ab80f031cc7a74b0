"""Cached figures, computed from scratch: what HITs, batches and reports keep must be what their responses come to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.db import transaction
from django.db.models import F

from annotation.flow.reports import batch_scores
from annotation.flow.review import conclusions as kept
from annotation.models import Batch, BatchReport, Hit
from annotation.models.fields import to_text
from tests.simulation.world import World

SINCE = ("flow",)  # of a report: what it does not promise to be computed again for, such as returned assignments


def conclusions(_world: World) -> Iterator[str]:
    """What a HIT keeps as of its last change is what its responses come to: aggregate, standing, gold in doubt."""
    rows: defaultdict[int, list[Hit]] = defaultdict(list)
    for hit in Hit.objects.filter(concluded=F("changes"), excluded_at=None):
        rows[hit.batch_id].append(hit)
    for batch in Batch.objects.filter(pk__in=rows).select_related("project"):
        computed = kept.compute_conclusions(batch, [hit.pk for hit in rows[batch.pk]])
        for hit in rows[batch.pk]:
            stored = {name: getattr(hit, name) for name in asdict(computed[hit.pk])}
            if stored != asdict(computed[hit.pk]):
                yield f"HIT {hit.pk} keeps {stored}, its responses come to {computed[hit.pk]}"
    ahead = Hit.objects.filter(concluded__gt=F("changes"))
    yield from (f"HIT {hit.pk} was concluded at change {hit.concluded} of {hit.changes}" for hit in ahead)


def batches(_world: World) -> Iterator[str]:
    """A batch knows its size and the next ticket."""
    for batch in Batch.objects.exclude(state__in=["draft", "launching"]):
        tickets = list(batch.hits.values_list("ticket", flat=True))
        if batch.size != len(tickets):
            yield f"batch {batch.slug} says that it has {batch.size} HITs, and has {len(tickets)}"
        if tickets and batch.next_ticket <= max(tickets):
            yield f"batch {batch.slug} gives out ticket {batch.next_ticket} again"


def reports(world: World) -> Iterator[str]:
    """A report that counts as fresh is what is computed now, with the scores of its HITs; nothing is stored."""
    for report in BatchReport.objects.select_related("batch__project") if world.is_quiet else ():
        batch = report.batch
        if batch.state in {Batch.State.DRAFT, Batch.State.LAUNCHING} or not batch_scores.is_fresh(batch, report):
            continue  # once it is launched, it has another size, and its report is out of date
        before = scores(batch)
        with transaction.atomic():
            now = batch_scores.score_batch(batch)
            after = scores(batch)
            transaction.set_rollback(True)
        for name in sorted({*now, *report.content} - {*SINCE}):
            if to_text(report.content.get(name)) != to_text(now.get(name)):
                yield f"the report of {batch.slug} keeps {name} = {report.content.get(name)}, not {now.get(name)}"
        yield from (f"HIT {pk} keeps {before[pk]}, not {after[pk]}" for pk in before if before[pk] != after[pk])


def scores(batch: Batch) -> dict[int, Any]:
    rows = batch.hits.filter(excluded_at=None).values_list("pk", "disagreement", "score")
    return {pk: both for pk, *both in rows}
